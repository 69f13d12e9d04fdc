// SPDX-License-Identifier: Apache-2.0
// A run that really took place, in numbers beside those that were predicted: the tables of `partita simulate --measured`
// (partita/report/run_comparison.cpp), and bars of the same.
import type { Bus } from "../bus";
import { deviceLabel, highlights } from "../chart/bars";
import type { ComparedTime, MeasuredData, Page } from "../data";
import { html } from "../dom";
import { counted, fixed, inUnit, time, timeFormat, titleWithUnit } from "../format";
import { table, type Column } from "../table";
import { facts, type Fact } from "./facts";
import { section } from "./section";

// "+6.5 %": it took so much longer than predicted.
export function errorText(error: number | null): string {
  if (error === null) return "-";
  const percent = 100 * error;
  if (Math.abs(percent) < 0.05) return "0.0 %";
  return `${percent > 0 ? "+" : ""}${fixed(percent, percent < 999.95 ? 1 : 0)} %`;
}

// "6.5 % longer than predicted".
export function againstPrediction(error: number): string {
  const text = errorText(Math.abs(error));
  if (text === errorText(0)) return "as predicted";
  return `${text.slice(1)} ${error > 0 ? "longer" : "shorter"} than predicted`;
}

export const farOff = 0.15; // an error that stands out

interface Line {
  device: number;
  stage: number | null; // from 1
  time: ComparedTime;
  first: boolean; // of its device
}

function lines(measured: MeasuredData): Line[] {
  return measured.devices.flatMap(({ device, stage, times }) =>
    times.map((time, i) => ({ device, stage: stage === null ? null : stage + 1, time, first: i === 0 })));
}

// Two bars below each other: what was predicted, and what it took.
function bars({ what, predicted, measured }: ComparedTime, most: number): HTMLElement {
  const bar = (mark: string, value: number): HTMLElement =>
    html("i", { class: mark, style: `width:${(100 * Math.min(value / most, 1)).toFixed(2)}%` });
  return html(
    "span",
    { class: "against", title: `${what}: predicted ${time(predicted)}, measured ${time(measured)}` },
    bar("predicted", predicted),
    bar("measured", measured),
  );
}

function deviceTable(page: Page, measured: MeasuredData, bus: Bus): HTMLElement {
  const rows = lines(measured);
  const most = Math.max(...rows.flatMap(({ time: { predicted, measured: took } }) => [predicted, took]), 1e-300);
  const format = timeFormat(most);
  const columns: (Column<Line> | false)[] = [
    rows.some((row) => row.stage !== null) && { title: "stage", cell: (row) => (row.first ? String(row.stage ?? "") : "") },
    {
      title: "device",
      words: true,
      cell: (row) => (row.first ? deviceLabel(page, bus, row.device, page.devices[row.device]?.name ?? "") : ""),
    },
    { title: "per sample", words: true, cell: (row) => row.time.what },
    { title: titleWithUnit("predicted"), cell: (row) => format(row.time.predicted) },
    { title: titleWithUnit("measured"), cell: (row) => format(row.time.measured) },
    {
      title: "error",
      cell: (row) => {
        const { error, what } = row.time;
        const far = error !== null && Math.abs(error) > farOff && what !== "waiting";
        return far ? html("b", {}, errorText(error)) : errorText(error);
      },
    },
    { title: "", words: true, cell: (row) => bars(row.time, most) },
  ];
  return table(
    rows,
    columns.filter((column): column is Column<Line> => column !== false),
    {
      label: "What a sample takes of each device, predicted and measured",
      rowClass: (row) => (row.first ? "begins" : ""),
      onRow: (row, element) => highlights(element, bus, row.device),
    },
  );
}

const titles: Record<string, string> = {
  "time per sample": "Time per sample", latency: "Latency", "warm-up": "Warm-up", makespan: "Makespan",
};

function streamFacts(measured: MeasuredData): HTMLElement {
  return facts(measured.stream.map(({ what, predicted, measured: took, error }): Fact =>
    [titles[what] ?? what, time(took), `predicted ${time(predicted)}: ${errorText(error)}`]));
}

export function measuredSection(page: Page, bus: Bus): HTMLElement | null {
  const { measured } = page;
  if (!measured) return null;
  const { samples, steady } = measured.timeline;
  const pace = steady ? "while the pipeline was full" : "on average";
  const part = section(
    "measured",
    "Predicted against measured",
    `A real run of ${counted(samples, "sample")}, beside the prediction${inUnit()}: times per sample ${pace}, and what a sample takes of ` +
      "each device, with the time that it waits. An error of +10 % is a tenth longer than predicted.",
  );
  const key = html("ul", { class: "legend" },
    html("li", {}, html("i", { class: "key against-predicted" }), "predicted"),
    html("li", {}, html("i", { class: "key against-measured" }), "measured"));
  part.append(streamFacts(measured), key, deviceTable(page, measured, bus));
  return part;
}
