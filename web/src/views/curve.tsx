// A metric against a numeric axis.

import { useMemo, useState } from "preact/hooks";
import { curve } from "../charts/curve";
import { useText } from "../context";
import { isTime } from "../format";
import type { MetricKey } from "../generated";
import { axisWords, metricHead } from "../things";
import { FigureBox } from "./figure_box";
import { metricsOf, type Kind, type ViewNamed } from "./kinds";
import { MetricSwitch, Toggle } from "./metric_switch";

export const curveKind: Kind<ViewNamed<"curve">> = {
  title: (page, view, text) =>
    text.say("view-curve", {
      metric: metricHead(metricsOf(page, view.metrics)[0] ?? page.metric, text),
      axis: axisWords(view.x, text),
    }),
  figures: (page, view, text) =>
    metricsOf(page, view.metrics).map((metric) =>
      curve(page, view, text, { metric, hasCommonScale: true, isLogarithmic: isTime(metric) }),
    ),
  Component({ page, view }) {
    const text = useText();
    const metrics = metricsOf(page, view.metrics);
    const [wanted, setMetric] = useState<MetricKey>(page.metric);
    const metric = metrics.includes(wanted) ? wanted : (metrics[0] ?? page.metric);
    const [hasCommonScale, setCommonScale] = useState(true);
    // Latencies span decades, throughput seldom does.
    const [logarithmic, setLogarithmic] = useState<boolean | null>(null);
    const isLogarithmic = logarithmic ?? isTime(metric);
    const figure = useMemo(
      () => curve(page, view, text, { metric, hasCommonScale, isLogarithmic }),
      [page, view, text, metric, hasCommonScale, isLogarithmic],
    );
    return (
      <FigureBox figure={figure}>
        <MetricSwitch metrics={metrics} metric={metric} onChange={setMetric} />
        {view.panel !== null && <Toggle words={text.say("scale-common")} isOn={hasCommonScale} onChange={setCommonScale} />}
        <Toggle words={text.say("scale-log")} isOn={isLogarithmic} onChange={setLogarithmic} />
      </FigureBox>
    );
  },
};
