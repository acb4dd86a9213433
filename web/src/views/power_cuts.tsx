// What power cuts destroyed, against throughput.

import { useMemo } from "preact/hooks";
import { powerCuts, titleWords } from "../charts/power_cuts";
import { useText } from "../context";
import { FigureBox } from "./figure_box";
import type { Kind, ViewNamed } from "./kinds";

export const powerCutsKind: Kind<ViewNamed<"power_cuts">> = {
  title: (_page, _view, text) => titleWords(text),
  figures: (page, view, text) => [powerCuts(page, view, text)],
  Component({ page, view }) {
    const text = useText();
    const figure = useMemo(() => powerCuts(page, view, text), [page, view, text]);
    return <FigureBox figure={figure} />;
  },
};
