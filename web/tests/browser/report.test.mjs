// Reports of simulations, of an imported result and of a hostile study, each one file, in a real browser.
//
// What it guards against: a picture that is empty, a number that is not the one in the data, a page
// that asks a network for something, that a keyboard or a screen reader cannot use, or that runs what
// somebody wrote into a study.
//
//   STRIPEWISE_BIN=../target/debug/stripewise node --test tests/browser/report.test.mjs

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { browser, check, folder, latest, report, simulated, store } from "./reports.mjs";
import { axe, drawAll, drawnTests, numbersIn, picture, root, stripewise, stripewiseEndingWith, visit } from "./support.mjs";

const MIB = 1024 * 1024;
const reported = drawnTests("reports in a browser", 1);

reported("the published study of chunk sizes, simulated", async () => {
  const run = simulated(join(root, "studies/four-ssd-random.toml"));
  const made = report("four-ssd-random", run);
  await check(made, { isOpenedForEachLook: true });
  await visit(browser, made.address, async (page) => {
    await page.locator("#cells").scrollIntoViewIfNeeded();
    const chosen = await page.locator("#cells > .scroll tbody tr").count();
    assert.ok(chosen >= 10 && chosen < 20, `${chosen} cells that matter`);
    await page.locator("#cells > details > summary").click();
    await page.locator("#cells details tbody tr").first().waitFor();
    const heads = await page.locator("#cells details thead th").allInnerTexts();
    const rows = await page.locator("#cells details tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((box) => box.innerText)));
    assert.equal(rows.length, 50, "a page of the table");
    const place = heads.findIndex((head) => /MiB\/s|bandwidth/i.test(head));
    assert.ok(place > 0, heads.join(" | "));
    for (const [index, row] of rows.entries()) {
      const { value: shown } = numbersIn(/[a-z]/i.test(row[place]) ? row[place] : `${row[place]} MiB/s`);
      const real = made.page.cells[index].estimates.bandwidth_bytes_per_s.value;
      assert.ok(Math.abs(shown / real - 1) < 0.006, `row ${index}: ${row[place]} against ${real}`);
    }
    await page.locator("#cells").getByRole("searchbox").fill("randwrite 20000K");
    await page.waitForFunction(() => document.querySelectorAll("#cells details tbody tr").length === 4);
  });
  await visit(
    browser,
    made.address,
    async (page) => {
      await page.locator("#cells").scrollIntoViewIfNeeded();
      const boxes = page.locator("#cells > .scroll tbody tr:first-child td");
      const [name, number, difference] = await Promise.all([0, 1, 2].map((at) => boxes.nth(at).boundingBox()));
      assert.match(await boxes.nth(1).innerText(), /^[\d,.]+\s±\s.*MiB\/s$/);
      assert.ok(name.width > 80 && number.x > name.x && number.x + number.width <= 390, "the number is in the window");
      assert.ok(difference.x + difference.width <= 390, "so is the difference");
    },
    { width: 390 },
  );
});

reported("figures and data can be saved", async () => {
  const made = report("saved", simulated(join(root, "studies/four-ssd-random.toml")));
  await visit(browser, made.address, async (page) => {
    const saved = async (button) => {
      const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
      return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
    };
    const figure = page.locator("section#curve");
    await figure.scrollIntoViewIfNeeded();
    const svg = await saved(figure.getByRole("button", { name: /SVG/ }).first());
    assert.match(svg.name, /\.svg$/);
    assert.match(svg.bytes.toString(), /^<svg role="img"/);
    const png = await saved(figure.getByRole("button", { name: /PNG/ }).first());
    assert.match(png.name, /\.png$/);
    assert.deepEqual([...png.bytes.subarray(1, 4)].map((byte) => String.fromCharCode(byte)), ["P", "N", "G"]);
    const data = page.locator("section#data");
    await data.scrollIntoViewIfNeeded();
    const csv = (await saved(data.getByRole("button", { name: /CSV/ }).first())).bytes.toString();
    const [head, ...rows] = csv.trim().split("\r\n").map((line) => line.split(","));
    assert.equal(rows.length, made.page.cells.length);
    const place = head.indexOf("bandwidth_bytes_per_s");
    for (const [index, row] of rows.entries()) {
      assert.equal(Number(row[place]), made.page.cells[index].estimates.bandwidth_bytes_per_s.value);
    }
    const json = JSON.parse((await saved(data.getByRole("button", { name: /JSON/ }).first())).bytes.toString());
    assert.deepEqual(json, made.page);
  });
});

reported("two runs of the same cells say how far they are apart", async () => {
  const study = join(root, "studies/four-ssd-random.toml");
  const made = report("two-kernels", simulated(study), simulated(study, "--kernel", "6.1"));
  const [first] = made.page.answer;
  assert.equal(first.claim, "before_after");
  assert.equal((first.better?.cells ?? 0) + (first.worse?.cells ?? 0) + first.same + first.unknown, first.cells);
  await check(made);
});

test("an imported result of fio is a report", async () => {
  const files = ["fio-3.33.json", "fio-3.42.json"].map((file) => join(root, "crates/fio/tests/data", file));
  stripewise("import", "fio", ...files, "--store", store);
  await check(report("imported", latest()));
});

test("what somebody wrote into a study stays text", async () => {
  const hostile = `<script>document.title='broken'</script><img src=x onerror=alert(1)>\u202e\u2066${"long".repeat(2500)}`;
  // A study of our own may not name a stack like that; a run that somebody else exported may.
  const run = simulated(join(root, "studies/four-ssd-random.toml"));
  const exported = JSON.parse(stripewise("export", String(run), "--format", "json", "--store", store));
  const inside = (value, key) => (key === "name" && value === "chunk16" ? hostile : key === "name" && value === "chunk32" ? "'><svg onload=alert(1)>" : key === "question" ? hostile : value);
  const path = join(folder, "hostile.json");
  writeFileSync(path, JSON.stringify(exported, (key, value) => inside(value, key)));
  stripewise("import", "export", path, "--store", store);
  const made = report("hostile", latest());
  assert.ok(made.page.cells.some((cell) => cell.stack.startsWith("<script>")), "the name has come through");
  await visit(browser, made.address, async (page) => {
    await drawAll(page);
    assert.ok((await page.title()).startsWith("<script>"), "the title is text");
    assert.equal(await page.locator("#app img, #app script, #app [onload], #app [onerror]").count(), 0);
    await axe(page, "hostile");
    await picture(page, "hostile-light");
  });
  await visit(
    browser,
    made.address,
    async (page) => {
      await drawAll(page);
      const { scroll, window } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, window: innerWidth }));
      assert.ok(scroll <= window, `${scroll} wide in ${window}`);
      await picture(page, "hostile-narrow");
    },
    { width: 360 },
  );
});

