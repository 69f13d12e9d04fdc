// SPDX-License-Identifier: Apache-2.0
// The operators that a block of a lane runs, one after the other. They fill the block: what share of it each takes is made
// of the graph's times, piece by piece, when a piece is first looked at. A time that is longer because other devices work
// at the same time is so for all operators of a device alike, and the block has it already.
import type { GraphData, OperatorData, Page, TimelineData } from "../data";
import { countUpTo, phaseOf } from "./model";

const widthEach = 3; // pixels that operators have on average where a block is divided into them
const widthOne = 30; // or those of the longest one

export interface PieceOperators {
  first: number; // place of the first one in the columns
  ends: Float64Array; // where each ends, as a share of the block: 1 for the last
  widest: number; // share
}

export interface Operators {
  of(piece: number): PieceOperators | null; // null: it runs none that takes time
  node(at: PieceOperators, index: number): number;
  again(at: PieceOperators, index: number): boolean; // computed for the second time
  name(node: number): string;
  shortest: number; // time of an operator that takes time; infinite where there is none
}

export const beginOf = (at: PieceOperators, index: number): number => (index === 0 ? 0 : at.ends[index - 1]!);

// Which operator runs at a share of the block.
export function operatorAt(at: PieceOperators, share: number): number {
  return Math.min(countUpTo(share, at.ends.length, (i) => at.ends[i]!), at.ends.length - 1);
}

// Whether a block of that many pixels is wide enough for its operators to be seen.
export function isDivided(at: PieceOperators, width: number): boolean {
  return width >= widthEach * at.ends.length || at.widest * width >= widthOne;
}

function timesOf(page: Page, graph: GraphData, data: OperatorData, pieces: readonly { device: number }[]): Float64Array {
  const times = new Float64Array(data.node.length);
  pieces.forEach(({ device }, piece) => {
    const column = graph.time[page.devices[device]?.class ?? -1] ?? [];
    for (let i = data.begin[piece]!; i < data.begin[piece + 1]!; ++i) {
      times[i] = (column[data.node[i]!] ?? 0) * (data.share?.[i] ?? 1);
    }
  });
  return times;
}

export function operatorsOf(page: Page): Operators | null {
  const { graph, timeline } = page;
  const data = timeline?.operators;
  if (graph === undefined || timeline === undefined || data === undefined) return null;
  const times = timesOf(page, graph, data, timeline.pieces);
  const known = new Map<number, PieceOperators | null>();

  function made(piece: number): PieceOperators | null {
    const [first, end] = [data!.begin[piece] ?? 0, data!.begin[piece + 1] ?? 0];
    const own = times.subarray(first, end);
    const total = own.reduce((sum, time) => sum + time, 0);
    if (!(total > 0)) return null;
    const ends = new Float64Array(own.length);
    let done = 0;
    own.forEach((time, i) => (ends[i] = Math.min((done += time) / total, 1)));
    ends[own.length - 1] = 1;
    return { first, ends, widest: own.reduce((most, time) => Math.max(most, time), 0) / total };
  }

  return {
    of(piece) {
      let found = known.get(piece);
      if (found === undefined) known.set(piece, (found = made(piece)));
      return found;
    },
    node: (at, index) => data.node[at.first + index]!,
    again: (at, index) => data.again?.[at.first + index] === 1,
    name: (node) => graph.name[node] || `node ${graph.id[node]!}`,
    shortest: times.reduce((least, time) => (time > 0 && time < least ? time : least), Infinity),
  };
}

// The operators of an interval in which its piece computes; null: it does something else, or nobody says which.
export function operatorsIn(timeline: TimelineData, operators: Operators | null, interval: number): PieceOperators | null {
  if (operators === null || phaseOf(timeline, interval) !== "c") return null;
  return operators.of(timeline.piece[interval]!);
}
