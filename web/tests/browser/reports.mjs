// What the tests of reports share: a folder, a store and a browser for the tests of a file, and what every
// report must be.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";
import { pathToFileURL } from "node:url";

import { axe, browser as launched, changeLook, drawAll, picture, root, stripewise, visit } from "./support.mjs";

const SIZE_MAX = 2 * 1024 * 1024;
const SHIPPED = readFileSync(join(root, "crates/catalogue/messages/shipped.en.ftl"), "utf8");

/** A question of a user, or the English words of one that comes with the program. */
function words(question) {
  if (question.name !== undefined) return question.name;
  const line = SHIPPED.split("\n").find((one) => one.startsWith(`${question.message.id} = `));
  return line.slice(question.message.id.length + 3);
}

export let folder;
export let store;
export let browser;

before(async () => {
  // Beside the program: /tmp may be memory, which cannot be measured.
  mkdirSync(join(root, "target"), { recursive: true });
  folder = mkdtempSync(join(root, "target", "report-"));
  store = join(folder, "store.db");
  browser = await launched();
});

after(async () => {
  await browser?.close();
  if (folder) rmSync(folder, { recursive: true });
});

/** Returns the number of the run that was begun last. */
export function latest() {
  return Math.max(...JSON.parse(stripewise("list", "--json", "--store", store)).runs.map((run) => run.id));
}

const runs = new Map();

/** Returns a simulated run of a study; the same one for the same words, as a simulation is repeatable. */
export function simulated(study, ...options) {
  const words = [study, ...options].join(" ");
  if (!runs.has(words)) {
    stripewise("run", study, "--world", "model", "--store", store, "--quiet", ...options);
    runs.set(words, latest());
  }
  return runs.get(words);
}

/** Writes a report of runs in this store; returns its address, its data, its size, and how long that took. */
export function reportFrom(store, name, ...options) {
  const path = join(folder, `${name}.html`);
  const began = performance.now();
  stripewise("report", ...options.map(String), "--output", path, "--store", store);
  const made_ms = performance.now() - began;
  const html = readFileSync(path, "utf8");
  const [, json] = /<script type="application\/json" id="page">(.*?)<\/script>/s.exec(html);
  return { name, address: pathToFileURL(path).href, page: JSON.parse(json), size_bytes: statSync(path).size, made_ms };
}

export function report(name, ...options) {
  return reportFrom(store, name, ...options);
}

/** The looks of a report beside light and wide in English, and what of it each can change. */
const LOOKS = [
  { name: "narrow", look: { width: 360 }, rules: "layout" },
  { name: "dark", look: { dark: true }, rules: "colours" },
  { name: "wide-german", look: { width: 1680, language: "de-DE" }, rules: "layout" },
];

async function checkLook(page, name, { name: look, look: { language } }, rules) {
  await drawAll(page);
  const where = `${name}, ${look}`;
  await axe(page, where, rules);
  const { scroll, window } = await page.evaluate(() => ({ scroll: document.documentElement.scrollWidth, window: innerWidth }));
  assert.ok(scroll <= window, `${where}: ${scroll} wide in ${window}`);
  if (language) assert.equal(await page.locator("html").getAttribute("lang"), "de");
  await picture(page, `${name}-${look}`);
}

let turn = 0;

/** Checks what every report must be, light, narrow, and in one of the other looks, which take turns: the page
 *  changes its look. Or in all of them, and the page is opened for each. */
export async function check({ name, address, page: data, size_bytes, made_ms }, { isOpenedForEachLook = false } = {}) {
  assert.ok(size_bytes < SIZE_MAX, `${name}: ${size_bytes} bytes`);
  const began = performance.now();
  let loaded_ms;
  let rules = 0;
  await visit(browser, address, async (page) => {
    loaded_ms = performance.now() - began;
    assert.equal(await page.getByRole("heading", { level: 1 }).innerText(), words(data.question));
    const sections = await page.locator("section.view").evaluateAll((all) => all.map((one) => [one.id, one.dataset.kind]));
    assert.deepEqual(sections, data.views.map((view) => [view.id, view.kind]));
    await drawAll(page);
    for (const [index, one] of (await page.locator("figure.figure .picture svg").all()).entries()) {
      const marks = await one.locator("path, rect, circle, polyline").count();
      assert.ok(marks > 3, `${name}: picture ${index} has ${marks} marks`);
    }
    rules = await axe(page, `${name}, light`);
    await picture(page, `${name}-light`);
    if (isOpenedForEachLook) return;
    const [narrow, ...others] = LOOKS;
    for (const one of [narrow, others[turn++ % others.length]]) {
      await changeLook(page, one.look);
      await checkLook(page, name, one, one.rules);
    }
  });
  if (isOpenedForEachLook) {
    for (const one of LOOKS) await visit(browser, address, (page) => checkLook(page, name, one, "all"), one.look);
  }
  const size = (size_bytes / 1024).toFixed(0);
  console.log(`${name}: ${data.cells.length} cells, ${size} KiB, made in ${made_ms.toFixed(0)} ms, open after ${loaded_ms.toFixed(0)} ms, axe: no violation (${rules} rules pass)`);
}
