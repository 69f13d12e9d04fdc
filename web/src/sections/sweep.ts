// SPDX-License-Identifier: Apache-2.0
// The best value as one property of the platform changes, and where it stops paying.
import { boundText, optimalText, statusText } from "../claims";
import type { Page, Question, SweepData } from "../data";
import { html, svg } from "../dom";
import { fixed, gap, inUnit, seconds, significant, time, timeFormat, titleWithUnit } from "../format";
import { at, chart, drawAxes, path, type Frame } from "../chart/frame";
import { linear, logarithmic, ticks, type Scale } from "../chart/scale";
import { tipFor, tipLines } from "../tip";
import { legend } from "./facts";
import { unitOf } from "./question";
import { leftOutText, type Rows } from "../rows";
import { section } from "./section";
import { efficiency, enoughPoint, hasSplit, speedUp, stepGain, unitText, type SweepPoint } from "../sweep/points";
import { table, type Column } from "../table";

const titles: Record<SweepData["parameter"], string> = {
  accelerators: "number of accelerators",
  hosts: "number of hosts",
  memory: "memory of each accelerator",
  bandwidth: "bandwidth of the links, relative",
};

function isProved(point: SweepPoint): boolean {
  return point.status === "optimal" && !point.unverified;
}

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

function draw(picture: SVGSVGElement, frame: Frame, sweep: SweepData, question: Question, rows: Rows): void {
  const x = horizontal(sweep, frame);
  const found = sweep.points.filter(hasSplit);
  const high = Math.max(...found.map((point) => point.value), ...sweep.points.map((point) => point.bound), 1e-12);
  const y = linear(0, high * 1.08, frame.bottom, frame.top);
  const xTicks = labelled(sweep.points, x).map((point) => ({ at: x(point.parameter), text: point.label }));
  drawAxes(
    picture,
    frame,
    xTicks,
    at(ticks(0, high * 1.08, 5), y, (value) => significant(value, 6)),
    titles[sweep.parameter],
  );

  const upper = found.map((point) => [x(point.parameter), y(point.value)] as const);
  const lower = found.map((point) => [x(point.parameter), y(point.bound)] as const);
  picture.append(
    svg("path", { class: "gap-area", d: `${path([...upper, ...[...lower].reverse()])}Z` }),
    svg("path", { class: "bound-line", d: path(lower) }),
    svg("path", { class: "value-line", d: path(upper) }),
  );

  const enough = enoughPoint(sweep);
  if (enough) {
    const place = x(enough.parameter);
    const fits = place + 110 < frame.right;
    picture.append(
      svg("line", { class: "enough", x1: place, x2: place, y1: frame.top, y2: frame.bottom }),
      svg(
        "text",
        { class: "enough", x: place + (fits ? 8 : -8), y: frame.top + 10, "text-anchor": fits ? "start" : "end" },
        `enough: ${enough.label}`,
      ),
    );
  }
  for (const point of sweep.points) {
    const [px, py] = [x(point.parameter), point.value === null ? frame.bottom - 10 : y(point.value)];
    const shape =
      point.value === null
        ? svg("path", { class: "no-split", d: `M${px - 4} ${py - 4}l8 8m0 -8l-8 8` })
        : svg("circle", { class: isProved(point) ? "dot proved" : "dot", cx: px, cy: py, r: 4 });
    const target = svg(
      "g",
      { tabindex: 0, role: "img", "aria-label": `${point.label}: ${time(point.value)}` },
      svg("circle", { cx: px, cy: py, r: 14, fill: "transparent" }),
      shape,
    );
    tipFor(target, () =>
      tipLines(`${point.label} ${unitText(sweep, point)}`, [
        ["value", time(point.value), "line value"],
        ["bound", time(point.bound), "line bound"],
        ["gap", pointGap(point)],
        ["devices used", String(point.devicesUsed)],
        ["status", statusText(question, point.status, point.unverified)],
      ]),
    );
    const row = sweep.points.indexOf(point);
    if (rows.has(row)) {
      target.classList.add("choice");
      target.addEventListener("click", () => rows.show(row));
    }
    picture.append(target);
  }
}

