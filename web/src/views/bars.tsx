// A bar for each cell.

import { useMemo, useState } from "preact/hooks";
import { bars } from "../charts/bars";
import { useText } from "../context";
import type { MetricKey } from "../generated";
import { metricHead } from "../things";
import { FigureBox } from "./figure_box";
import { metricsOf, type Kind, type ViewNamed } from "./kinds";
import { MetricSwitch } from "./metric_switch";

export const barsKind: Kind<ViewNamed<"bars">> = {
  title: (page, view, text) => text.say("view-bars", { metric: metricHead(metricsOf(page, view.metrics)[0] ?? page.metric, text) }),
  figures: (page, view, text) => metricsOf(page, view.metrics).map((metric) => bars(page, view, text, metric)),
  Component({ page, view }) {
    const text = useText();
    const metrics = metricsOf(page, view.metrics);
    const [wanted, setMetric] = useState<MetricKey>(page.metric);
    const metric = metrics.includes(wanted) ? wanted : (metrics[0] ?? page.metric);
    const figure = useMemo(() => bars(page, view, text, metric), [page, view, text, metric]);
    return (
      <FigureBox figure={figure}>
        {metrics.length > 1 && <MetricSwitch metrics={metrics} metric={metric} onChange={setMetric} />}
      </FigureBox>
    );
  },
};
