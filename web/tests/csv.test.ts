// A stack named `=HYPERLINK(...)` must not become a formula in a reader's spreadsheet.

import assert from "node:assert/strict";
import { test } from "node:test";
import { cellsCsv, textField } from "../src/csv";
import { fixture, PLAIN } from "./fixtures";

/** Reads CSV by RFC 4180, the slow and obvious way. */
function parse(csv: string): string[][] {
  const rows: string[][] = [[""]];
  let isQuoted = false;
  for (let at = 0; at < csv.length; at += 1) {
    const row = rows[rows.length - 1]!;
    const add = (text: string) => (row[row.length - 1] += text);
    const character = csv[at]!;
    if (isQuoted && character === '"' && csv[at + 1] === '"') {
      add('"');
      at += 1;
    } else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === ",") row.push("");
    else if (!isQuoted && character === "\r" && csv[at + 1] === "\n") {
      rows.push([""]);
      at += 1;
    } else add(character);
  }
  return rows.slice(0, -1);
}

test("a text that a spreadsheet would run is disarmed", () => {
  for (const text of ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1"]) assert.equal(parse(`${textField(text)}\r\n`)[0]![0], `'${text}`);
  assert.equal(textField("-"), "-");
  assert.equal(textField('a "b", c'), '"a ""b"", c"');
});

test("every cell is a row, and every row has as many fields as the head", () => {
  const page = fixture({ ...PLAIN, names: ['=cmd|"a",b', "two\r\nlines"] });
  const rows = parse(cellsCsv(page));
  assert.equal(rows.length, page.cells.length + 1);
  for (const row of rows) assert.equal(row.length, rows[0]!.length);
  const head = rows[0]!;
  assert.ok(head.includes("bandwidth_bytes_per_s_low") && head.includes("block_size_bytes"));
  assert.equal(rows[1]![head.indexOf("stack")], '\'=cmd|"a",b');
  assert.equal(Number(rows[1]![head.indexOf("bandwidth_bytes_per_s")]), page.cells[0]!.estimates.bandwidth_bytes_per_s!.value);
});