reported("five thousand cells stay usable", async () => {
  const chunks = ["4K", "8K", "16K", "32K", "64K", "128K", "256K", "512K", "1M", "2M"];
  const levels = [["raid0", ""], ["raid10", "n2"], ["raid10", "f2"], ["raid10", "o2"]];
  const stack = ([level, layout], chunk) =>
    `[stack.${level}${layout}-${chunk}]\ndevices = { samsung-850-evo-500 = 4 }\narray = { level = "${level}", chunk = "${chunk}"${layout && `, layout = "${layout}"`} }\nfilesystem = "none"\n`;
  const study = join(folder, "large.toml");
  // More than the budget allows: many cells stay empty, and are rows all the same.
  writeFileSync(
    study,
    `question = "What does an array of four disks give, whatever is asked of it?"
kernel = "6.1"
${levels.flatMap((level) => chunks.map((chunk) => stack(level, chunk))).join("")}
[workload]
engine = "libaio"
pattern = ["randread", "randwrite", "read", "write"]
block_size = ["4K", "8K", "12K", "16K", "20K", "24K", "28K", "32K"]
depth = [1, 2, 3, 4]
size = "256M"
[repeat]
budget = "8s"
[compare]
baseline = { stack = "raid10n2-512K" }
`,
  );
  stripewiseEndingWith([0, 2], "run", study, "--world", "model", "--store", store, "--quiet");
  const made = report("large", latest());
  assert.equal(made.page.cells.length, 5120);
  const began = performance.now();
  await visit(browser, made.address, async (page) => {
    const loaded_ms = performance.now() - began;
    await drawAll(page);
    await page.locator("#cells > details > summary").click();
    const search = page.locator("#cells").getByRole("searchbox");
    const typed = performance.now();
    await search.fill("raid10o2 2M randwrite 32K 4");
    await page.waitForFunction(() => document.querySelectorAll("#cells details tbody tr").length < 50);
    const filtered_ms = performance.now() - typed;
    console.log(
      `large: ${made.page.cells.length} cells, ${(made.size_bytes / MIB).toFixed(1)} MiB, made in ${made.made_ms.toFixed(0)} ms, open after ${loaded_ms.toFixed(0)} ms, filtered in ${filtered_ms.toFixed(0)} ms`,
    );
    assert.ok(loaded_ms < 20_000, `open after ${loaded_ms} ms`);
    assert.ok(filtered_ms < 5_000, `filtered in ${filtered_ms} ms`);
    await axe(page, "large");
    await picture(page, "large-light");
  });
});

reported.register();
