// Every cell: sortable, filterable, paged (5,000 rows at once would slow the browser down); all
// rows for printing, within the limits of paper.

import { useMemo, useState } from "preact/hooks";
import { Button } from "../button";
import { indicesOf } from "../charts/cells";
import { outcome, verdictOf } from "../charts/paired";
import { useText } from "../context";
import { useNarrow, usePrinting } from "../screen";
import { judgedWords } from "../differences";
import { axisWords, cellName, metricHead, namedValue, runName } from "../things";
import { count, higherIsBetter, interval, percent } from "../format";
import { label } from "../names";
import type { Cell, CellVerdict, MetricKey, Page } from "../generated";
import { finderOf } from "../search";
import type { Text } from "../text";
import type { Kind, ViewNamed } from "./kinds";
import { Pager } from "./pager";

const ROWS = 50;
const PRINTED_ROWS_MAX = 400;

interface Column {
  id: string;
  head: string;
  isNumber: boolean;
  /** The sort key of a row; null sorts last. */
  key(cell: Cell): number | string | null;
  /** The text of a box, which the filter searches as well. */
  words(cell: Cell): string;
  /** The length of the bar behind the number, 0 to 1. */
  share?(cell: Cell): number;
  verdict?(cell: Cell): CellVerdict | undefined;
  title?(cell: Cell): string | undefined;
}

/** Returns a column for each axis; without `hasAll`, for those that name cells. */
function axisColumns(page: Page, text: Text, hasAll: boolean): Column[] {
  return page.axes.flatMap((axis, index) => (axis.implied && !hasAll ? [] : [{
    id: `axis-${axis.key}`,
    head: axisWords(axis.key, text),
    isNumber: axis.numbers !== null,
    key: (cell: Cell) => axis.values.indexOf(cell.values[index] ?? ""),
    words: (cell: Cell) => label(cell.values[index] ?? "-", 36),
    title: (cell: Cell) => (axis.key === "stack" ? label(cell.stack_words, 400) : undefined),
  }]));
}

function metricColumn(page: Page, metric: MetricKey, text: Text): Column {
  const most = Math.max(...page.cells.map((cell) => cell.estimates[metric]?.value ?? 0));
  return {
    id: metric,
    head: metricHead(metric, text),
    isNumber: true,
    key: (cell) => cell.estimates[metric]?.value ?? null,
    words: (cell) => (cell.estimates[metric] ? interval(metric, cell.estimates[metric], text.language) : "–"),
    share: metric === page.metric && higherIsBetter(metric) ? (cell) => (cell.estimates[metric]?.value ?? 0) / (most || 1) : undefined,
  };
}

/** Returns the baseline of the cells, as a heading. */
function verdictHead(page: Page, text: Text): string {
  const baseline = page.cells.find((cell) => cell.before !== undefined)?.before?.baseline;
  const run = baseline === undefined ? undefined : page.runs[page.cells[baseline]?.run ?? 0];
  return run === undefined ? text.say("column-difference") : text.say("column-against-run", { id: String(run.id) });
}

/** Returns a column with the cell's name in words, for tables without room for a column per key. */
function nameColumn(page: Page, text: Text): Column {
  const indices = indicesOf(page);
  return {
    id: "name",
    head: text.say("column-cell"),
    isNumber: false,
    key: (cell) => indices.get(cell) ?? null,
    words: (cell) => cellName(page, cell, text),
    title: (cell) => label(cell.stack_words, 400),
  };
}

/** Returns the metrics of which a reader compares cells; of loads that commit, the times of the commit. */
function mainMetrics(page: Page): MetricKey[] {
  const commits = page.metrics.includes("sync_latency_ns_mean");
  const details: MetricKey[] = ["latency_ns_p50", "latency_ns_p999", ...(commits ? (["latency_ns_mean", "latency_ns_p99"] as const) : [])];
  return page.metrics.filter((metric) => !details.includes(metric));
}

/**
 * Returns the columns; on a narrow page the cell's name, its value and its verdict come first. Without
 * `hasAll`, only those of the main metrics, which fit beside one another.
 */
