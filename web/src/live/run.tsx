// One run, or several in one picture: the report, and beside it the progress.
//
// The report is the same component as in a file. While a run is in progress its page is fetched
// again, less often the longer that takes; the report keeps the reader's choices, because it is the
// same component with new data.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { Page, PageRun, WatchLine } from "../generated";
import { useText } from "../context";
import { count, duration } from "../format";
import { Report } from "../report";
import { api, type Trouble, troubleOf, watch } from "./client";
import { Paced } from "./latest";
import { TroubleBox } from "./trouble";

/** Shows these runs, which never change during its life. */
export function Run({ runs }: { runs: number[] }) {
  const text = useText();
  const { page: fetched, progress, trouble, retry } = usePage(runs);
  const page = useMemo(() => fetched && { ...fetched, runs: fetched.runs.map((run) => counted(run, progress[run.id])) }, [fetched, progress]);
  return (
    <>
      <p class="live-run-tools">
        <a href="#/runs">{text.say("live-back")}</a>
        {runs.length === 1 && <a href={`#/ask?overlay=${runs[0]}`}>{text.say("live-ask-like")}</a>}
      </p>
      {runs.map((run) => {
        const line = progress[run];
        const head = page?.runs.find((one) => one.id === run);
        return line !== undefined && <Going key={run} run={run} line={line} head={head} />;
      })}
      {trouble !== null && <TroubleBox trouble={trouble} onRetry={retry} />}
      {page !== null && <Report page={page} />}
      {page === null && trouble === null && <p>{text.say("live-loading")}</p>}
    </>
  );
}

/** Returns a run with the counts of the newer of its page and its progress, so that both say the same. */
export function counted(run: PageRun, line: WatchLine | undefined): PageRun {
  return line === undefined || run.samples_all >= line.samples_all
    ? run
    : { ...run, samples_all: line.samples_all, samples_counted: line.samples_counted };
}

/** How often progress is announced; the end is announced at once. */
const SPOKEN_EVERY_MS = 10_000;

/** The progress of a run: visible at every sample, announced now and then. */
function Going({ run, line, head }: { run: number; line: WatchLine; head: PageRun | undefined }) {
  const text = useText();
  const [said, setSaid] = useState("");
  const isOver = line.state !== "running";
  const words = text.say(isOver ? "live-ended" : "live-watching", {
    id: String(run),
    state: text.say(`state-${line.state}`),
    counted: count((head ?? line).samples_counted, text.language),
    all: count((head ?? line).samples_all, text.language),
  });
  const latest = useRef(words);
  latest.current = words;
  useEffect(() => {
    setSaid(latest.current);
    const timer = isOver ? undefined : setInterval(() => setSaid(latest.current), SPOKEN_EVERY_MS);
    return () => clearInterval(timer);
  }, [isOver]);
  return (
    <>
      <p class="live-progress" aria-hidden="true" data-state={line.state}>
        {words}
        {head !== undefined && !isOver && <Rest head={head} />}
      </p>
      <p class="visually-hidden" role="status">
        {said}
      </p>
    </>
  );
}

/** How much of the fewest samples there is, and how long the rest takes at this pace. */
function Rest({ head }: { head: PageRun }) {
  const text = useText();
  const least = head.samples_least;
  const share = least === 0 ? 0 : Math.min(head.samples_counted / least, 1);
  const elapsed = Date.now() * 1e6 - head.started_unix_ns;
  // The pace is that of all samples: those that warm a cell up take as long, and do not count.
  const pace = elapsed / Math.max(head.samples_all, 1);
  const left = share > 0 && share < 1 ? Math.ceil((pace * (least - head.samples_counted)) / 1e9) * 1e9 : null;
  return (
    <>
      <progress value={share} max={1} />
      {left !== null && text.say("live-left", { time: duration(left, text.language) })}
    </>
  );
}

/** Returns the page of the runs, fetched again while one of them is in progress, and the progress of each. */
function usePage(runs: number[]) {
  const [page, setPage] = useState<Page | null>(null);
  const [progress, setProgress] = useState<Record<number, WatchLine>>({});
  // Separate states: a new page does not repair a run that is no longer watched.
  const [pageTrouble, setPageTrouble] = useState<Trouble | null>(null);
  const [watchTrouble, setWatchTrouble] = useState<Trouble | null>(null);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const control = new AbortController();
    const { signal } = control;
    const watched = new Set<number>();
    const fetchPage = async () => {
      try {
        const fetched = await api.page(runs, signal);
        setPage(fetched);
        setPageTrouble(null);
        fetched.runs.filter((run) => run.state === "running").forEach((run) => void follow(run.id));
        await drawn();
      } catch (error) {
        if (!signal.aborted) {
          setPageTrouble(troubleOf(error));
        }
      }
    };
    const pages = new Paced(fetchPage);
    const follow = async (run: number) => {
      if (watched.has(run)) {
        return;
      }
      watched.add(run);
      const seen = (line: WatchLine) => {
        setProgress((before) => ({ ...before, [run]: line }));
        pages.want();
      };
      try {
        await watch(run, seen, signal);
      } catch (error) {
        if (!signal.aborted) {
          setWatchTrouble(troubleOf(error));
          // The progress is unknown now; the last line would claim that the run is still running.
          setProgress(({ [run]: _, ...others }) => others);
        }
      }
    };
    setProgress({});
    setPageTrouble(null);
    setWatchTrouble(null);
    pages.want();
    return () => {
      control.abort();
      pages.stop();
    };
  }, [attempt]);
  return {
    page,
    progress,
    trouble: watchTrouble ?? pageTrouble,
    retry: () => setAttempt((before) => before + 1),
  };
}

/** Waits until the new state is drawn: a figure draws itself after the frame that made room for it. */
function drawn(): Promise<void> {
  return new Promise((done) => {
    if (document.hidden) {
      // A hidden page has no frames.
      done();
      return;
    }
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
  });
}
