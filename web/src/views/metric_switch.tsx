// The switch between the metrics of a figure.

import { useId } from "preact/hooks";
import { useText } from "../context";
import type { MetricKey } from "../generated";
import { metricHead } from "../things";

interface MetricSwitchProps {
  metrics: MetricKey[];
  metric: MetricKey;
  onChange: (metric: MetricKey) => void;
}

export function MetricSwitch({ metrics, metric, onChange }: MetricSwitchProps) {
  const text = useText();
  const id = useId();
  if (metrics.length < 2) return null;
  return (
    <span class="switch">
      <label for={id}>{text.say("metric")}</label>
      <select id={id} value={metric} onChange={(event) => onChange(event.currentTarget.value as MetricKey)}>
        {metrics.map((one) => (
          <option key={one} value={one}>
            {metricHead(one, text)}
          </option>
        ))}
      </select>
    </span>
  );
}

/** A switch that is on or off. */
export function Toggle({ words, isOn, onChange }: { words: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <label class="switch">
      <input type="checkbox" checked={isOn} onChange={(event) => onChange(event.currentTarget.checked)} />
      {words}
    </label>
  );
}