export function columnsOf(page: Page, text: Text, isNarrow: boolean, hasAll = true): Column[] {
  const others = (hasAll ? page.metrics : mainMetrics(page)).filter((metric) => metric !== page.metric);
  const columnOf = (metric: MetricKey) => metricColumn(page, metric, text);
  const verdict: Column = {
    id: "verdict",
    head: verdictHead(page, text),
    isNumber: false,
    key: (cell) => verdictOf(page, cell)?.ratio.value ?? null,
    words(cell) {
      const found = verdictOf(page, cell);
      return found ? judgedWords(found, text) : "";
    },
    verdict: (cell) => verdictOf(page, cell),
    title(cell) {
      const found = verdictOf(page, cell);
      return found && text.tell(found.words);
    },
  };
  const limit: Column = {
    id: "limit",
    head: text.say("column-limit"),
    isNumber: false,
    key: (cell) => cell.bottleneck_name && text.tell(cell.bottleneck_name),
    words: (cell) => (cell.bottleneck_name ? text.tell(cell.bottleneck_name) : ""),
    title: (cell) => (cell.bottleneck_sentence ? text.tell(cell.bottleneck_sentence) : undefined),
  };
  const warnings: Column = {
    id: "warnings",
    head: text.say("column-warnings"),
    isNumber: true,
    key: (cell) => cell.warnings.length,
    words: (cell) => (cell.warnings.length === 0 ? "" : String(cell.warnings.length)),
  };
  const run: Column = {
    id: "run",
    head: text.say("column-run"),
    isNumber: false,
    key: (cell) => cell.run,
    words: (cell) => runName(page, cell.run, text),
  };
  const any = (has: (cell: Cell) => boolean) => page.cells.some(has);
  const keys = [...(page.runs.length > 1 ? [run] : []), ...(page.axes.length > 0 ? axisColumns(page, text, hasAll) : [stackColumn(text)])];
  return [
    ...(isNarrow ? [nameColumn(page, text)] : keys),
    ...(page.metrics.includes(page.metric) ? [columnOf(page.metric)] : []),
    ...(any((cell) => verdictOf(page, cell) !== undefined) ? [verdict] : []),
    ...(any((cell) => cell.bottleneck !== null) ? [limit] : []),
    ...others.map(columnOf),
    ...(any((cell) => cell.warnings.length > 0) ? [warnings] : []),
  ];
}

function stackColumn(text: Text): Column {
  return {
    id: "stack",
    head: text.say("column-stack"),
    isNumber: false,
    key: (cell) => cell.stack,
    words: (cell) => label(cell.stack, 36),
    title: (cell) => label(cell.stack_words, 400),
  };
}

interface Sorting {
  column: string;
  isDescending: boolean;
}

function sorted(cells: Cell[], column: Column | undefined, isDescending: boolean): Cell[] {
  if (!column) return cells;
  const keyed = cells.map((cell) => ({ cell, key: column.key(cell) }));
  keyed.sort((one, other) => {
    if (one.key === null || other.key === null) return Number(one.key === null) - Number(other.key === null);
    const order = one.key < other.key ? -1 : one.key > other.key ? 1 : 0;
    return isDescending ? -order : order;
  });
  return keyed.map(({ cell }) => cell);
}

/** Returns the cells whose row contains every word of `wanted`. */
function filtered(cells: Cell[], columns: { words(cell: Cell): string }[], wanted: string): Cell[] {
  const isFound = finderOf(wanted);
  return isFound === null ? cells : cells.filter((cell) => isFound(columns.map((column) => column.words(cell)).join(" ")));
}

/** Returns the values that all cells share, as a sentence; empty if there are none. */
function sharedWords(page: Page, text: Text): string {
  if (page.shared.length === 0 || page.cells.length < 2) return "";
  const values = page.shared.map(({ key, value }) => namedValue(key, label(value, 60), text));
  return text.say("cells-share", { values: values.join(", ") });
}

/** Returns the meaning of the words in the column of differences, if it has any. */
function sameWords(page: Page, text: Text): string {
  const margins = page.cells.map((cell) => verdictOf(page, cell)).flatMap((verdict) => (verdict?.verdict === "no_difference" ? [verdict.margin] : []));
  return margins.length === 0 ? "" : text.say("same-means", { margin: percent(Math.max(...margins), text.language) });
}

export const tableKind: Kind<ViewNamed<"table">> = {
  title: (page, _view, text) => text.say(page.chosen ? "view-table-chosen" : "view-table"),
  Component({ page }) {
    const text = useText();
    const isNarrow = useNarrow();
    const says = useMemo(
      () => [text.say("view-table-says"), sharedWords(page, text), sameWords(page, text)].filter((words) => words !== "").join(" "),
      [page, text],
    );
    const chosen = useMemo(() => page.chosen?.flatMap((index) => page.cells[index] ?? []), [page]);
    const [isOpen, setOpen] = useState(false);
    const isPrinting = usePrinting();
    if (!chosen) {
      return (
        <>
          <h2>{text.say("view-table")}</h2>
          <p class="says">{says}</p>
          <AllCells page={page} isNarrow={isNarrow} />
        </>
      );
    }
    return (
      <>
        <h2>{text.say("view-table-chosen")}</h2>
        <p class="says">
          {text.say(page.cells.some((cell) => verdictOf(page, cell)) ? "view-table-chosen-says" : "view-table-extremes-says", { shown: count(chosen.length, text.language), all: count(page.cells.length, text.language) })} {says}
        </p>
        <div class="scroll" tabIndex={0} role="region" aria-label={text.say("view-table-chosen")}>
          <Cells cells={chosen} columns={columnsOf(page, text, isNarrow, false)} sorting={null} isNarrow={isNarrow} />
        </div>
        <details class="below" open={isOpen || isPrinting} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>{text.say("view-table-all", { all: count(page.cells.length, text.language) })}</summary>
          {(isOpen || isPrinting) && <AllCells page={page} isNarrow={isNarrow} />}
        </details>
      </>
    );
  },
};

