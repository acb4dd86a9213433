// What the front end finds in a browser and QuickJS lacks; run before it.
//
// Figures are drawn once and without animation, so timers never fire. Randomness always starts the same, so that one
// page gives one picture, byte for byte. There is no Intl: numbers and plurals reach the messages as ready text.
"use strict";
{
  const silent = () => {};
  globalThis.console = { log: silent, info: silent, warn: silent, error: silent, debug: silent };

  const never = () => 0;
  Object.assign(globalThis, {
    setTimeout: never,
    setInterval: never,
    requestAnimationFrame: never,
    clearTimeout: silent,
    clearInterval: silent,
    cancelAnimationFrame: silent,
  });

  // The Lehmer generator of Park and Miller (1988), with the multiplier 48271.
  let seed = 1;
  Math.random = () => {
    seed = (seed * 48271) % 2147483647;
    return seed / 2147483647;
  };

  // A text that was cut in the middle of a character is not a text in Rust.
  const width = globalThis.textWidthPx;
  globalThis.textWidthPx = (text, font) =>
    width(String(text ?? "").toWellFormed(), String(font ?? "").toWellFormed());

  // What Rust calls: the two functions that the front end offers, and whether it does.
  const offered = (name) => {
    const found = globalThis.stripewise?.[name];
    if (typeof found !== "function") throw new TypeError(`stripewise.${name} is not a function`);
    return found;
  };
  const text = (answer) => {
    if (typeof answer !== "string") throw new TypeError("the answer is not a string");
    return answer.toWellFormed();
  };
  globalThis.host = {
    check: () => text(offered("figures") && offered("figure") && "both are there"),
    figures: (page, language) => text(offered("figures")(page, language)),
    figure: (page, id, options) => text(offered("figure")(page, id, JSON.parse(options))),
  };
}
