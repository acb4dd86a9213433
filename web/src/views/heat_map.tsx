// A metric by two axes.

import { useMemo, useState } from "preact/hooks";
import { heatMap } from "../charts/heat_map";
import { useText } from "../context";
import type { MetricKey } from "../generated";
import { axisWords, metricHead } from "../things";
import { FigureBox } from "./figure_box";
import { metricsOf, type Kind, type ViewNamed } from "./kinds";
import { MetricSwitch } from "./metric_switch";

export const heatMapKind: Kind<ViewNamed<"heat_map">> = {
  title: (page, view, text) =>
    text.say("view-heat-map", {
      metric: metricHead(metricsOf(page, view.metrics)[0] ?? page.metric, text),
      rows: axisWords(view.rows, text),
      columns: axisWords(view.columns, text),
    }),
  figures: (page, view, text) => metricsOf(page, view.metrics).map((metric) => heatMap(page, view, text, metric)),
  Component({ page, view }) {
    const text = useText();
    const metrics = metricsOf(page, view.metrics);
    const [wanted, setMetric] = useState<MetricKey>(page.metric);
    const metric = metrics.includes(wanted) ? wanted : (metrics[0] ?? page.metric);
    const figure = useMemo(() => heatMap(page, view, text, metric), [page, view, text, metric]);
    return (
      <FigureBox figure={figure}>
        {metrics.length > 1 && <MetricSwitch metrics={metrics} metric={metric} onChange={setMetric} />}
      </FigureBox>
    );
  },
};
