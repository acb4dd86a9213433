// One run, or several laid over one another: the report, and beside it what goes on.
//
// The report is the same component as in a file. While a run goes on its page is fetched anew, at
// most once a second; the report keeps what was chosen, because it is the same component with new
// data.

import { useEffect, useRef, useState } from "preact/hooks";

import type { WatchLine } from "../api";
import { useText } from "../context";
import { count } from "../format";
import type { Page } from "../page";
import { Report } from "../report";
import { api, type Trouble, troubleOf, watch } from "./client";
import { AtMostEvery } from "./latest";
import { TroubleBox } from "./trouble";

const PAGE_EVERY_MS = 1000;

interface Progress extends WatchLine {
  run: number;
}

export function Run({ runs }: { runs: number[] }) {
  const text = useText();
  const { page, progress, trouble, retry } = usePage(runs);
  return (
    <>
      <p class="live-run-tools">
        <a href="#/runs">{text.say("live-back")}</a>
        {runs.length === 1 && <a href={`#/ask?overlay=${runs[0]}`}>{text.say("live-ask-like")}</a>}
      </p>
      {progress !== null && <Going progress={progress} />}
      {trouble !== null && <TroubleBox trouble={trouble} onRetry={retry} />}
      {page !== null && <Report page={page} />}
      {page === null && trouble === null && <p>{text.say("live-loading")}</p>}
    </>
  );
}

/** How often what goes on is spoken; the end is spoken at once. */
const SPOKEN_EVERY_MS = 10_000;

/** Where a run is: in sight at every sample, spoken now and then. */
function Going({ progress }: { progress: Progress }) {
  const text = useText();
  const [said, setSaid] = useState("");
  const isOver = progress.state !== "running";
  const words = text.say(isOver ? "live-ended" : "live-watching", {
    id: String(progress.run),
    state: text.say(`state-${progress.state}`),
    counted: count(progress.samples_counted, text.language),
    all: count(progress.samples_all, text.language),
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
      <p class="live-progress" aria-hidden="true" data-running={!isOver}>
        {words}
      </p>
      <p class="visually-hidden" role="status">
        {said}
      </p>
    </>
  );
}

/** Returns the page of the runs, fetched anew while one of them goes on. */
function usePage(runs: number[]) {
  const [page, setPage] = useState<Page | null>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const [attempt, setAttempt] = useState(0);
  const key = runs.join(",");
  useEffect(() => {
    const control = new AbortController();
    const { signal } = control;
    const tell = (error: unknown) => {
      if (!signal.aborted) {
        setTrouble(troubleOf(error));
      }
    };
    let isUnderWay = false;
    const fetchPage = async () => {
      if (isUnderWay) {
        every.want();
        return;
      }
      isUnderWay = true;
      try {
        setPage(await api.page(runs, signal));
        setTrouble(null);
      } catch (error) {
        tell(error);
      }
      isUnderWay = false;
    };
    const every = new AtMostEvery(PAGE_EVERY_MS, () => void fetchPage());
    const follow = async () => {
      try {
        const first = await api.page(runs, signal);
        setPage(first);
        setTrouble(null);
        for (const { id } of first.runs.filter((run) => run.state === "running")) {
          const seen = (line: WatchLine) => {
            setProgress({ ...line, run: id });
            every.want();
          };
          void watch(id, seen, signal).catch(tell);
        }
      } catch (error) {
        tell(error);
      }
    };
    setPage(null);
    setProgress(null);
    setTrouble(null);
    void follow();
    return () => {
      control.abort();
      every.stop();
    };
  }, [key, attempt]);
  return { page, progress, trouble, retry: () => setAttempt((before) => before + 1) };
}
