// The live page's shell: the view in the address, and the bar with links to the others.

import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { useText } from "../context";
import { Controls } from "../controls";
import { inSentence } from "../names";
import { type Arguments, plural } from "../text";
import { Advise } from "./advise";
import { Answer, Answers } from "./answers";
import { Ask } from "./ask";
import { takeToken } from "./client";
import { isPlace, type Route, routeOf } from "./route";
import { Run } from "./run";
import { Runs } from "./runs";

/** Shows the live page in `root`. */
export function mount(root: Element): void {
  takeToken();
  render(<App version={versionOf(document.getElementById("live")?.textContent ?? "")} />, root);
}

/** The fragments of questions that nobody has changed. */
const QUESTIONS = { ask: "#/ask", advise: "#/advise" };

function App({ version }: { version: string }) {
  const text = useText();
  const [route, setRoute] = useState<Route>(() => routeOf(location.hash));
  const [questions, setQuestions] = useState(QUESTIONS);
  useEffect(() => {
    let last = location.hash;
    const changed = (event: HashChangeEvent) => {
      // A view rewrites the address as the question changes, without an event.
      const left = new URL(event.oldURL).hash;
      if (!isPlace(left)) {
        last = left;
      }
      const { view } = routeOf(left);
      if (view === "ask" || view === "advise") {
        setQuestions((before) => ({ ...before, [view]: left }));
      }
      // A link within a report has scrolled to its place; the address must still name the view.
      if (isPlace(location.hash)) {
        history.replaceState(null, "", isPlace(last) ? "#/runs" : last);
        return;
      }
      takeToken();
      setRoute(routeOf(location.hash));
    };
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return (
    <>
      <a class="skip" href="#main">
        {text.say("skip")}
      </a>
      <Bar route={route} questions={questions} />
      <main id="main" class="live" tabIndex={-1}>
        <Content route={route} />
      </main>
      <footer class="foot">
        <p>{text.say("live-version", { version })}</p>
      </footer>
    </>
  );
}

/** Returns the version that the server wrote into the page. */
function versionOf(json: string): string {
  try {
    return inSentence(String((JSON.parse(json) as { version?: unknown }).version ?? ""), 40);
  } catch {
    return "";
  }
}

interface BarProps {
  route: Route;
  /** The fragments of the last questions. */
  questions: typeof QUESTIONS;
}

function Bar({ route, questions }: BarProps) {
  const text = useText();
  const link = (view: Route["view"], fragment: string, id: string) => (
    <li>
      <a href={fragment} aria-current={route.view === view ? "page" : undefined}>
        {text.say(id)}
      </a>
    </li>
  );
  return (
    <header class="bar">
      <span class="brand">Stripewise</span>
      <nav class="live-nav" aria-label={text.say("live-nav")}>
        <ul>
          {link("runs", "#/runs", "live-nav-runs")}
          {link("ask", (route.view === "ask" ? QUESTIONS : questions).ask, "live-nav-ask")}
          {link("advise", (route.view === "advise" ? QUESTIONS : questions).advise, "live-nav-advise")}
          {link("answers", "#/answers", "live-nav-answers")}
        </ul>
      </nav>
      <Controls />
    </header>
  );
}

function Content({ route }: { route: Route }) {
  switch (route.view) {
    case "runs":
      return (
        <Titled id="live-title-runs">
          <Runs search={route.search} />
        </Titled>
      );
    case "ask":
      return (
        <Titled id="live-title-ask">
          <Ask parameters={route.parameters} />
        </Titled>
      );
    case "advise":
      return (
        <Titled id="live-title-advise">
          <Advise parameters={route.parameters} />
        </Titled>
      );
    case "answers":
      return (
        <Titled id="live-title-answers">
          {route.number === null ? <Answers /> : <Answer number={route.number} />}
        </Titled>
      );
    case "run": {
      const ids = route.runs.join(", ");
      return (
        <Titled key={ids} id="live-title-run" args={{ plural: plural(route.runs.length), ids }}>
          <Run runs={route.runs} />
        </Titled>
      );
    }
  }
}

interface TitledProps {
  id: string;
  args?: Arguments;
  children: preact.ComponentChildren;
}

/** A view under its heading, which takes the focus when the reader opens the view. */
function Titled({ id, args, children }: TitledProps) {
  const text = useText();
  const heading = useRef<HTMLHeadingElement>(null);
  const title = text.say(id, args);
  useEffect(() => {
    document.title = `${title} · Stripewise`;
  }, [title]);
  // Not when the language changes: the reader keeps the focus on the switch.
  useEffect(() => heading.current?.focus({ preventScroll: true }), [id]);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </>
  );
}
