// SPDX-License-Identifier: Apache-2.0
// Loads: a bar for each device, with the value and the lower bound as lines, and the table of the command line.
import type { Bus } from "../bus";
import type { Page, PlanData } from "../data";
import { html } from "../dom";
import { bytes, inUnit, percent, time, timeFormat, withUnit } from "../format";
import { legend } from "./facts";
import { section } from "./section";
import { axis, barRow, type Mark } from "../chart/bars";
import { ticks } from "../chart/scale";
import { loadRows, passLoad, type LoadRow } from "../loads/rows";
import { loadBar, scheduleBar, type Bar } from "../loads/segments";
import { loadTable } from "../loads/table";
import { enoughPoint, unitText } from "../sweep/points";
import { tipLines } from "../tip";

const modes = {
  sum: "A device's transfers add to its computing",
  overlap: "Transfers run beside computing: the longer of the two counts",
  duplex: "Reading, computing and writing run side by side: the longest counts",
} as const;

interface Picture {
  bars: Bar[];
  end: number; // of the axis
  lead: string;
  marks: Mark[];
}

function picture(page: Page, plan: PlanData, rows: LoadRow[]): Picture {
  const { objective, transfers, training } = page.question;
  if (objective === "latency") return latencyPicture(page, plan, rows);
  const gpipe = objective === "gpipe" && training;
  const middle = gpipe ? Math.max(...rows.map((row) => passLoad(row.forward, transfers))) : null;
  const bars = rows.map((row) => loadBar(row, transfers, middle));
  const value = plan.value ?? 0;
  const what = `Time per sample of each device${inUnit()}${plan.order.length > 0 ? ", in pipeline order" : ""}`;
  const mode = modes[transfers];
  const lead = gpipe
    ? `${what}. All backward passes start where the longest forward pass ends: the largest of each add up. ${mode}.`
    : `${what}. ${mode}; the busiest device sets the pace.`;
  return { bars, end: Math.max(value, endOf(bars)), lead, marks: marksOf(plan) };
}

// A bound that is the value but for rounding would only hide its line.
function marksOf(plan: PlanData): Mark[] {
  const value: Mark = { kind: "value", at: plan.value ?? 0 };
  return plan.bound > 0 && plan.status !== "optimal" ? [value, { kind: "bound", at: plan.bound }] : [value];
}

function markText(plan: PlanData, mark: Mark): string {
  if (mark.kind === "bound") return `lower bound ${time(mark.at)}`;
  return `${plan.status === "optimal" ? "value and lower bound" : "value"} ${time(mark.at)}`;
}

function latencyPicture(page: Page, plan: PlanData, rows: LoadRow[]): Picture {
  const timeline = page.timeline;
  if (!timeline) {
    const bars = rows.map((row) => loadBar(row, page.question.transfers, null));
    return {
      bars,
      end: endOf(bars),
      lead: `How long each device works on a sample${inUnit()}. For latency what counts is when it ends.`,
      marks: [],
    };
  }
  const bars = rows.map((row) => scheduleBar(timeline, row.device));
  const lead =
    `What each device does for one sample${inUnit()}, from its start to its end. ` +
    "The last to finish sets the latency.";
  return { bars, end: Math.max(plan.value ?? 0, endOf(bars)), lead, marks: marksOf(plan) };
}

function endOf(bars: readonly Bar[]): number {
  return Math.max(0, ...bars.flatMap((bar) => bar.segments.map((segment) => segment.start + segment.length)));
}

function tip(row: LoadRow, format: (value: number) => string, training: boolean): ReturnType<typeof tipLines> {
  const line = (name: string, value: number, mark: string) =>
    [name, `${withUnit(format(value))}  ${row.load > 0 ? percent(value / row.load) : ""}`, mark] as const;
  const pass = (name: string, backward: boolean) => {
    const of = backward ? row.backward : row.forward;
    const lines = [line(`${name}compute`, of.compute, backward ? "compute back" : "compute")];
    if (row.pays) lines.push(line(`${name}in`, of.in, "in"), line(`${name}out`, of.out, "out"));
    return lines;
  };
  return tipLines(row.label, [
    ["load", withUnit(format(row.load))],
    ...(training ? [...pass("forward ", false), ...pass("backward ", true)] : pass("", false)),
    ...(row.sync > 0 ? [line("sync", row.sync, "sync")] : []),
    ["memory", bytes(row.report.memory)],
    ["nodes", String(row.report.nodes)],
  ]);
}

// The page of a sweep shows the split of the point that is enough, or of the one that the reader has chosen.
function title(page: Page): string {
  const what = page.question.objective === "latency" ? "Devices" : "Loads";
  const chosen = page.row === undefined ? undefined : page.sweep?.points[page.row];
  const point = chosen ?? (page.sweep && enoughPoint(page.sweep));
  return page.sweep && point ? `${what} with ${point.label} ${unitText(page.sweep, point)}` : what;
}

export function loadsSection(page: Page, bus: Bus): HTMLElement | null {
  const plan = page.plan;
  if (!plan || plan.loads.length === 0) return null;
  const rows = loadRows(page, plan);
  const { training } = page.question;
  const { bars, end, lead, marks } = picture(page, plan, rows);
  const format = timeFormat(Math.max(plan.value ?? 0, ...rows.map((row) => row.load)));
  const scale = { end: end * 1.02, ticks: ticks(0, end, 6) };

  const list = html("ul", { class: "bars" });
  rows.forEach((row, i) => {
    const bar = bars[i];
    if (!bar) return;
    list.append(
      barRow(page, bus, row, {
        marks,
        scale,
        lanes: bar.lanes,
        segments: bar.segments.map((segment) => ({
          ...segment,
          mark: segment.kind + (segment.backward && segment.kind === "compute" ? " back" : ""),
        })),
        number:
          page.question.objective === "latency" && page.timeline ? `ends ${withUnit(format(endOf([bar])))}` : withUnit(format(row.load)),
        note: row.isBottleneck && page.question.objective !== "latency" ? "bottleneck" : "",
        tip: () => tip(row, format, training),
      }),
    );
  });
  const has = (kind: "in" | "out" | "sync") =>
    bars.some((bar) => bar.segments.some((segment) => segment.kind === kind));
  const key = legend([
    ["compute", training ? "compute, forward" : "compute"],
    ...(training ? [["compute back", "compute, backward"] as const] : []),
    ...(has("in") ? [["in", "in"] as const] : []),
    ...(has("out") ? [["out", "out"] as const] : []),
    ...(has("sync") ? [["sync", "sync"] as const] : []),
    ...marks.map((mark) => [`line ${mark.kind}`, markText(plan, mark)] as const),
  ]);
  const part = section("loads", title(page), lead);
  part.append(key, html("div", { class: "bar-chart" }, list, axis(scale)), loadTable(page, plan, rows, bus));
  return part;
}
