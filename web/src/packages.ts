// What our code takes from packages: a script of its own (`build.mjs`), which changes only with this list
// and with the packages' versions.

export { FluentBundle, FluentResource } from "@fluent/bundle";
export { BarChart, CustomChart, HeatmapChart, LineChart, ScatterChart } from "echarts/charts";
export { GridComponent, LegendComponent, MarkAreaComponent, MarkLineComponent, TitleComponent, TooltipComponent } from "echarts/components";
export { init, setPlatformAPI, use } from "echarts/core";
export { SVGRenderer } from "echarts/renderers";
export { Component, createContext, Fragment, h, render } from "preact";
export { useContext, useEffect, useId, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
