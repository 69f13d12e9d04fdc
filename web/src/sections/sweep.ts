// SPDX-License-Identifier: Apache-2.0
// The best value as one property of the platform changes, and where it stops paying.
import type { Page, SweepData } from "../data";
import { html, svg } from "../dom";
import { gap, seconds, significant, time, timeFormat } from "../format";
import { at, chart, drawAxes, path, type Frame } from "../chart/frame";
import { linear, logarithmic, ticks, type Scale } from "../chart/scale";
import { tipFor, tipLines } from "../tip";
import { legend } from "./facts";
import { unitOf } from "./question";
import { section } from "./section";
import { table, type Column } from "../table";

type SweepPoint = SweepData["points"][number];

const titles: Record<SweepData["parameter"], string> = {
  accelerators: "number of accelerators",
  hosts: "number of hosts",
  memory: "memory of each accelerator",
  bandwidth: "bandwidth of the links, relative",
};

const statuses: Record<SweepPoint["status"], string> = {
  optimal: "proved optimal",
  feasible: "best found",
  infeasible: "no split can exist",
  unknown: "none found in time",
};

function pointGap(point: SweepPoint): string {
  return point.value === null ? "-" : gap(point.status === "optimal" ? 0 : point.gap);
}

// Memory and bandwidth are swept by factors, numbers of devices one by one.
function horizontal(sweep: SweepData, frame: Frame): Scale {
  const numbers = sweep.points.map((point) => point.parameter);
  const low = Math.min(...numbers);
  const high = Math.max(...numbers);
  const inset = Math.min(40, (frame.right - frame.left) / 12);
  const byFactors = (sweep.parameter === "memory" || sweep.parameter === "bandwidth") && low > 0 && high / low > 4;
  return (byFactors ? logarithmic : linear)(low, high, frame.left + inset, frame.right - inset);
}

// As many labels as fit without touching.
function labelled(points: readonly SweepPoint[], x: Scale): SweepPoint[] {
  let end = -Infinity;
  return points.filter((point) => {
    const half = 4 * point.label.length + 4;
    if (x(point.parameter) - half < end) return false;
    end = x(point.parameter) + half;
    return true;
  });
}

function draw(picture: SVGSVGElement, frame: Frame, sweep: SweepData): void {
  const x = horizontal(sweep, frame);
  const found = sweep.points.filter((point): point is SweepPoint & { value: number } => point.value !== null);
  const high = Math.max(...found.map((point) => point.value), ...sweep.points.map((point) => point.bound), 1e-12);
  const y = linear(0, high * 1.08, frame.bottom, frame.top);
  const xTicks = labelled(sweep.points, x).map((point) => ({ at: x(point.parameter), text: point.label }));
  drawAxes(picture, frame, xTicks, at(ticks(0, high * 1.08, 5), y, (value) => significant(value, 6)), titles[sweep.parameter]);

  const upper = found.map((point) => [x(point.parameter), y(point.value)] as const);
  const lower = found.map((point) => [x(point.parameter), y(point.bound)] as const);
  picture.append(
    svg("path", { class: "gap-area", d: `${path([...upper, ...[...lower].reverse()])}Z` }),
    svg("path", { class: "bound-line", d: path(lower) }),
    svg("path", { class: "value-line", d: path(upper) }));

  const enough = sweep.enough === null ? undefined : sweep.points[sweep.enough];
  if (enough) {
    const place = x(enough.parameter);
    const fits = place + 110 < frame.right;
    picture.append(
      svg("line", { class: "enough", x1: place, x2: place, y1: frame.top, y2: frame.bottom }),
      svg("text", { class: "enough", x: place + (fits ? 8 : -8), y: frame.top + 10, "text-anchor": fits ? "start" : "end" }, `enough: ${enough.label}`));
  }
  for (const point of sweep.points) {
    const [px, py] = [x(point.parameter), point.value === null ? frame.bottom - 10 : y(point.value)];
    const shape = point.value === null
      ? svg("path", { class: "no-split", d: `M${px - 4} ${py - 4}l8 8m0 -8l-8 8` })
      : svg("circle", { class: point.status === "optimal" ? "dot proved" : "dot", cx: px, cy: py, r: 4 });
    const target = svg("g", { tabindex: 0, role: "img", "aria-label": `${point.label}: ${time(point.value)}` },
      svg("circle", { cx: px, cy: py, r: 14, fill: "transparent" }), shape);
    tipFor(target, () => tipLines(`${point.label} ${sweep.parameter === "memory" ? "" : sweep.parameter}`, [
      ["value", time(point.value), "line value"], ["bound", time(point.bound), "line bound"], ["gap", pointGap(point)],
      ["devices used", String(point.devicesUsed)], ["status", statuses[point.status]],
    ]));
    picture.append(target);
  }
}

export function sweepSection(page: Page): HTMLElement | null {
  const sweep = page.sweep;
  if (!sweep || sweep.points.length === 0) return null;
  const format = timeFormat(Math.max(0, ...sweep.points.map((point) => point.value ?? 0)));
  const first = sweep.points.find((point) => point.value !== null)?.value ?? null;
  const columns: Column<SweepPoint>[] = [
    { title: sweep.parameter, cell: (point) => point.label, order: (point) => point.parameter },
    { title: `value ${unitOf(page.question)}`, cell: (point) => (point.value === null ? "-" : format(point.value)), order: (point) => point.value },
    { title: "bound", cell: (point) => (point.bound > 0 ? format(point.bound) : "-"), order: (point) => point.bound },
    { title: "gap", cell: pointGap, order: (point) => (point.value === null ? null : point.gap) },
    { title: "speed-up", cell: (point) => (point.value && first ? `${significant(first / point.value, 3)} x` : "-") },
    { title: "devices used", cell: (point) => (point.value === null ? "-" : String(point.devicesUsed)), order: (point) => point.devicesUsed },
    { title: "search", cell: (point) => seconds(point.seconds), order: (point) => point.seconds },
    { title: "", words: true, wide: true, cell: (point) => (point.value === null ? `${statuses[point.status]}: ${point.reason}` : statuses[point.status]) },
  ];
  const part = section("sweep", `Value by ${titles[sweep.parameter]}`, `The best value ${unitOf(page.question)} at each point, and the lower bound.`);
  part.append(
    legend([["line value", "value"], ["line bound", "lower bound"], ["gap-key", "gap"]]),
    chart(`Value and bound by ${titles[sweep.parameter]}: ${sweep.verdict}`, 320, (picture, frame) => draw(picture, frame, sweep)),
    table(sweep.points, columns, {
      label: "Points of the sweep",
      rowClass: (point) => (sweep.enough !== null && sweep.points[sweep.enough] === point ? "marked" : point.value === null ? "faint" : ""),
    }),
    html("p", { class: "note" }, "Filled points are proved optimal."));
  return part;
}
