// The samples of a cell over time.

import { useMemo, useState } from "preact/hooks";
import { SAMPLE_METRICS, timeSeries, type SampleMetric } from "../charts/time_series";
import { useText } from "../context";
import type { Cell, Page } from "../generated";
import { OneCell } from "./cell_picker";
import { FigureBox } from "./figure_box";
import type { Kind, ViewNamed } from "./kinds";
import { MetricSwitch } from "./metric_switch";
import { exportedCell, useOneCell } from "./one_cell";

const has = (cell: Cell) => cell.samples.length > 1;

/** Returns the metrics that a cell's samples have. */
function metricsOf(cell: Cell | undefined): SampleMetric[] {
  return SAMPLE_METRICS.filter((metric) => cell?.samples.some((sample) => sample[metric] !== null));
}

function metricAtFirst(page: Page, metrics: SampleMetric[]): SampleMetric {
  return metrics.find((metric) => metric === page.metric) ?? metrics[0] ?? "bandwidth_bytes_per_s";
}

export const timeSeriesKind: Kind<ViewNamed<"time_series">> = {
  title: (_page, _view, text) => text.say("view-time-series"),
  figures(page, view, text, asked) {
    const cell = exportedCell(page, asked, has);
    const figure = cell === undefined ? null : timeSeries(page, view.id, cell, metricAtFirst(page, metricsOf(page.cells[cell])), text);
    return figure ? [figure] : [];
  },
  Component({ page, view }) {
    const text = useText();
    const { cells, chosen, choose } = useOneCell(page, has);
    const metrics = metricsOf(page.cells[chosen ?? -1]);
    const [wanted, setMetric] = useState<string | null>(null);
    const metric = metrics.find((one) => one === wanted) ?? metricAtFirst(page, metrics);
    const figure = useMemo(() => timeSeries(page, view.id, chosen ?? -1, metric, text), [page, view, chosen, metric, text]);
    if (!figure || chosen === undefined) return <h2>{text.say("view-time-series")}</h2>;
    return (
      <FigureBox figure={figure}>
        <OneCell page={page} cells={cells} chosen={chosen} onChoose={choose} />
        <MetricSwitch metrics={metrics} metric={metric} onChange={setMetric} />
      </FigureBox>
    );
  },
};
