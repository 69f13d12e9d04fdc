// SPDX-License-Identifier: Apache-2.0
// The simulation's columns, arranged for looking up a time. A lane does one thing at a time, so its intervals are
// ordered by start and by finish alike, and both can be searched by halving.
import type { TimelineData } from "../data";

export type Phase = "i" | "c" | "o" | "s";

export interface Lane {
  number: number; // in the columns
  device: number;
  name: string;
  intervals: Uint32Array; // into the columns, by start
}

export interface TimelineModel {
  data: TimelineData;
  lanes: Lane[]; // from top to bottom
  row: number[]; // of each lane of the columns
  starts: Float64Array; // when each recorded sample begins, ascending
  ends: Float64Array; // when each recorded sample is through, ascending
  extent: number; // the time up to which there is something to see
  shortest: number; // interval that is not empty
}

export const phaseOf = (data: TimelineData, interval: number): Phase => data.phase[interval] as Phase;

// `order`: devices as they are shown from top to bottom.
export function timelineModel(data: TimelineData, order: readonly number[]): TimelineModel {
  const byLane: number[][] = data.lanes.map(() => []);
  const first = new Map<number, number>();
  const last = new Map<number, number>();
  let end = 0;
  let shortest = Infinity;
  for (let interval = 0; interval < data.start.length; ++interval) {
    const start = data.start[interval]!;
    const finish = data.finish[interval]!;
    const sample = data.sample[interval]!;
    byLane[data.lane[interval]!]!.push(interval);
    if (!first.has(sample)) first.set(sample, start);
    last.set(sample, Math.max(last.get(sample) ?? 0, finish));
    end = Math.max(end, finish);
    if (finish > start) shortest = Math.min(shortest, finish - start);
  }
  const whole = data.recorded >= data.samples;
  const extent = Math.max(whole ? data.makespan : end, 1e-12);
  const lanes = data.lanes.map(({ device, name }, number) => ({
    number, device, name,
    intervals: Uint32Array.from(byLane[number]!),
  }));
  lanes.sort((a, b) => order.indexOf(a.device) - order.indexOf(b.device) || a.number - b.number);
  const row: number[] = [];
  lanes.forEach((lane, i) => (row[lane.number] = i));
  return {
    data,
    lanes,
    row,
    starts: Float64Array.from(first.values()).sort(),
    ends: Float64Array.from(last.values()).sort(),
    extent,
    shortest: Math.min(shortest, extent),
  };
}

// How many of `count` ascending values are at most `time`.
export function countUpTo(time: number, count: number, value: (i: number) => number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value(middle) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

// Position in the lane of the first interval that is not over at a time.
export function firstNotOver(model: TimelineModel, lane: Lane, time: number): number {
  return countUpTo(time, lane.intervals.length, (i) => model.data.finish[lane.intervals[i]!]!);
}

// What a lane does at a time; null: nothing. An interval owns its start, not its finish.
export function intervalAt(model: TimelineModel, lane: Lane, time: number): number | null {
  const interval = lane.intervals[firstNotOver(model, lane, time)];
  return interval !== undefined && model.data.start[interval]! <= time ? interval : null;
}

// Samples that have begun and are not through.
export function inFlightAt(model: TimelineModel, time: number): number {
  const begun = countUpTo(time, model.starts.length, (i) => model.starts[i]!);
  return begun - countUpTo(time, model.ends.length, (i) => model.ends[i]!);
}

type MemoryColumns = TimelineData["memory"][number];

// The entry of a device's memory that holds at a time; -1: before the first.
export function memoryIndexAt(memory: MemoryColumns, time: number): number {
  return countUpTo(time, memory.time.length, (i) => memory.time[i]!) - 1;
}
