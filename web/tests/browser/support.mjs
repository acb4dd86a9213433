// What the browser tests share: the program under test, a browser, a page in which nothing may go
// wrong, and an engine that judges accessibility.
//
// STRIPEWISE_BIN is the program, CHROMIUM another browser than chromium-headless-shell, SCREENSHOTS a
// folder for pictures.

import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { promisify } from "node:util";

import { chromium } from "playwright-core";

export const root = fileURLToPath(new URL("../../../", import.meta.url));
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Draws `few` of `all` by the seed of tests, as `share` of crates/fixtures does, and says which. */
export function share(what, all, few) {
  const asked = process.env.STRIPEWISE_TEST_SHARE;
  assert.ok(asked === undefined || asked === "all", "STRIPEWISE_TEST_SHARE can only be `all`");
  if (asked === "all") return all;
  const seed = Number(process.env.STRIPEWISE_TEST_SEED ?? Date.now());
  const named = [...what].reduce((number, letter) => (number * 31 + letter.codePointAt(0)) % 1_000_003, seed);
  const drawn = all.filter((_, index) => (index + all.length - (named % all.length)) % all.length < few);
  console.log(`SKIPPED: ${what}: drawn ${drawn.length} of ${all.length} by seed ${seed} (${drawn.join(", ")}); \`make soak\` runs all, as STRIPEWISE_TEST_SHARE=all does`);
  return drawn;
}

/** Returns a function that adds a test to those of which a share of `few` runs; its `register`, called after
 *  the last, draws them. */
export function drawnTests(what, few) {
  const all = new Map();
  const add = (name, body) => all.set(name, body);
  add.register = () => {
    const drawn = share(what, [...all.keys()], few);
    for (const [name, body] of all) test(name, { skip: !drawn.includes(name) }, body);
  };
  return add;
}

/** Returns the path of the program; a test without one is a mistake, not a test that may be left out. */
export function program() {
  const path = process.env.STRIPEWISE_BIN;
  assert.ok(path, "STRIPEWISE_BIN names no program; set it to the path of the built `stripewise`");
  assert.ok(existsSync(path), `STRIPEWISE_BIN: there is no ${path}`);
  return resolve(path);
}

/** Runs the program; its answer may be "no", but it must be one. */
export function stripewise(...options) {
  return stripewiseEndingWith([0, 1], ...options);
}

/** Runs the program while other tests go on; it must end with one of `statuses`, which is returned. */
export async function stripewiseBeside(statuses, ...options) {
  try {
    await promisify(execFile)(program(), options, { maxBuffer: 1 << 28 });
    return 0;
  } catch (error) {
    if (statuses.includes(error.code)) return error.code;
    throw error;
  }
}

/** Runs the program, which must end with one of `statuses`, and returns what it printed. */
export function stripewiseEndingWith(statuses, ...options) {
  const { status, stdout, stderr } = spawnSync(program(), options, { encoding: "utf8", maxBuffer: 1 << 28 });
  assert.ok(statuses.includes(status), `stripewise ${options.join(" ")}: ${stderr}`);
  return stdout;
}

/** Returns a browser: Chromium's engine without the window around it, which takes four times as much of
 *  a processor to open a page. It finds no names and fetches nothing by itself. */
export function browser() {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell";
  assert.ok(existsSync(executablePath), `no browser at ${executablePath}; install the package \`chromium-headless-shell\` or set CHROMIUM`);
  return chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
  });
}

const HEIGHT = 900;

function schemeOf(dark) {
  return dark ? "dark" : "light";
}

/** Opens an address and gives the page to `look`; no error, dialog or failed request may come of it. */
export async function visit(browser, address, look, { dark = false, width = 1280, language = "en-GB" } = {}) {
  const context = await browser.newContext({
    colorScheme: schemeOf(dark),
    viewport: { width, height: HEIGHT },
    locale: language,
    acceptDownloads: true,
  });
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => message.type() === "error" && wrong.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("requestfailed", (failed) => {
    // A request that the page itself gave up is no failure.
    if (failed.failure()?.errorText !== "net::ERR_ABORTED") wrong.push(`request: ${failed.url()}`);
  });
  page.on("response", (response) => response.status() >= 400 && wrong.push(`${response.status()}: ${response.url()}`));
  page.on("dialog", (dialog) => wrong.push(`dialog: ${dialog.message()}`));
  try {
    await page.goto(address);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await look(page);
    assert.deepEqual(wrong, []);
  } finally {
    await context.close();
  }
}

/** Gives an open page the look with which `visit` would have opened it. */
export async function changeLook(page, { dark = false, width = 1280, language = "en-GB" }) {
  await page.emulateMedia({ colorScheme: schemeOf(dark) });
  await page.setViewportSize({ width, height: HEIGHT });
  await page.locator(".controls select").first().selectOption(language.slice(0, 2));
}

/** Scrolls through the page until every picture is drawn, in the colours and as wide as it is shown now. */
export async function drawAll(page) {
  for (const figure of await page.locator("figure.figure").all()) {
    await figure.scrollIntoViewIfNeeded();
    await page.waitForFunction(isDrawn, await figure.locator(".picture").elementHandle());
  }
}

/** Runs in the page. */
function isDrawn(picture) {
  const svg = picture.querySelector("svg");
  if (svg === null) return false;
  const isWide = Math.abs(svg.clientWidth - picture.clientWidth) <= 1;
  const background = document.documentElement.dataset.theme === "dark" ? "#141a21" : "#ffffff";
  return isWide && svg.querySelector("rect").getAttribute("fill") === background;
}

/** What the accessibility engine looks for. Contrasts take most of its time, and another width or
 *  language changes no colour. */
const RULES = {
  all: {},
  colours: { runOnly: { type: "tag", values: ["cat.color"] } },
  layout: { rules: { "color-contrast": { enabled: false } } },
};

/** Checks that the accessibility engine objects to nothing; returns how many of its rules pass. */
export async function axe(page, where, rules = "all") {
  // The engine comes in by the debugger: the page's own policy would not let it.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axeSource);
  const { violations, passes } = await page.evaluate((chosen) => globalThis.axe.run(document, { resultTypes: ["violations"], ...chosen }), RULES[rules]);
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
  assert.deepEqual(told, [], where);
  return passes.length;
}

/** Keeps a picture where one is asked for. */
export async function picture(page, name) {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

const UNITS = { "MiB/s": 1024 * 1024, IOPS: 1, kIOPS: 1e3, MIOPS: 1e6, ns: 1, µs: 1e3, ms: 1e6, s: 1e9 };

/** Returns the value and the half width that a text like `1,421 ± 12 MiB/s` says, in base units. */
export function numbersIn(text) {
  const match = /^([\d.,]+)(?:\s±\s<?([\d.,]+))?\s?(\D+)$/.exec(text.replace(/\u00a0/g, " ").trim());
  assert.ok(match, `not a quantity: ${text}`);
  const unit = UNITS[match[3].trim()];
  assert.ok(unit, `unknown unit: ${text}`);
  const number = (digits) => (digits === undefined ? null : Number(digits.replace(/,/g, "")) * unit);
  return { value: number(match[1]), half: number(match[2]) };
}
