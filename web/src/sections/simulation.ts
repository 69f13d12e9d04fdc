// SPDX-License-Identifier: Apache-2.0
// A simulation in numbers: does the schedule keep what the formula promises, and how busy is each device? The timeline
// below it shows the same.
import type { Bus } from "../bus";
import { deviceLabel, highlights } from "../chart/bars";
import type { DeviceUse, Page, TimelineData } from "../data";
import { html } from "../dom";
import { bytes, counted, fixed, significant, time } from "../format";
import { facts, legend, type Fact } from "./facts";
import { memoryDoubt } from "./memory";
import { section } from "./section";
import { table, type Column } from "../table";

const schedules: Record<TimelineData["schedule"], string> = {
  pipeline: "round by round",
  "1f1b": "one forward, one backward",
  gpipe: "all microbatches forward, then all backward",
  sequential: "one sample at a time",
};
// What the formula of each schedule says.
const promises: Record<TimelineData["schedule"], string> = {
  pipeline: "the largest load",
  "1f1b": "the largest load",
  gpipe: "largest forward + largest backward load",
  sequential: "one sample after the other",
};

// How far the measured time is from the formula: "as the formula says", "+28.4 % over the formula".
export function judgement(timeline: TimelineData): string {
  const formula = timeline.formula;
  if (formula === null) return timeline.steady ? "in steady state" : "on average";
  if (keepsPromise(timeline, formula)) return "as the formula says";
  const off = timeline.timePerSample / formula - 1;
  return `${significant(100 * Math.abs(off), 3)} % ${off > 0 ? "over" : "under"} the formula`;
}

// Whether a sample takes as long as was promised; nothing was: yes.
export function keepsPromise(timeline: TimelineData, promised: number | null): boolean {
  const measured = timeline.timePerSample;
  return promised === null || Math.abs(measured - promised) <= 1e-6 * Math.max(measured, promised);
}

function summary(timeline: TimelineData): HTMLElement {
  const formula = timeline.formula;
  const first = timeline.microbatches > 0 ? "batch" : "sample";
  const list: (Fact | null)[] = [
    ["Time per sample", time(timeline.timePerSample), judgement(timeline)],
    formula === null ? null : ["Formula", time(formula), promises[timeline.schedule]],
    ["Schedule", timeline.schedule, schedules[timeline.schedule]],
    [
      "Samples",
      String(timeline.samples),
      timeline.microbatches > 0 ? `in batches of ${timeline.microbatches}` : `in ${time(timeline.makespan)}`,
    ],
    ["Latency", time(timeline.latency), "of one sample on its way"],
    timeline.samples > 1 ? ["Warm-up", time(timeline.warmUpEnd), `until the first ${first} is through`] : null,
    timeline.samples > 1
      ? ["Drain", time(timeline.makespan - timeline.drainBegin), `from the start of the last ${first} on`]
      : null,
  ];
  return facts(list);
}

// Time in which it does each thing, as a share of the whole.
function useBar(use: DeviceUse): HTMLElement {
  const parts = ["in", "compute", "out", "sync"] as const;
  return html(
    "span",
    { class: "use" },
    ...parts
      .filter((part) => use[part] > 0)
      .map((part) =>
        html("i", {
          class: `segment ${part}`,
          style: `width:${(100 * use[part]).toFixed(2)}%`,
          title: `${part} ${fixed(100 * use[part], 1)} %`,
        }),
      ),
  );
}

interface UseRow {
  use: DeviceUse;
  stage: number | null; // from 1
}

// As partita/report/used_devices.cpp orders them: by stage, copies after their original; without stages by first piece.
function useRows(page: Page, timeline: TimelineData): UseRow[] {
  const loads = page.plan?.loads ?? [];
  const order = page.plan?.order ?? [];
  const staged = order.length > 0;
  const devices = staged
    ? loads.map((load) => load.device)
    : [...new Set(timeline.pieces.map((piece) => piece.device))];
  const stageOf = (device: number): number | null => {
    const original = loads.find((load) => load.device === device)?.copyOf ?? device;
    return staged ? order.indexOf(original) + 1 : null;
  };
  return devices.flatMap((device) => {
    const use = timeline.use.find((each) => each.device === device);
    return use ? [{ use, stage: stageOf(device) }] : [];
  });
}

// The table of `partita simulate` (partita/report/simulate_text.cpp), and bars of the same.
function useTable(page: Page, timeline: TimelineData, bus: Bus): HTMLElement {
  const share = (value: number) => `${fixed(100 * value, 1)} %`;
  const pays = (use: DeviceUse) => page.devices[use.device]?.kind !== "host";
  const rows = useRows(page, timeline);
  const columns: (Column<UseRow> | false)[] = [
    rows.some((row) => row.stage !== null) && {
      title: "stage",
      cell: ({ stage }) => String(stage ?? ""),
      order: ({ stage }) => stage,
    },
    {
      title: "device",
      words: true,
      cell: ({ use }) => deviceLabel(page, bus, use.device, page.devices[use.device]?.name ?? ""),
    },
    { title: "compute", cell: ({ use }) => share(use.compute), order: ({ use }) => use.compute },
    { title: "in", cell: ({ use }) => (pays(use) ? share(use.in) : "-"), order: ({ use }) => use.in },
    { title: "out", cell: ({ use }) => (pays(use) ? share(use.out) : "-"), order: ({ use }) => use.out },
    timeline.use.some((use) => use.sync > 0) && {
      title: "sync",
      cell: ({ use }) => (use.sync > 0 ? share(use.sync) : "-"),
      order: ({ use }) => use.sync,
    },
    { title: "busy", cell: ({ use }) => share(use.busy), order: ({ use }) => use.busy },
    { title: "idle", cell: ({ use }) => share(1 - use.busy), order: ({ use }) => 1 - use.busy },
    { title: "samples", cell: ({ use }) => String(use.samples), order: ({ use }) => use.samples },
    { title: "in flight", cell: ({ use }) => String(use.mostInFlight), order: ({ use }) => use.mostInFlight },
    { title: "memory", cell: ({ use }) => bytes(use.peakMemory), order: ({ use }) => use.peakMemory },
    { title: "", words: true, cell: ({ use }) => useBar(use) },
  ];
  return table(
    rows,
    columns.filter((column): column is Column<UseRow> => column !== false),
    {
      label: "How busy the devices are",
      rowClass: ({ use }) =>
        use.device === page.plan?.bottleneck && page.question.objective !== "latency" ? "marked" : "",
      onRow: ({ use }, element) => highlights(element, bus, use.device),
    },
  );
}

export function simulationSection(page: Page, bus: Bus): HTMLElement | null {
  const timeline = page.timeline;
  if (!timeline) return null;
  const lead = timeline.remark || `${counted(timeline.samples, "sample")}, executed event by event.`;
  const part = section("simulation", "Simulation", lead);
  const kinds = ["in", "compute", "out", "sync"] as const;
  const marks = kinds.filter((kind) => timeline.use.some((use) => use[kind] > 0)).map((kind) => [kind, kind] as const);
  part.append(summary(timeline), legend(marks), useTable(page, timeline, bus));
  const doubt = memoryDoubt(page);
  if (doubt) part.append(html("p", { class: "note doubt" }, doubt));
  return part;
}
