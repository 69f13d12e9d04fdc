// SPDX-License-Identifier: Apache-2.0
// What the program puts into a page: JSON in <script id="data" type="application/json">. partita/report/page writes it.
// Numbers are as exact as in the plan; a number that is missing (infinite, unknown) is null. Times are in the
// workload's unit, memory in bytes. Lists of many things are columns: one array for each property, all equally long.

export interface Page {
  version: 2;
  program: string; // "partita 0.1.0"
  command: "plan" | "simulate" | "compare" | "sweep";
  title: string; // the workload's name
  subject: string; // "bert-large: 1512 nodes, 1631 edges; 6 accelerators of 16 GiB, 1 host"
  timeUnit: string; // of every time and cost: "ms"; "" where nobody said
  warnings: string[]; // what to know before the numbers are believed
  costSources: string; // "calibrated 87 % of the time, default 13 %"; "" where all times are as given
  question: Question;
  classes: string[]; // names of the classes of devices, in order
  devices: Device[]; // all devices of the platform, by number
  graph?: GraphData;
  plan?: PlanData;
  timeline?: TimelineData;
  measured?: MeasuredData; // a real run of the same plan
  convergence?: ConvergencePoint[];
  comparison?: ComparisonData;
  sweep?: SweepData;
  splits?: SplitData[]; // of rows of the comparison or points of the sweep; `plan` and `graph` have the one shown first
  row?: number; // not from the program: the row whose split this is, where the reader has chosen one (views.ts)
}

// What is not as in the rest of the page.
export interface SplitData {
  devices?: Device[];
  plan: PlanData;
  graph: Pick<GraphData, "piece" | "device" | "x" | "y" | "width" | "height" | "pieces"> & Partial<Pick<GraphData, "edgeCost">>;
}

export interface Question {
  objective: "max-load" | "gpipe" | "latency";
  shape: "staged" | "contiguous" | "free";
  transfers: "sum" | "overlap" | "duplex";
  training: boolean; // the graph has backward nodes
  memoryModel: "flat" | "1f1b" | "gpipe";
}

export interface Device {
  name: string; // "accelerator 2"
  kind: "accelerator" | "host";
  class: number; // into Page.classes
  memory: number | null; // the limit; null: none
}

// Node i of the graph is at index i of every column. Layout units: a node's box is 1 wide and 1 high, (x, y) its centre.
export interface GraphData {
  id: number[]; // as in the input
  name: string[];
  time: (number | null)[][]; // by class, then by node; null: cannot run there
  memory: number[];
  op?: Words; // what it computes
  family?: Words; // what kind of operator that is: "matrix product"
  output?: Words; // type and shape: "fp16[1,64,56,56]"
  source?: Words; // of its times: "calibrated"; "" for given
  outputBytes?: (number | null)[];
  flops?: (number | null)[];
  movedBytes?: (number | null)[]; // read from and written to the device's memory
  layer?: (number | null)[]; // of the network
  backward: number[]; // indices of the backward nodes
  tensor?: Words; // the name of its output; "" where that is the node's
  piece: number[]; // into pieces; -1 for none (no split)
  device?: (number | null)[]; // of a split that breaks a rule, which has no pieces
  x: number[];
  y: number[];
  width: number; // of the whole layout
  height: number;
  edgeFrom: number[]; // node indices
  edgeTo: number[];
  edgeCost: number[];
  pieces: PieceData[]; // in pipeline order
}

// A text of each node: words[of[i]], "" where there is none to say.
export interface Words {
  words: string[];
  of: number[];
}

export function wordOf(column: Words | undefined, node: number): string {
  return column?.words[column.of[node]!] ?? "";
}

// What a device runs without a break, in a box of its own; boxes do not overlap, and hold all their nodes.
export interface PieceData {
  device: number;
  backward: boolean;
  nodes: number;
  compute: number;
  in: number;
  out: number;
  left: number;
  top: number;
  width: number;
  height: number;
  after: number[]; // pieces whose results it needs
}

export interface PlanData {
  status: "optimal" | "feasible" | "infeasible" | "unknown";
  value: number | null;
  bound: number;
  gap: number;
  proof: string;
  unverified: boolean; // the bound is a foreign solver's word
  plainProof?: string; // the same for people who know no algorithms
  speedUp?: string; // over one device, in a few words
  loneBottleneckText?: string; // where one operator alone takes as long as the value: which; or which shared link does
  reason: string; // why there is no split
  seconds: number;
  bottleneck: number | null; // a device; null for latency, and where a shared link is slower than all of them
  order: number[]; // devices in pipeline order; empty where there is none
  loads: DeviceLoad[]; // of the devices that hold something, in pipeline order where there is one
  cuts: Cut[]; // what the bottleneck moves, most expensive first; the first 50
  cutsLeftOut: { count: number; cost: number };
  hostCores: number | null; // latency: how many are busy at once
}

