// The reports of the other shipped studies in a real browser: simulated, or measured on this disk.
//
//   STRIPEWISE_BIN=../target/debug/stripewise node --test tests/browser/shipped.test.mjs

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { browser, check, folder, report, reportFrom, simulated } from "./reports.mjs";
import { axe, drawnTests, numbersIn, picture, root, share, stripewiseBeside, visit } from "./support.mjs";

/** The samples that an interval needs, and as many as a picture needs; as short as samples may be. */
const SIX = '[repeat]\nsample = "50ms"\nat_least = 6\nat_most = 6\n';
const TWO = '[repeat]\nsample = "50ms"\nat_least = 2\nat_most = 2\n';

/** Of these one is drawn, with the fewest samples that an interval or a picture needs. */
const DRAWN = { "sync.toml": SIX, "block-size.toml": TWO, "same-thing-twice.toml": SIX };
const reported = drawnTests("reports of shipped studies in a browser", 1);

/** How often the disk is measured until a sample counts, and for how long it is tried: beside other programs
 *  one time takes two minutes. */
const TRIES_MAX = 3;
const TRIED_MS_MAX = 60_000;

/** Writes a shipped study with so many samples and small files, and returns its path. */
function repeated(study, repeat) {
  const shipped = readFileSync(join(root, "studies", study), "utf8");
  const text = shipped.replace(/^\[repeat\]\n(?:[^[]*\n)?/m, "").replace(/^(size\s*= )"\d+M"/m, '$1"64M"');
  const path = join(folder, study);
  writeFileSync(path, `${text}\n${repeat}`);
  return path;
}

/** Writes the study of a failing disk with a quarter of its times and of its file, and returns its path. */
function failedDisk() {
  const shorter = { '"3s"': '"750ms"', '"5s"': '"1250ms"', '"12s"': '"3s"', '"1G"': '"256M"' };
  const text = readFileSync(join(root, "studies/failed-disk.toml"), "utf8").replace(/"(?:3s|5s|12s|1G)"/g, (long) => shorter[long]);
  const path = join(folder, "failed-disk.toml");
  writeFileSync(path, text);
  return path;
}

/** Measures shipped studies, one after the other, and makes profiles of the last. If another program keeps the
 *  disk busy, no sample counts (2): a report of that is a report, but a profile needs a sample, and there are none. */
async function measureShipped(studies) {
  const place = { store: join(folder, "measured.db"), profiles: join(folder, "profiles") };
  for (const [study, repeat] of studies) {
    const path = repeated(study, repeat);
    const run = () => stripewiseBeside([0, 2], "run", path, "--target", folder, "--store", place.store, "--quiet");
    const began = performance.now();
    let status = await run();
    for (let tries = 1; study === "this-disk.toml" && status !== 0 && tries < TRIES_MAX; tries += 1) {
      if (performance.now() - began > TRIED_MS_MAX) break;
      status = await run();
    }
  }
  const status = await stripewiseBeside([0, 2], "calibrate", "--run", "latest", "--out", place.profiles, "--store", place.store);
  return { ...place, hasProfiles: status === 0 };
}

reported("a member that fails: phases are named, what happened is marked, and a keyboard reaches its numbers", async () => {
  const made = report("failed-disk", simulated(failedDisk()));
  await check(made);
  const failing = made.page.cells.filter((cell) => cell.timeline);
  assert.equal(failing.length, 4, "two stacks, replaced and pulled");
  await visit(browser, made.address, async (page) => {
    const figure = page.locator('section.view[data-kind="timeline"] figure');
    await figure.scrollIntoViewIfNeeded();
    await figure.locator(".picture svg").waitFor();
    const box = figure.getByRole("combobox");
    const said = (await figure.locator(".says").innerText()).replace(/\u00a0/g, " ");
    const phases = [...said.matchAll(/(whole again|whole|degraded|rebuilding) ([\d.,]+(?: ± <?[\d.,]+)? MiB\/s)/g)];
    const isSame = (shown, one) => Math.abs(numbersIn(shown).value / one.bandwidth_bytes_per_s.value - 1) < 0.006;
    const told = failing.find(({ timeline }) => timeline.phases.length === phases.length && phases.every(([, , shown], index) => isSame(shown, timeline.phases[index])));
    assert.ok(told, said);
    assert.deepEqual(phases.map(([, name]) => name), told.timeline.phases.map(({ phase }) => phase.replace("_", " ")), said);
    const marked = await figure.locator(".picture svg").evaluate((svg) => svg.textContent);
    for (const words of ["device 2 fails", told.timeline.events.some((one) => one.event === "replaced") ? "device 2 is replaced" : "device 2 is back"]) {
      assert.ok(marked.includes(words), marked);
    }
    // In reading order: what it is, what is seen, which cell, the picture's numbers.
    const order = await figure.evaluate((one) => [...one.querySelectorAll("h2, .says, [role=combobox], .picture, summary")].map((part) => part.getAttribute("role") ?? (part.className || part.localName)));
    assert.deepEqual(order.map((name) => name.split(" ")[0]), ["h2", "says", "combobox", "img", "summary"]);
    await figure.locator("summary").focus();
    await page.keyboard.press("Enter");
    const table = figure.getByRole("table");
    await table.waitFor();
    const rows = await table.locator("tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((one) => one.innerText)));
    const events = rows.map((row) => row.at(-1)).filter((words) => words !== "");
    assert.match(events[0], /device 2 fails/);
    assert.match(events[1], /device 2 is (replaced|back)/);
    await axe(page, "failure, numbers open");
    await picture(page, "failure");
  });
});

reported("the shipped study of reads from mirrors, simulated", async () => {
  await check(report("mirrored-reads", simulated(join(root, "studies/mirrored-reads.toml"))));
});

reported("shipped studies that measure this disk, and one that is simulated from it", async () => {
  const chosen = share("shipped studies that measure this disk", Object.keys(DRAWN), 1);
  const studies = [["demo.toml", SIX], ...chosen.map((study) => [study, DRAWN[study]]), ["this-disk.toml", TWO]];
  const { store: measured, profiles, hasProfiles } = await measureShipped(studies);
  for (const [index, [study]] of studies.entries()) {
    await check(reportFrom(measured, study.replace(".toml", ""), index + 1));
  }
  if (!hasProfiles) {
    console.log("SKIPPED: arrays simulated from this disk: another program kept it busy, so too few samples count");
    return;
  }
  await check(report("arrays-of-this-disk", simulated(repeated("arrays-of-this-disk.toml", SIX), "--profiles", profiles)));
});

reported.register();
