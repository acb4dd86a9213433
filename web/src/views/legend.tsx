// The series of a figure: their symbols, and which are shown.

import { Button } from "../button";
import { lookOf } from "../charts/theme";
import type { LegendItem } from "../charts/figure";
import { useText, useTheme } from "../context";
import { Symbol } from "./symbol";

interface LegendProps {
  items: LegendItem[];
  hidden: ReadonlySet<string>;
  onChange: (hidden: Set<string>) => void;
}

/** From this many series on, buttons for all and none save clicks. */
const MANY = 6;

export function Legend({ items, hidden, onChange }: LegendProps) {
  const text = useText();
  const theme = useTheme();
  const toggle = (name: string) => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    onChange(next);
  };
  return (
    <div class="legend" role="group" aria-label={text.say("series")}>
      {items.map((item) => (
        <Button key={item.name} aria-pressed={!hidden.has(item.name)} onClick={() => toggle(item.name)}>
          <Symbol look={lookOf(theme, item.look)} background={theme.background} />
          <bdi>{item.name}</bdi>
        </Button>
      ))}
      {items.length > MANY && (
        <span class="legend-all">
          <Button onClick={() => onChange(new Set())}>
            {text.say("show-all")}
          </Button>
          <Button onClick={() => onChange(new Set(items.map((item) => item.name)))}>
            {text.say("show-none")}
          </Button>
          <span class="soft">
            {text.say("series-shown", { shown: String(items.filter((item) => !hidden.has(item.name)).length), all: String(items.length) })}
          </span>
        </span>
      )}
    </div>
  );
}