// For each sample; where devices share a stage (sharing > 1) compute, in and out are those of a sample that the device
// takes, and the load is per sample of the stream.
export interface DeviceLoad {
  device: number;
  load: number;
  forward: PassData;
  backward: PassData;
  sync: number;
  sharing: number;
  copyOf: number | null;
  recomputes: boolean;
  memory: number;
  memoryItems: { weights: number; optimizerState: number; activation: number; recomputed: number; inFlight: number } | null; // null: flat
  nodes: number;
}

export interface PassData {
  compute: number;
  in: number;
  out: number;
}

// One output that enters or leaves the bottleneck.
export interface Cut {
  node: number; // the producer, as an index into the graph
  direction: "in" | "out";
  cost: number;
  devices: number[]; // at the other end
  backward: boolean; // pass of the producer
}

export interface TimelineData {
  schedule: "pipeline" | "1f1b" | "gpipe" | "sequential";
  samples: number; // simulated
  recorded: number; // of these, from the first on, intervals are here
  microbatches: number; // 0: no batches
  timePerSample: number;
  steady: boolean;
  formula: number | null;
  remark: string;
  makespan: number;
  latency: number;
  warmUpEnd: number;
  drainBegin: number;
  lanes: { device: number; name: string }[];
  // Columns, by start:
  lane: number[];
  piece: number[]; // into `pieces`
  phase: string; // one letter each: i(n), c(ompute), o(ut), s(ync)
  sample: number[];
  start: number[];
  finish: number[];
  pieces: { device: number; backward: boolean; nodes: number }[]; // latency: other pieces than those of the graph
  operators?: OperatorData; // what the pieces run
  use: DeviceUse[];
  memory: { device: number; time: number[]; inFlight: number[]; bytes: number[] }[];
}

// A run that really took place, beside the prediction of `timeline`.
export interface MeasuredData {
  timeline: TimelineData; // without operators and memory, of which nobody knows
  stream: ComparedTime[]; // "time per sample", "latency", ...
  devices: { device: number; stage: number | null; times: ComparedTime[] }[]; // for a sample that the device takes
}

export interface ComparedTime {
  what: string; // "compute", "in", "out", "sync", "waiting"
  predicted: number;
  measured: number;
  error: number | null; // measured / predicted - 1; null where nothing was predicted
}

// In the order in which they run: those of piece i are begin[i] to begin[i + 1] - 1. Each takes the node's time, or a share
// of that.
export interface OperatorData {
  begin: number[];
  node: number[];
  share?: number[]; // left out where all are 1
  again?: (0 | 1)[]; // computed for the second time; left out where none is
}

export interface DeviceUse {
  device: number;
  compute: number; // all four: share of the makespan
  in: number;
  out: number;
  sync: number;
  busy: number;
  samples: number;
  mostInFlight: number;
  peakMemory: number;
}

export interface ConvergencePoint {
  seconds: number;
  value: number | null; // none yet
  bound: number;
}

export interface ComparisonData {
  best: number | null;
  runs: {
    algorithm: string;
    baseline: boolean;
    outcome: "split" | "no split" | "infeasible" | "not applicable" | "interrupted";
    reason: string;
    seconds: number;
    value: number | null;
    ratio: number | null; // value / best
    legal: boolean;
    fault: string;
    shape: string | null;
    bound: number;
    boundShape: string | null;
    optimal: boolean;
    proof: string;
    split?: number | null; // what a click shows: 0 the page's own, k the k-th of Page.splits; null: it is not on the page
  }[];
}

export interface SweepData {
  parameter: "accelerators" | "hosts" | "memory" | "bandwidth";
  unit: string; // "", "B"
  points: {
    parameter: number;
    label: string; // "4", "16 GiB", "0.5"
    status: PlanData["status"];
    value: number | null;
    bound: number;
    gap: number;
    unverified: boolean;
    seconds: number;
    devicesUsed: number;
    reason: string;
    split?: number | null; // as of a run
  }[];
  enough: number | null; // index of the point after which nothing pays any more, see `verdict`
  verdict: string; // "after 5 accelerators, one more gains less than 1 %"
}
