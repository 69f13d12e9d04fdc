// SPDX-License-Identifier: Apache-2.0
// The looks of the phases, as small pictures with words. Only those that occur.
import { html, svg } from "../dom";
import type { TimelineModel } from "./model";

function picture(...marks: SVGElement[]): SVGElement {
  return svg("svg", { width: 20, height: 12, viewBox: "0 0 20 12", "aria-hidden": "true" }, ...marks);
}
const ground = (opacity: number): SVGElement =>
  svg("rect", { width: 20, height: 12, rx: 2, fill: "currentColor", opacity });
const stripes = (path: string): SVGElement => svg("path", { d: path, stroke: "currentColor", "stroke-width": 1.4, fill: "none" });
const up = "M0 12 12 0M8 12 20 0";
const down = "M0 0 12 12M8 0 20 12";

export function createPhaseLegend(models: readonly TimelineModel[]): HTMLElement {
  const has = (phase: string): boolean => models.some(({ data }) => data.phase.includes(phase));
  const entry = (image: SVGElement, text: string): HTMLElement => html("span", { class: "timeline-look" }, image, text);
  return html(
    "div",
    { class: "timeline-looks" },
    entry(picture(ground(1)), "computes"),
    models.some(({ data }) => data.pieces.some((piece) => piece.backward)) && entry(picture(ground(0.5)), "backward"),
    has("i") && entry(picture(ground(0.2), stripes(up)), "reads"),
    has("o") && entry(picture(ground(0.2), stripes(down)), "writes"),
    has("s") && entry(picture(ground(0.2), stripes(up + down)), "synchronises"),
  );
}
