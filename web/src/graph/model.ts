// SPDX-License-Identifier: Apache-2.0
// The graph as the view needs it: neighbours, what each node costs where it is, and the links between the pieces.
import type { GraphData, Page, PieceData } from "../data";
import { deviceOf } from "../cuts";
import { inOrder } from "../devices";
import { passLoad } from "../loads/rows";
import { Grid } from "./grid";

// All edges from one piece to another, drawn as one.
export interface Link {
  from: number; // pieces
  to: number;
  outputs: number; // how many different ones take this way
  cost: number; // of moving them; 0 where the pieces are on one device
}

// Edges by node: those of node i are edges[begin[i]] to edges[begin[i + 1] - 1].
export interface Incidence {
  begin: Uint32Array;
  edges: Uint32Array;
}

export interface GraphModel {
  data: GraphData;
  nodes: number;
  x: Float64Array;
  y: Float64Array;
  device: Int32Array; // -1: none
  backward: Uint8Array;
  inputs: Incidence;
  outputs: Incidence;
  crosses: Uint8Array; // by edge: its ends are on different devices
  between: Uint8Array; // by edge: its ends are in different pieces
  outputCost: Float64Array; // by node: of moving its output once; 0 where nothing reads it
  leaves: Uint8Array; // by node: its output goes to another device
  enters: Uint8Array; // by node: it reads from another device
  links: Link[];
  mostLinkCost: number;
  nameRoom: number[]; // by piece: how far its name may reach before it is above or in another box
  grid: Grid;
  devicesInUse: number[]; // in the order of the table
  load: Float64Array; // by piece: per sample of the stream, as the table has it
  mostLoad: number;
}

function incidence(ends: number[], nodes: number): Incidence {
  const begin = new Uint32Array(nodes + 1);
  for (const node of ends) begin[node + 1]!++;
  for (let node = 0; node < nodes; ++node) begin[node + 1]! += begin[node]!;
  const next = begin.slice();
  const edges = new Uint32Array(ends.length);
  ends.forEach((node, edge) => (edges[next[node]!++] = edge));
  return { begin, edges };
}

// An output enters a piece once, however many nodes there read it.
function linksBetween(data: GraphData, outputs: Incidence, device: Int32Array): Link[] {
  const links = new Map<number, Link>();
  const pieces = data.pieces.length;
  for (let node = 0; node < data.id.length; ++node) {
    const from = data.piece[node]!;
    if (from < 0) continue;
    const seen: number[] = [];
    for (let i = outputs.begin[node]!; i < outputs.begin[node + 1]!; ++i) {
      const edge = outputs.edges[i]!;
      const reader = data.edgeTo[edge]!;
      const to = data.piece[reader]!;
      if (to < 0 || to === from || seen.includes(to)) continue;
      seen.push(to);
      const key = from * pieces + to;
      const link = links.get(key) ?? { from, to, outputs: 0, cost: 0 };
      links.set(key, link);
      ++link.outputs;
      if (device[reader] !== device[node]) link.cost += data.edgeCost[edge]!;
    }
  }
  return [...links.values()];
}

function roomForNames(pieces: readonly PieceData[]): number[] {
  const line = 2; // units above a box that its name may take
  return pieces.map((piece) =>
    pieces.reduce((room, other) => {
      const beside = other.left > piece.left && other.top - line < piece.top && other.top + other.height > piece.top - line;
      return beside ? Math.min(room, other.left - piece.left) : room;
    }, Infinity),
  );
}

export function graphModel(page: Page, data: GraphData): GraphModel {
  const nodes = data.id.length;
  const device = Int32Array.from(data.piece, (_, node) => deviceOf(data, node));
  const backward = new Uint8Array(nodes);
  for (const node of data.backward) backward[node] = 1;
  const inputs = incidence(data.edgeTo, nodes);
  const outputs = incidence(data.edgeFrom, nodes);

  const crosses = new Uint8Array(data.edgeFrom.length);
  const between = new Uint8Array(data.edgeFrom.length);
  const outputCost = new Float64Array(nodes);
  const leaves = new Uint8Array(nodes);
  const enters = new Uint8Array(nodes);
  for (let edge = 0; edge < crosses.length; ++edge) {
    const from = data.edgeFrom[edge]!;
    const to = data.edgeTo[edge]!;
    between[edge] = data.piece[from] === data.piece[to] ? 0 : 1;
    outputCost[from] = Math.max(outputCost[from]!, data.edgeCost[edge]!);
    if (device[from] === device[to]) continue;
    crosses[edge] = leaves[from] = enters[to] = 1;
  }

  const x = Float64Array.from(data.x);
  const y = Float64Array.from(data.y);
  const links = linksBetween(data, outputs, device);
  const load = Float64Array.from(
    data.pieces,
    (piece) => passLoad(piece, page.question.transfers) / sharing(page, piece.device),
  );
  return {
    data, nodes, x, y, device, backward, inputs, outputs, crosses, between, outputCost, leaves, enters,
    links,
    mostLinkCost: links.reduce((most, link) => Math.max(most, link.cost), 0),
    nameRoom: roomForNames(data.pieces),
    grid: new Grid(x, y),
    devicesInUse: inOrder(page, [...new Set(device)].filter((each) => each >= 0)),
    load,
    mostLoad: load.reduce((most, each) => Math.max(most, each), 0),
  };
}

// How many devices take a stage's samples in turns.
export function sharing(page: Page, device: number): number {
  return page.plan?.loads.find((load) => load.device === device)?.sharing ?? 1;
}

// On the class of the device that holds it; null: it is on none, or cannot run there.
export function timeWhereItIs(page: Page, model: GraphModel, node: number): number | null {
  const device = page.devices[model.device[node]!];
  return device === undefined ? null : (model.data.time[device.class]?.[node] ?? null);
}