/** All cells: sortable, filterable, paged. */
function AllCells({ page, isNarrow }: { page: Page; isNarrow: boolean }) {
  const text = useText();
  const [wanted, setWanted] = useState("");
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const [at, setAt] = useState(0);
  const rowsMax = usePrinting() ? PRINTED_ROWS_MAX : ROWS;
  const [hasAll, setAll] = useState(false);
  const hidden = useMemo(() => columnsOf(page, text, isNarrow).length - columnsOf(page, text, isNarrow, false).length, [page, text, isNarrow]);
  const columns = useMemo(() => columnsOf(page, text, isNarrow, hasAll), [page, text, isNarrow, hasAll]);
  const cells = useMemo(() => filtered(page.cells, columns, wanted), [page, columns, wanted]);
  const rows = useMemo(
    () => sorted(cells, columns.find((column) => column.id === sorting?.column), sorting?.isDescending ?? false),
    [cells, columns, sorting],
  );
  const pages = Math.max(1, Math.ceil(rows.length / rowsMax));
  const shown = Math.min(at, pages - 1);
  const all = (list: unknown[]) => count(list.length, text.language);
  const sortBy = (column: Column) => {
    const isSame = sorting?.column === column.id;
    // Numbers sort largest first, names from the beginning.
    const isDescending = isSame ? !sorting.isDescending : column.isNumber && !column.id.startsWith("axis-");
    setSorting({ column: column.id, isDescending });
    setAt(0);
  };
  return (
    <>
      <div class="switches">
        <label class="switch">
          {text.say("filter")}
          <input
            type="search"
            value={wanted}
            placeholder={text.say("filter-hint")}
            onInput={(event) => {
              setWanted(event.currentTarget.value);
              setAt(0);
            }}
          />
        </label>
        {hidden > 0 && (
          <label class="switch">
            <input type="checkbox" checked={hasAll} onInput={(event) => setAll(event.currentTarget.checked)} />
            {text.say("columns-all")}
          </label>
        )}
        <span class="soft" role="status">
          {text.say("rows-shown", { shown: all(rows), all: all(page.cells) })}
        </span>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label={text.say("view-table")}>
        <Cells
          cells={rows.slice(shown * rowsMax, (shown + 1) * rowsMax)}
          columns={columns}
          sorting={sorting}
          isNarrow={isNarrow}
          onSort={sortBy}
        />
      </div>
      <Pager page={shown} pages={pages} onPage={setAt} />
    </>
  );
}

interface CellsProps {
  cells: Cell[];
  columns: Column[];
  sorting: Sorting | null;
  isNarrow: boolean;
  /** Sorts by a column; absent if there are few rows. */
  onSort?: (column: Column) => void;
}

function Cells({ cells, columns, sorting, isNarrow, onSort }: CellsProps) {
  return (
    <table class="cells" data-narrow={isNarrow}>
      <thead>
        <tr>
          {columns.map((column) => (
            <Head key={column.id} column={column} sorting={sorting} onSort={onSort && (() => onSort(column))} />
          ))}
        </tr>
      </thead>
      <tbody>
        {cells.map((cell) => (
          <Row key={`${cell.run}-${cell.number}`} cell={cell} columns={columns} />
        ))}
      </tbody>
    </table>
  );
}

function Head({ column, sorting, onSort }: { column: Column; sorting: Sorting | null; onSort?: () => void }) {
  const isSorted = sorting?.column === column.id;
  if (!onSort) {
    return (
      <th scope="col" class={column.isNumber ? "number" : undefined}>
        {column.head}
      </th>
    );
  }
  const order = !isSorted ? undefined : sorting.isDescending ? "descending" : "ascending";
  return (
    <th scope="col" aria-sort={order} class={column.isNumber ? "number" : undefined}>
      <Button class="sort" onClick={onSort}>
        {column.head}
        <span aria-hidden="true">{order === "descending" ? " ▼" : order === "ascending" ? " ▲" : ""}</span>
      </Button>
    </th>
  );
}

/** Returns a number that is broken before its interval alone. */
function unbroken(words: string): string {
  return words.replace(/ (?!\()/g, "\u00a0");
}

const MARKS = { better: "▲ ", worse: "▼ ", same: "", unknown: "" };

function Row({ cell, columns }: { cell: Cell; columns: Column[] }) {
  return (
    <tr>
      {columns.map((column) => {
        const share = column.share?.(cell);
        const verdict = column.verdict?.(cell);
        const result = verdict && outcome(verdict);
        return (
          <td key={column.id} data-column={column.id} class={column.isNumber ? "number" : undefined} title={column.title?.(cell)} data-outcome={result}>
            {share !== undefined && (
              <span class="gauge" aria-hidden="true">
                <span style={{ width: `${share * 100}%` }} />
              </span>
            )}
            {result && <span aria-hidden="true">{MARKS[result]}</span>}
            <bdi>{column.isNumber ? unbroken(column.words(cell)) : column.words(cell)}</bdi>
          </td>
        );
      })}
    </tr>
  );
}
