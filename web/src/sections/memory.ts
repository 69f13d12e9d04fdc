// SPDX-License-Identifier: Apache-2.0
// Memory: how full each device is, and of what.
import type { Bus } from "../bus";
import { barRow, deviceLabel, type BarSegment } from "../chart/bars";
import type { DeviceLoad, Page } from "../data";
import { html } from "../dom";
import { bytes, percent } from "../format";
import { legend } from "./facts";
import { section } from "./section";
import { loadRows, type LoadRow } from "../loads/rows";
import { table, type Column } from "../table";
import { tipLines } from "../tip";

type Part = readonly [mark: string, name: string, bytes: number];

function parts(load: DeviceLoad): Part[] {
  const items = load.memoryItems;
  if (!items) return [["weights", "nodes", load.memory]];
  const list: Part[] = [
    ["weights", "weights", items.weights],
    ["optimizer", "optimizer state", items.optimizerState],
    ["activations", `activations of ${items.inFlight} in flight`, items.activation * items.inFlight],
    ["recomputed", "recomputed activations", items.recomputed],
  ];
  return list.filter(([, , size]) => size > 0);
}

// describe_memory in partita/check/describe.cpp.
function itemTable(page: Page, rows: readonly LoadRow[], bus: Bus): HTMLElement {
  const recomputing = rows.some((row) => row.report.recomputes);
  const columns: (Column<LoadRow> | false)[] = [
    (page.plan?.order.length ?? 0) > 0 && { title: "stage", cell: (_row, index) => String(index + 1) },
    { title: "device", words: true, cell: (row) => deviceLabel(page, bus, row.device, row.label) },
    { title: "weights", cell: (row) => bytes(row.report.memoryItems?.weights ?? 0) },
    { title: "optimizer", cell: (row) => bytes(row.report.memoryItems?.optimizerState ?? 0) },
    { title: "per sample", cell: (row) => bytes(row.report.memoryItems?.activation ?? 0) },
    { title: "in flight", cell: (row) => String(row.report.memoryItems?.inFlight ?? 0) },
    recomputing && {
      title: "recomputing",
      cell: (row) => (row.report.recomputes ? bytes(row.report.memoryItems?.recomputed ?? 0) : "-"),
    },
    { title: "memory", cell: (row) => bytes(row.report.memory) },
    { title: "limit", cell: (row) => (limitOf(page, row) === null ? "-" : bytes(limitOf(page, row))) },
  ];
  return table(
    rows,
    columns.filter((column): column is Column<LoadRow> => column !== false),
    { label: "Memory of the devices" },
  );
}

function limitOf(page: Page, row: LoadRow): number | null {
  return page.devices[row.device]?.memory ?? null;
}

function segmentsOf(list: readonly Part[]): BarSegment[] {
  let start = 0;
  return list.map(([mark, , size]) => {
    const segment = { mark, lane: 0, start, length: size };
    start += size;
    return segment;
  });
}

// The flat model counts what a node needs once, and a pipeline at work holds activations of several samples at once.
export function memoryDoubt(page: Page): string {
  const inFlight = Math.max(0, ...(page.timeline?.use ?? []).map((use) => use.mostInFlight));
  if (page.question.memoryModel !== "flat" || !page.question.training || inFlight < 2) return "";
  return (
    `An underestimate: up to ${inFlight} samples are in flight at a device, and the flat memory model counts the ` +
    "sizes of its nodes once. --memory-model 1f1b or gpipe counts the activations of all of them."
  );
}

export function memorySection(page: Page, bus: Bus): HTMLElement | null {
  const plan = page.plan;
  if (!plan || plan.loads.length === 0) return null;
  const rows = loadRows(page, plan);
  const limited = rows.filter((row) => limitOf(page, row) !== null);
  if (limited.length === 0 || rows.every((row) => row.report.memory === 0)) return null;

  const list = html("ul", { class: "bars full" });
  for (const row of rows) {
    const limit = limitOf(page, row);
    const content = parts(row.report);
    const size = row.report.memory;
    const isOver = limit !== null && size > limit;
    list.append(
      barRow(page, bus, row, {
        marks: [],
        lanes: 1,
        scale: { end: Math.max(limit ?? 0, size, 1), ticks: [] },
        segments: limit === null ? [] : segmentsOf(content),
        number: limit === null ? `${bytes(size)}, no limit` : `${bytes(size)} of ${bytes(limit)}`,
        note: isOver ? "over its memory" : "",
        tip: () =>
          tipLines(row.label, [
            ["memory", bytes(size)],
            ...content.map(([mark, name, part]) => [name, bytes(part), mark] as const),
            ["limit", bytes(limit)],
            ...(limit ? [["full", percent(size / limit)] as const] : []),
          ]),
      }),
    );
  }
  const fullest = limited.reduce((a, b) => (fullness(page, b) > fullness(page, a) ? b : a));
  const lead = `Each bar is a device's limit. The fullest is ${fullest.label}, at ${percent(fullness(page, fullest))}.`;
  const part = section("memory", "Memory", lead);
  const doubt = memoryDoubt(page);
  if (doubt) part.append(html("p", { class: "lead doubt" }, doubt));
  const itemised = rows.some((row) => row.report.memoryItems !== null);
  if (itemised) {
    const present = new Set(rows.flatMap((row) => parts(row.report).map(([mark]) => mark)));
    const names = [
      ["weights", "weights"],
      ["optimizer", "optimizer state"],
      ["activations", "activations of the samples in flight"],
      ["recomputed", "recomputed activations"],
    ] as const;
    part.append(legend(names.filter(([mark]) => present.has(mark))));
  }
  part.append(html("div", { class: "bar-chart" }, list));
  if (itemised) part.append(itemTable(page, rows, bus));
  return part;
}

function fullness(page: Page, row: LoadRow): number {
  const limit = limitOf(page, row);
  return limit ? row.report.memory / limit : 0;
}