// The columns of the command line (partita/report/sweep_text.cpp), without those of the verdict.
function columnsOf(sweep: SweepData, rows: Rows): Column<SweepPoint>[] {
  const found = sweep.points.filter(hasSplit).map((point) => point.value);
  const format = timeFormat(
    found.length > 0 ? Math.min(...found) : Math.max(...sweep.points.map((point) => point.bound)),
  );
  const finite = (value: number | null): value is number => value !== null && Number.isFinite(value);
  const columns: (Column<SweepPoint> | false)[] = [
    {
      title: sweep.parameter,
      cell: (point) => rows.button(sweep.points.indexOf(point), point.label),
      order: (point) => point.parameter,
    },
    { title: titleWithUnit("value"), cell: (point) => (hasSplit(point) ? format(point.value) : "-"), order: (point) => point.value },
    { title: "bound", cell: (point) => (point.bound > 0 ? format(point.bound) : "-"), order: (point) => point.bound },
    { title: "gap", cell: pointGap, order: (point) => (hasSplit(point) ? point.gap : null) },
    { title: "status", words: true, cell: (point) => point.status, order: (point) => point.status },
    { title: "speed-up", order: (point) => speedUp(sweep, point), cell: (point) => timesText(speedUp(sweep, point)) },
    { title: "gain", order: (point) => stepGain(sweep, point), cell: (point) => gainText(stepGain(sweep, point)) },
    sweep.parameter === "accelerators" && {
      title: "efficiency",
      order: (point) => efficiency(sweep, point),
      cell: (point) => {
        const share = efficiency(sweep, point);
        return finite(share) ? `${fixed(100 * share, 1)} %` : "-";
      },
    },
    {
      title: "devices used",
      cell: (point) => (hasSplit(point) ? String(point.devicesUsed) : "-"),
      order: (point) => point.devicesUsed,
    },
    // A point that its neighbours answered took no time at all.
    {
      title: "time",
      cell: (point) => (point.seconds > 0 ? seconds(point.seconds) : "-"),
      order: (point) => point.seconds,
    },
  ];
  return columns.filter((column): column is Column<SweepPoint> => column !== false);
}

function timesText(ratio: number | null): string {
  return ratio !== null && Number.isFinite(ratio) ? `${fixed(ratio, 2)}x` : "-";
}

function gainText(gained: number | null): string {
  if (gained === null || !Number.isFinite(gained)) return "-";
  const shown = Math.abs(gained) <= 2e-6 ? 0 : 100 * gained; // the rest is rounding
  return `${shown < 0 ? "" : "+"}${fixed(shown, 2)} %`;
}

function reasons(sweep: SweepData, question: Question): HTMLElement | null {
  const without = sweep.points.filter((point) => !hasSplit(point));
  if (without.length === 0) return null;
  return html(
    "ul",
    { class: "note" },
    ...without.map((point) => html("li", {}, `${point.label}: ${statusText(question, point.status, point.unverified)}. ${point.reason}`)),
  );
}

export function sweepSection(page: Page, rows: Rows): HTMLElement | null {
  const sweep = page.sweep;
  if (!sweep || sweep.points.length === 0) return null;
  const enough = enoughPoint(sweep);
  const part = section(
    "sweep",
    `Value by ${titles[sweep.parameter]}`,
    `The best value ${unitOf(page.question)}${inUnit()} at each point, and the lower bound: ` +
      `${boundText(page.question, false)} there. Filled points are proved ${optimalText(page.question, false)}.` +
      (rows.several ? " Choose a point to see its split below." : ""),
  );
  part.append(
    legend([
      ["line value", "value"],
      ["line bound", "lower bound"],
      ["gap-key", "gap"],
    ]),
    chart(`Value and bound by ${titles[sweep.parameter]}: ${sweep.verdict}`, 320, (picture, frame) =>
      draw(picture, frame, sweep, page.question, rows),
    ),
    table(sweep.points, columnsOf(sweep, rows), {
      label: "Points of the sweep",
      onRow: (point, element) => rows.bind(sweep.points.indexOf(point), element),
      rowClass: (point) => (point === enough ? "marked" : hasSplit(point) ? "" : "faint"),
    }),
    reasons(sweep, page.question) ?? "",
  );
  const missing = leftOutText(
    sweep.points.filter((point) => hasSplit(point) && point.split == null).map((point) => point.label),
  );
  if (missing && rows.any) part.append(html("p", { class: "note" }, missing));
  return part;
}
