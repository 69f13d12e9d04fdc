// SPDX-License-Identifier: Apache-2.0
// How value and bound met: the best split so far above, what is proved below, and the gap between them.
import { splitsAsked } from "../claims";
import type { ConvergencePoint, Page } from "../data";
import { html, svg } from "../dom";
import { gap, inUnit, seconds, significant, time } from "../format";
import { at, chart, drawAxes, path, steps, type Frame } from "../chart/frame";
import { decades, linear, logarithmic, ticks } from "../chart/scale";
import { hideTip, showTip, tipLines } from "../tip";
import { legend } from "./facts";
import { section } from "./section";
import { table } from "../table";

const logarithmicFrom = 30; // last time / first time
const optimalGap = 1e-6; // what counts as optimal is shown as 0: the rest is rounding

function gapText(point: ConvergencePoint): string {
  if (point.value === null) return "-";
  const share = point.value > 0 ? (point.value - point.bound) / point.value : 0;
  return gap(share <= optimalGap ? 0 : share);
}

// Only the points at which something changed.
function changes(points: readonly ConvergencePoint[]): ConvergencePoint[] {
  return points.filter((point, i) => {
    const before = points[i - 1];
    return !before || before.value !== point.value || before.bound !== point.bound || i === points.length - 1;
  });
}

// Whole numbers rather than small fractions.
function tickText(last: number): (value: number) => string {
  return last < 0.1 ? (value) => `${significant(value * 1000, 3)} ms` : (value) => `${significant(value, 3)} s`;
}

function draw(picture: SVGSVGElement, frame: Frame, points: readonly ConvergencePoint[]): void {
  const least = 1e-4; // seconds
  const times = points.map((point) => Math.max(point.seconds, least));
  const first = Math.min(...times);
  const last = Math.max(...times, first * 1.01);
  const begin = first > last / 3 ? first : 0;
  const useLog = last / first > logarithmicFrom;
  const x = useLog ? logarithmic(first, last, frame.left, frame.right) : linear(begin, last, frame.left, frame.right);
  const xTicks = useLog
    ? decades(first, last)
    : ticks(begin, last, Math.max(3, Math.floor((frame.right - frame.left) / 110)));

  const values = points.flatMap((point) => (point.value === null ? [] : [point.value]));
  const bounds = points.map((point) => point.bound).filter((bound) => bound > 0);
  const high = Math.max(...values, ...bounds);
  const low = Math.min(...values, ...bounds);
  const margin = (high - low || high || 1) * 0.08;
  const bottom = Math.max(0, low - margin);
  const y = linear(bottom, high + margin, frame.bottom, frame.top);
  const yTicks = ticks(bottom, high + margin, 5);
  drawAxes(
    picture,
    frame,
    at(xTicks, x, tickText(last)),
    at(yTicks, y, (value) => significant(value, 6)),
    useLog ? "time of the search (logarithmic)" : "time of the search",
  );

  const place = (index: number, value: number): [number, number] => [x(times[index] ?? 0), y(Math.max(value, bottom))];
  const valueLine = points.flatMap((point, i) => (point.value === null ? [] : [place(i, point.value)]));
  const boundLine = points.map((point, i) => place(i, point.bound));
  const upper = steps(valueLine, frame.right);
  const lower = steps(boundLine, frame.right);
  const start = upper[0]?.[0] ?? frame.right;
  const below = lower.filter(([px]) => px >= start);
  picture.append(
    svg("path", { class: "gap-area", d: `${path([...upper, ...below.reverse()])}Z` }),
    svg("path", { class: "bound-line", d: path(lower) }),
    svg("path", { class: "value-line", d: path(upper) }),
  );

  const cursor = svg("line", { class: "cursor", y1: frame.top, y2: frame.bottom, visibility: "hidden" });
  const field = svg("rect", {
    x: frame.left,
    y: frame.top,
    width: frame.right - frame.left,
    height: frame.bottom - frame.top,
    fill: "transparent",
  });
  field.addEventListener("pointermove", (event) => {
    const place = event.clientX - picture.getBoundingClientRect().left;
    const index = times.reduce((found, each, i) => (x(each) <= place ? i : found), 0);
    const point = points[index];
    if (!point) return;
    cursor.setAttribute("x1", String(x(times[index] ?? 0)));
    cursor.setAttribute("x2", String(x(times[index] ?? 0)));
    cursor.setAttribute("visibility", "visible");
    showTip(
      tipLines(`after ${seconds(point.seconds)}`, [
        ["value", time(point.value), "line value"],
        ["bound", time(point.bound), "line bound"],
        ["gap", gapText(point)],
      ]),
      event.clientX,
      event.clientY,
    );
  });
  field.addEventListener("pointerleave", () => {
    cursor.setAttribute("visibility", "hidden");
    hideTip();
  });
  picture.append(cursor, field);
}

export function convergenceSection(page: Page): HTMLElement | null {
  const points = changes(page.convergence ?? []);
  const last = points[points.length - 1];
  if (!last || points.length < 2 || points.every((point) => point.value === null && point.bound <= 0)) return null;
  const met = page.plan?.unverified ? "they meet, by a foreign solver's word" : "where they meet, it is proved";
  const end = gapText(last) === "0 %" ? met : `a gap of ${gapText(last)} is left`;
  const asked = splitsAsked(page.question);
  const all = asked === "splits" ? "any split" : `any of the ${asked}`;
  const lead = `The best split found so far and the lower bound on ${all}${inUnit()}; ${end}.`;
  const part = section("convergence", "Convergence", lead);
  const columns = [
    { title: "seconds", cell: (point: ConvergencePoint) => point.seconds.toFixed(2) },
    { title: "value", cell: (point: ConvergencePoint) => (point.value === null ? "-" : time(point.value)) },
    { title: "bound", cell: (point: ConvergencePoint) => time(point.bound) },
    { title: "gap", cell: gapText },
  ];
  const shown = points.length > 200 ? [...points.slice(0, 100), ...points.slice(-100)] : points;
  const cut = points.length > shown.length ? `, the first and the last hundred of ${points.length}` : "";
  part.append(
    legend([
      ["line value", `value ${time(last.value)}`],
      ["line bound", `lower bound ${time(last.bound)}`],
      ["gap-key", "gap"],
    ]),
    chart("Value and lower bound over the time of the search", 280, (picture, frame) => draw(picture, frame, points)),
    html(
      "details",
      {},
      html("summary", {}, `Steps as a table${cut}`),
      table(shown, columns, { label: "Steps of the search" }),
    ),
  );
  return part;
}
