// The answer over request sizes: throughput and latency, with the question marked and measured
// points laid over. The mark follows the slider at once; the curve follows once the controls rest.

import { useMemo } from "preact/hooks";

import { Note } from "../button";
import type { AskAnswer, MetricKey, Page, Question } from "../generated";
import { curve, type CurveView } from "../charts/curve";
import type { Figure, Option } from "../charts/figure";
import { inStates } from "../charts/states";
import { useText } from "../context";
import { bytes, isTime } from "../format";
import { inSentence } from "../names";
import type { Text } from "../text";
import { FigureBox } from "../views/figure_box";
import { metricsOf } from "../views/kinds";
import type { Asking } from "./asking";
import { stateWords } from "./form";
import { overlaid } from "./overlay";
import { parametersOf } from "./question";
import { TroubleBox } from "./trouble";

/** The metrics drawn; a run of the exported study shows the others. */
const METRICS: MetricKey[] = ["bandwidth_bytes_per_s", "latency_ns_p99"];

const STACK_CHARACTERS_MAX = 24;

interface CurveProps {
  curve: Asking<AskAnswer>;
  question: Question;
  /** Whether the answer already reports the problem. */
  isToldElsewhere: boolean;
}

export function Curve({ curve, question, isToldElsewhere }: CurveProps) {
  const text = useText();
  const { shown, isBusy, trouble } = curve;
  const picture = useMemo(() => (shown === null ? null : pictureOf(shown.answer.page, text)), [shown, text]);
  const troubleBox = trouble !== null && !isToldElsewhere && <TroubleBox trouble={trouble} onRetry={() => curve.ask(question)} />;
  if (shown === null) {
    const waiting = <Note>{text.say("live-curve-waiting")}</Note>;
    return <div class="live-waiting live-across">{troubleBox || waiting}</div>;
  }
  const hasNoPoints = shown.question.overlay !== null && shown.answer.page.runs.length < 2;
  return (
    <>
      {(troubleBox || hasNoPoints) && (
        <div class="live-across">
          {troubleBox}
          {hasNoPoints && <Note>{text.say("live-no-overlay-points")}</Note>}
        </div>
      )}
      {picture !== null &&
        metricsOf(picture.page, METRICS).map((metric) => (
          <section
            key={metric}
            class="view live-curve"
            aria-busy={isBusy}
            data-preview={shown.answer.is_preview}
            data-stale={trouble !== null || !isSameCurve(shown.question, question)}
          >
            {shown.answer.is_preview && <p class="live-badge live-small">{text.say("live-preview")}</p>}
            {!inStates(picture.page, picture.view, metric, text).isInBoth && (
              <Note>{text.say("live-answer-state", { state: stateWords(shown.question.state, text) })}</Note>
            )}
            <Marked page={picture.page} view={picture.view} metric={metric} sizeBytes={question.workload === null ? question.block_size_bytes : null} />
          </section>
        ))}
    </>
  );
}

/** Returns the answer's curve with the points of the run laid over; null if it has only one size. */
function pictureOf(page: Page, text: Text): { page: Page; view: CurveView } | null {
  const view = page.views.find((one): one is CurveView => one.kind === "curve");
  if (view === undefined) {
    return null;
  }
  return overlaid(page, view, (cell) => {
    const run = page.runs[cell.run];
    return cell.run === 0 || run === undefined
      ? text.say("live-curve-asked")
      : text.say("live-curve-run", { id: String(run.id), stack: inSentence(cell.stack, STACK_CHARACTERS_MAX) });
  });
}

/** Returns whether both questions have one curve: all but the request size is equal. */
function isSameCurve(one: Question, other: Question): boolean {
  const rest = (question: Question) => parametersOf({ ...question, block_size_bytes: 0 }).toString();
  return rest(one) === rest(other);
}

interface MarkedProps {
  page: Page;
  view: CurveView;
  metric: MetricKey;
  /** The size that is asked about; null of a shipped workload, whose own sizes the form does not have. */
  sizeBytes: number | null;
}

function Marked({ page, view, metric, sizeBytes }: MarkedProps) {
  const text = useText();
  const figure = useMemo(() => {
    const plain = curve(page, view, text, { metric, hasCommonScale: true, isLogarithmic: isTime(metric) });
    return sizeBytes === null ? plain : marked(plain, page, view, sizeBytes, bytes(sizeBytes, text.language));
  }, [page, view, text, metric, sizeBytes]);
  return <FigureBox figure={figure} />;
}

/** Returns a figure with a line at a size, if its axis has that size. */
function marked(figure: Figure, page: Page, view: CurveView, sizeBytes: number, words: string): Figure {
  const sizes = page.axes.find((axis) => axis.key === view.x)?.numbers ?? [];
  if (sizes.length === 0 || sizeBytes < Math.min(...sizes) || sizeBytes > Math.max(...sizes)) {
    return figure;
  }
  return {
    ...figure,
    option: (drawing) => {
      const option = figure.option(drawing);
      const { ink, background } = drawing.theme;
      const mark: Option = {
        type: "line",
        name: words,
        data: [],
        markLine: {
          silent: true,
          symbol: "none",
          lineStyle: { color: ink, type: "dashed", width: 1.5 },
          label: { formatter: words, color: ink, fontWeight: "bold", backgroundColor: background, padding: [1, 4] },
          // The axis of sizes shows their logarithms; see charts/curve.ts.
          data: [{ xAxis: Math.log2(sizeBytes) }],
        },
      };
      return { ...option, series: [...(option.series as Option[]), mark] };
    },
  };
}
