// SPDX-License-Identifier: Apache-2.0
// What crosses between devices: for each pair of them, and each pass, the tensors that one hands to the other.
import { wordOf, type GraphData, type Page } from "./data";

export interface CutTensor {
  node: number; // whose output it is
  edges: number[]; // that lead to the device
  cost: number; // of moving it, without the factors of links
}

export interface DeviceCut {
  from: number; // devices
  to: number;
  backward: boolean; // pass of the producers
  tensors: CutTensor[]; // most expensive first
  cost: number;
  bytes: number | null; // null: not known of all
}

export function deviceOf(graph: GraphData, node: number): number {
  const piece = graph.piece[node]!;
  return piece >= 0 ? graph.pieces[piece]!.device : (graph.device?.[node] ?? -1);
}

export function tensorName(graph: GraphData, node: number): string {
  return wordOf(graph.tensor, node) || graph.name[node] || `node ${graph.id[node]!}`;
}

// A tensor moves to a device once, unless its edges differ in cost: then each of them moves something of its own.
function costOf(graph: GraphData, edges: readonly number[], differ: boolean): number {
  const costs = edges.map((edge) => graph.edgeCost[edge]!);
  return differ ? costs.reduce((sum, cost) => sum + cost, 0) : (costs[0] ?? 0);
}

function sizeOf(graph: GraphData, tensors: readonly CutTensor[]): number | null {
  let sum = 0;
  for (const { node } of tensors) {
    const size = graph.outputBytes?.[node] ?? null;
    if (size === null) return null;
    sum += size;
  }
  return sum;
}

function cutsOf(graph: GraphData): DeviceCut[] {
  const nodes = graph.id.length;
  const device = Int32Array.from({ length: nodes }, (_, node) => deviceOf(graph, node));
  const backward = new Uint8Array(nodes);
  for (const node of graph.backward) backward[node] = 1;
  const firstCost = new Float64Array(nodes).fill(NaN);
  const differs = new Uint8Array(nodes);
  const cuts = new Map<string, Map<number, number[]>>(); // edges by producer
  graph.edgeFrom.forEach((from, edge) => {
    const cost = graph.edgeCost[edge]!;
    if (Number.isNaN(firstCost[from])) firstCost[from] = cost;
    else if (firstCost[from] !== cost) differs[from] = 1;
    const [a, b] = [device[from]!, device[graph.edgeTo[edge]!]!];
    if (a === b || a < 0 || b < 0) return;
    const key = `${a},${b},${backward[from]}`;
    const tensors = cuts.get(key) ?? new Map<number, number[]>();
    cuts.set(key, tensors);
    const edges = tensors.get(from);
    if (edges === undefined) tensors.set(from, [edge]);
    else edges.push(edge);
  });
  const all = [...cuts].map(([key, byNode]) => {
    const [from, to, pass] = key.split(",").map(Number) as [number, number, number];
    const tensors = [...byNode].map(([node, edges]) => ({ node, edges, cost: costOf(graph, edges, differs[node] === 1) }));
    tensors.sort((a, b) => b.cost - a.cost || a.node - b.node);
    const cost = tensors.reduce((sum, tensor) => sum + tensor.cost, 0);
    return { from, to, backward: pass === 1, tensors, cost, bytes: sizeOf(graph, tensors) };
  });
  return all.sort((a, b) => b.cost - a.cost || a.from - b.from || a.to - b.to);
}

const known = new WeakMap<Page, DeviceCut[]>();

// Most expensive first. Empty where there is no split, and where nothing crosses.
export function deviceCuts(page: Page): DeviceCut[] {
  let cuts = known.get(page);
  if (cuts === undefined) known.set(page, (cuts = page.graph === undefined ? [] : cutsOf(page.graph)));
  return cuts;
}
