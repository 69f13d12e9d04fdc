// SPDX-License-Identifier: Apache-2.0
// From numbers to places, and the round numbers between.

// Round numbers from `low` to `high`, about `count` of them.
export function ticks(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [low];
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? 10 * power;
  const list: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9); ++i) list.push(i * step);
  return list;
}

// Powers of ten between two positive numbers.
export function decades(low: number, high: number): number[] {
  const list: number[] = [];
  for (let i = Math.ceil(Math.log10(low) - 1e-9); 10 ** i <= high * (1 + 1e-9); ++i) list.push(10 ** i);
  return list;
}

export type Scale = (value: number) => number;

export function linear(low: number, high: number, from: number, to: number): Scale {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

export function logarithmic(low: number, high: number, from: number, to: number): Scale {
  const inner = linear(Math.log(low), Math.log(high), from, to);
  return (value) => inner(Math.log(Math.max(value, low)));
}
