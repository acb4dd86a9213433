// The list of runs: search, selection of several runs for one picture, live progress.

import { useEffect, useState } from "preact/hooks";

import { Button, Note } from "../button";
import type { RunLine } from "../generated";
import { useText } from "../context";
import { count, date } from "../format";
import { clean, shorten } from "../names";
import { plural } from "../text";
import { worldWords } from "../things";
import { api, type Trouble, troubleOf } from "./client";
import { found, ROWS_STEP } from "./list";
import { listFragment, RUNS_MAX, runsFragment } from "./route";
import { TroubleBox } from "./trouble";

/** How often a visible list is refreshed. */
const REFRESH_MS = 2000;
const NAME_CHARACTERS_MAX = 120;

/** Returns the runs of the store, refreshed while the page is visible. */
export function useRuns(refreshMs: number): { runs: RunLine[] | null; trouble: Trouble | null; retry: () => void } {
  const [runs, setRuns] = useState<RunLine[] | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const control = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let seen = "";
    const refresh = async () => {
      if (!document.hidden) {
        try {
          const answer = await api.runs(control.signal);
          const now = JSON.stringify(answer);
          if (now !== seen) {
            seen = now;
            setRuns(answer);
          }
          setTrouble(null);
        } catch (error) {
          if (control.signal.aborted) {
            return;
          }
          setTrouble(troubleOf(error));
          if (troubleOf(error).kind === "no-token") {
            return;
          }
        }
      }
      timer = setTimeout(refresh, refreshMs);
    };
    void refresh();
    return () => {
      control.abort();
      clearTimeout(timer);
    };
  }, [attempt]);
  return { runs, trouble, retry: () => setAttempt((before) => before + 1) };
}

export function Runs({ search }: { search: string }) {
  const text = useText();
  const { runs, trouble, retry } = useRuns(REFRESH_MS);
  const [sought, setSought] = useState(search);
  const [chosen, setChosen] = useState<number[]>([]);
  const [rows, setRows] = useState(ROWS_STEP);
  useEffect(() => setSought(search), [search]);
  if (runs === null) {
    return trouble === null ? <p>{text.say("live-loading")}</p> : <TroubleBox trouble={trouble} onRetry={retry} />;
  }
  const seen = found(runs, sought, (run) => [text.say(`state-${run.state}`), worldWords(run.world, text)]);
  const choose = (id: number, isChosen: boolean) =>
    setChosen((before) => (isChosen ? [...before, id] : before.filter((one) => one !== id)));
  return (
    <>
      {trouble !== null && <TroubleBox trouble={trouble} onRetry={retry} />}
      {runs.length === 0 ? (
        <div class="live-empty">
          <p>
            <strong>{text.say("live-runs-none")}</strong>
          </p>
          <p>{text.say("live-runs-none-hint")}</p>
        </div>
      ) : (
        <>
          <Tools
            sought={sought}
            chosen={chosen}
            onSearch={(words) => {
              setSought(words);
              setRows(ROWS_STEP);
              history.replaceState(null, "", listFragment(words));
            }}
            onClear={() => setChosen([])}
          />
          <Note role="status">
            {seen.length === 0
              ? text.say("live-runs-none-found", { search: shorten(clean(sought), NAME_CHARACTERS_MAX) })
              : text.say("live-runs-found", {
                  plural: plural(seen.length),
                  found: count(seen.length, text.language),
                  all: count(runs.length, text.language),
                })}
          </Note>
          {seen.length > 0 && <Table runs={seen.slice(0, rows)} chosen={chosen} onChoose={choose} />}
          {seen.length > rows && (
            <Button onClick={() => setRows(rows + ROWS_STEP)}>
              {text.say("live-runs-more", { count: count(Math.min(ROWS_STEP, seen.length - rows), text.language) })}
            </Button>
          )}
        </>
      )}
    </>
  );
}

interface ToolsProps {
  sought: string;
  chosen: number[];
  onSearch: (words: string) => void;
  onClear: () => void;
}

function Tools({ sought, chosen, onSearch, onClear }: ToolsProps) {
  const text = useText();
  const many = chosen.length === 0 ? "none" : plural(chosen.length);
  return (
    <div class="live-tools">
      <label class="live-search">
        <span>{text.say("live-search")}</span>
        <input
          type="search"
          value={sought}
          maxLength={200}
          dir="auto"
          placeholder={text.say("live-search-example")}
          onInput={(event) => onSearch(event.currentTarget.value)}
        />
      </label>
      <div class="live-together">
        <span class="live-small" role="status">
          {text.say("live-together-some", { plural: many, count: count(chosen.length, text.language) })}
        </span>
        {chosen.length > 0 && (
          <>
            <a class="live-button" href={runsFragment([...chosen].sort((a, b) => a - b))}>
              {text.say("live-together")}
            </a>
            <Button onClick={onClear}>
              {text.say("live-together-clear")}
            </Button>
          </>
        )}
      </div>
    </div>
  );
}

interface TableProps {
  runs: RunLine[];
  chosen: number[];
  onChoose: (id: number, isChosen: boolean) => void;
}

function Table({ runs, chosen, onChoose }: TableProps) {
  const text = useText();
  const heads = ["run", "study", "world", "state", "started", "samples"];
  return (
    <table class="live-runs">
      <caption class="visually-hidden">{text.say("live-title-runs")}</caption>
      <thead>
        <tr>
          <td />
          {heads.map((head) => (
            <th key={head} scope="col">
              {text.say(`live-column-${head}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <Row
            key={run.id}
            run={run}
            isChosen={chosen.includes(run.id)}
            isFull={chosen.length >= RUNS_MAX}
            onChoose={onChoose}
          />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  run: RunLine;
  isChosen: boolean;
  /** Whether the maximum number of runs is selected. */
  isFull: boolean;
  onChoose: (id: number, isChosen: boolean) => void;
}

function Row({ run, isChosen, isFull, onChoose }: RowProps) {
  const text = useText();
  const name = shorten(clean(run.study), NAME_CHARACTERS_MAX);
  const id = String(run.id);
  const cells = { plural: plural(run.cells), cells: count(run.cells, text.language) };
  const samples = {
    counted: count(run.samples_counted, text.language),
    all: count(run.samples_all, text.language),
  };
  return (
    <tr data-state={run.state}>
      <td>
        <input
          type="checkbox"
          checked={isChosen}
          disabled={isFull && !isChosen}
          aria-label={text.say("live-choose-run", { id, study: name })}
          onInput={(event) => onChoose(run.id, event.currentTarget.checked)}
        />
      </td>
      <td class="live-number">{id}</td>
      <th scope="row">
        <a href={runsFragment([run.id])}>
          <bdi title={name === run.study ? undefined : run.study.slice(0, 2000)}>{name}</bdi>
        </a>
        {run.question !== null && run.question !== "" && (
          <bdi class="live-question">{shorten(clean(run.question), NAME_CHARACTERS_MAX)}</bdi>
        )}
      </th>
      <td>{worldWords(run.world, text)}</td>
      <td>
        <span class="live-state" data-state={run.state}>
          {text.say(`state-${run.state}`)}
        </span>
      </td>
      <td>{date(run.started_unix_ns, text.language)}</td>
      <td data-head={text.say("live-column-samples")}>
        {text.say("live-samples", samples)}
        <span class="live-small live-cells">{text.say("live-cells", cells)}</span>
      </td>
    </tr>
  );
}
