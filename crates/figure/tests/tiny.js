// The smallest front end that keeps the contract: one bar for each value of the page, labelled.
{
  const escaped = (text) => String(text).replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
  const bars = (page, colour) =>
    page.bars.map(({ name, value }, index) => {
      const y = 30 * index + 10;
      const end = value + textWidthPx(name, "bold 14px sans-serif");
      return (
        `<rect x="0" y="${y}" width="${value}" height="20" fill="${colour}"/>` +
        `<text x="${value}" y="${y + 15}" style="font-size:14px;font-weight:bold" fill="${colour}">${escaped(name)}</text>` +
        `<path d="M${end.toFixed(2)} ${y}v20" stroke="${colour}"/>`
      );
    });
  globalThis.stripewise = {
    figures: (pageJson, language) =>
      JSON.stringify([
        { id: "bars", title: (language === "de" ? "Balken: " : "Bars: ") + JSON.parse(pageJson).title, description: "One bar each." },
        { id: "raw", title: "Markup of the page" },
      ]),
    figure(pageJson, id, { language, theme, width, height }) {
      const page = JSON.parse(pageJson);
      height ??= 50 * page.bars.length;
      if (id === "bars.1") page.bars = [page.bars[1]];
      const inside = id === "raw" ? page.raw : bars(page, theme === "dark" ? "white" : "black").join("");
      return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">${inside}</svg>`;
    },
  };
}
