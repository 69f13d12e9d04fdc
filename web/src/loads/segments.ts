// SPDX-License-Identifier: Apache-2.0
// A load as a picture: what follows what, and what runs beside it, by the question's mode of transfers. The end of the
// last segment is the load.
import type { PassData, Question, TimelineData } from "../data";
import { passLoad, type LoadRow } from "./rows";

export type Kind = "compute" | "in" | "out" | "sync";

export interface Segment {
  kind: Kind;
  backward: boolean;
  lane: number; // what is in other lanes happens at the same time
  start: number;
  length: number;
}

export interface Bar {
  lanes: number;
  segments: Segment[];
}

type Piece = [kind: Kind, lane: number];

// What each mode draws of a pass: pieces in one lane follow each other.
const pieces: Record<Question["transfers"], readonly Piece[]> = {
  sum: [
    ["in", 0],
    ["compute", 0],
    ["out", 0],
  ],
  overlap: [
    ["compute", 0],
    ["in", 1],
    ["out", 1],
  ],
  duplex: [
    ["compute", 0],
    ["in", 1],
    ["out", 2],
  ],
};

export function lanesOf(transfers: Question["transfers"]): number {
  return Math.max(...pieces[transfers].map(([, lane]) => lane)) + 1;
}

// One pass, from `start` on.
export function passSegments(pass: PassData, start: number, backward: boolean, transfers: Question["transfers"]): Segment[] {
  const end = new Map<number, number>();
  const segments: Segment[] = [];
  for (const [kind, lane] of pieces[transfers]) {
    const length = pass[kind as keyof PassData];
    const from = end.get(lane) ?? start;
    if (length > 0) segments.push({ kind, backward, lane, start: from, length });
    end.set(lane, from + length);
  }
  return segments;
}

// `backwardStart` puts all backward passes at one place, as for the objective gpipe: the largest forward and the
// largest backward load add up. Without it each backward pass follows its forward pass.
export function loadBar(row: LoadRow, transfers: Question["transfers"], backwardStart: number | null): Bar {
  const middle = backwardStart ?? passLoad(row.forward, transfers);
  const segments = [...passSegments(row.forward, 0, false, transfers), ...passSegments(row.backward, middle, true, transfers)];
  let lanes = row.pays ? lanesOf(transfers) : 1;
  if (row.sync > 0 && transfers === "sum") {
    const start = middle + passLoad(row.backward, transfers);
    segments.push({ kind: "sync", backward: true, lane: 0, start, length: row.sync });
  } else if (row.sync > 0) {
    segments.push({ kind: "sync", backward: true, lane: lanes++, start: backwardStart ?? 0, length: row.sync });
  }
  return { lanes, segments };
}

const kindOf: Record<string, Kind> = { i: "in", c: "compute", o: "out", s: "sync" };

// Latency: what a device does for the first sample, when it does it. Intervals that touch or overlap become one: a host
// may run thousands of nodes.
export function scheduleBar(timeline: TimelineData, device: number): Bar {
  const segments: Segment[] = [];
  timeline.lane.forEach((lane, i) => {
    if (timeline.sample[i] !== 0 || timeline.lanes[lane]?.device !== device) return;
    const kind = kindOf[timeline.phase[i] ?? ""] ?? "compute";
    const backward = timeline.pieces[timeline.piece[i] ?? -1]?.backward ?? false;
    const start = timeline.start[i] ?? 0;
    const finish = timeline.finish[i] ?? start;
    const last = segments[segments.length - 1];
    if (last && last.kind === kind && last.backward === backward && start <= last.start + last.length) {
      last.length = Math.max(last.length, finish - last.start);
    } else {
      segments.push({ kind, backward, lane: 0, start, length: finish - start });
    }
  });
  return { lanes: 1, segments };
}
