// SPDX-License-Identifier: Apache-2.0
// The table of loads, number for number the one of the command line (describe_table in partita/check/describe.cpp).
import type { Bus } from "../bus";
import { deviceLabel, highlights } from "../chart/bars";
import type { Page, PlanData } from "../data";
import { rangesText } from "../devices";
import { html } from "../dom";
import { bytes, counted, timeFormat, titleWithUnit } from "../format";
import { table, type Column } from "../table";
import { passLoad, type LoadRow } from "./rows";
import { scheduleBar } from "./segments";

interface Span {
  start: number;
  finish: number;
}

function spans(page: Page, rows: readonly LoadRow[]): Map<LoadRow, Span> {
  const timeline = page.question.objective === "latency" ? page.timeline : undefined;
  const result = new Map<LoadRow, Span>();
  for (const row of timeline ? rows : []) {
    const segments = timeline ? scheduleBar(timeline, row.device).segments : [];
    if (segments.length === 0) continue;
    result.set(row, {
      start: Math.min(...segments.map((segment) => segment.start)),
      finish: Math.max(...segments.map((segment) => segment.start + segment.length)),
    });
  }
  return result;
}

// "accelerator 3-5, host 0": devices that hold nothing.
function emptyDevices(page: Page, plan: PlanData): string {
  const busy = new Set(plan.loads.map((load) => load.device));
  return page.classes.map((name, index) => {
    const members = page.devices.map((device, i) => ({ device, i })).filter(({ device }) => device.class === index);
    const empty = members.map(({ i }, number) => ({ i, number })).filter(({ i }) => !busy.has(i));
    return empty.length > 0 ? `${name} ${rangesText(empty.map(({ number }) => number))}` : "";
  }).filter(Boolean).join(", ");
}

// More busy cores than hosts are worth a warning: the latency then counts on cores that the platform does not name.
function busyCores(page: Page, cores: number): string {
  const hosts = page.devices.filter((device) => device.kind === "host").length;
  if (cores <= hosts) return `${counted(cores, "host core")} busy at once, of ${hosts}.`;
  return `Warning: ${cores} host nodes run at once, but there ${hosts === 1 ? "is" : "are"} ${counted(hosts, "host")}.`;
}

export function loadTable(page: Page, plan: PlanData, rows: readonly LoadRow[], bus: Bus): HTMLElement {
  const { training, transfers, memoryModel } = page.question;
  const shared = rows.some((row) => row.report.sharing > 1);
  const staged = plan.order.length > 0;
  const span = spans(page, rows);
  const largest = Math.max(span.size > 0 ? (plan.value ?? 0) : 0, ...plan.loads.map((load) => load.load));
  const time = timeFormat(largest, 6);
  const sum = (row: LoadRow, part: "compute" | "in" | "out") =>
    time((row.report.forward[part] + row.report.backward[part]) / row.report.sharing);

  const pass = (row: LoadRow, which: "forward" | "backward") =>
    time(passLoad(row.report[which], transfers) / row.report.sharing);
  const columns: (Column<LoadRow> | false)[] = [
    staged && { title: "stage", cell: (_row, index) => String(index + 1) },
    { title: "device", words: true, cell: (row) => deviceLabel(page, bus, row.device, row.label) },
    { title: titleWithUnit("load"), cell: (row) => time(row.load) },
    training && { title: "forward", cell: (row) => pass(row, "forward") },
    training && { title: "backward", cell: (row) => pass(row, "backward") },
    { title: "compute", cell: (row) => sum(row, "compute") },
    { title: "in", cell: (row) => (row.pays ? sum(row, "in") : "-") },
    { title: "out", cell: (row) => (row.pays ? sum(row, "out") : "-") },
    shared && { title: "sync", cell: (row) => (row.report.sharing > 1 ? time(row.sync) : "-") },
    span.size > 0 && { title: "start", cell: (row) => time(span.get(row)?.start ?? 0) },
    span.size > 0 && { title: "finish", cell: (row) => time(span.get(row)?.finish ?? 0) },
    memoryModel === "flat" && { title: "memory", cell: (row) => bytes(row.report.memory) },
    { title: "nodes", cell: (row) => String(row.report.nodes) },
  ];
  const isMarked = (row: LoadRow) => row.isBottleneck && page.question.objective !== "latency";
  const numbers = table(rows, columns.filter((column): column is Column<LoadRow> => column !== false), {
    label: "Loads of the devices",
    rowClass: (row) => (isMarked(row) ? "marked" : ""),
    onRow: (row, element) => highlights(element, bus, row.device),
  });
  const notes = [
    plan.hostCores && busyCores(page, plan.hostCores),
    shared && "xN: N devices run copies of the stage in turns; their times are averages over all samples.",
    emptyDevices(page, plan) && `Empty: ${emptyDevices(page, plan)}.`,
  ].filter(Boolean).join(" ");
  return html("div", { class: "load-table" }, numbers, notes && html("p", { class: "note" }, notes));
}
