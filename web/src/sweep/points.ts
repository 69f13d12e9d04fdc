// SPDX-License-Identifier: Apache-2.0
// The points of a sweep: what they gain over each other (partita/model/sweep.cpp), and what they are called.
import type { SweepData } from "../data";

export type SweepPoint = SweepData["points"][number];
type Found = SweepPoint & { value: number };

export function hasSplit(point: SweepPoint): point is Found {
  return point.value !== null;
}

// worse / better - 1: 0.25 is a quarter faster.
function gain(worse: number, better: number): number {
  return worse === better ? 0 : worse / better - 1;
}

// Relative to the first point with a split.
export function speedUp(sweep: SweepData, point: SweepPoint): number | null {
  const first = sweep.points.find(hasSplit);
  return first && hasSplit(point) ? 1 + gain(first.value, point.value) : null;
}

// Over the point before.
export function stepGain(sweep: SweepData, point: SweepPoint): number | null {
  const before = sweep.points[sweep.points.indexOf(point) - 1];
  return before && hasSplit(before) && hasSplit(point) ? gain(before.value, point.value) : null;
}

// Accelerators: the speed of each of them, relative to those of the first point that has some.
export function efficiency(sweep: SweepData, point: SweepPoint): number | null {
  const first = sweep.points.filter(hasSplit).find((each) => each.parameter >= 1);
  if (sweep.parameter !== "accelerators" || !first || !hasSplit(point) || point.parameter < 1) return null;
  return ((1 + gain(first.value, point.value)) * first.parameter) / point.parameter;
}

export function enoughPoint(sweep: SweepData): SweepPoint | undefined {
  return sweep.enough === null ? undefined : sweep.points[sweep.enough];
}

// What the number of a point counts: "accelerators", "host", "of memory", "times the bandwidth".
export function unitText(sweep: SweepData, point: SweepPoint): string {
  switch (sweep.parameter) {
    case "memory": return "of memory";
    case "bandwidth": return "times the bandwidth";
    default: return point.parameter === 1 ? sweep.parameter.slice(0, -1) : sweep.parameter;
  }
}
