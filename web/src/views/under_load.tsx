// Latency under load.

import { useMemo, useState } from "preact/hooks";
import { underLoad } from "../charts/under_load";
import { useText } from "../context";
import { isTime } from "../format";
import type { MetricKey, Page } from "../generated";
import { FigureBox } from "./figure_box";
import { metricsOf, type Kind, type ViewNamed } from "./kinds";
import { MetricSwitch } from "./metric_switch";

/** Returns the latencies that any cell has; that of an `fsync` is not of the I/Os that are counted. */
function latencies(page: Page): MetricKey[] {
  return metricsOf(page, page.metrics).filter((metric) => isTime(metric) && !metric.startsWith("sync"));
}

export const underLoadKind: Kind<ViewNamed<"under_load">> = {
  title: (_page, _view, text) => text.say("view-under-load"),
  figures: (page, view, text) => latencies(page).flatMap((metric) => underLoad(page, view.id, metric, text) ?? []),
  Component({ page, view }) {
    const text = useText();
    const metrics = latencies(page);
    const [wanted, setMetric] = useState<MetricKey>("latency_ns_p99");
    const metric = metrics.includes(wanted) ? wanted : (metrics[0] ?? wanted);
    const figure = useMemo(() => underLoad(page, view.id, metric, text), [page, view, metric, text]);
    if (!figure) return <h2>{text.say("view-under-load")}</h2>;
    return (
      <FigureBox figure={figure}>
        <MetricSwitch metrics={metrics} metric={metric} onChange={setMetric} />
      </FigureBox>
    );
  },
};
