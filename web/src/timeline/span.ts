// SPDX-License-Identifier: Apache-2.0
// Which stretch of time is seen, and where a time is on the screen.

export interface Span {
  begin: number;
  end: number;
}

// Where the lanes are on the screen, from left to right.
export interface Track {
  left: number;
  right: number;
}

export const toX = (span: Span, track: Track, time: number): number =>
  track.left + ((time - span.begin) / (span.end - span.begin)) * (track.right - track.left);
export const toTime = (span: Span, track: Track, x: number): number =>
  span.begin + ((x - track.left) / (track.right - track.left)) * (span.end - span.begin);
export const pixelsPerTime = (span: Span, track: Track): number => (track.right - track.left) / (span.end - span.begin);

// Inside [0, extent], and no shorter than `least`.
function kept(span: Span, extent: number, least: number): Span {
  const length = Math.min(extent, Math.max(least, span.end - span.begin));
  const begin = Math.min(Math.max(0, span.begin), extent - length);
  return { begin, end: begin + length };
}

export function moved(span: Span, by: number, extent: number): Span {
  return kept({ begin: span.begin + by, end: span.end + by }, extent, 0);
}

// `at` stays where it is on the screen.
export function zoomedSpan(span: Span, factor: number, at: number, extent: number, least: number): Span {
  const length = Math.min(extent, Math.max(least, (span.end - span.begin) / factor));
  const share = (at - span.begin) / (span.end - span.begin);
  return kept({ begin: at - share * length, end: at + (1 - share) * length }, extent, least);
}

// Times of ticks that are at least `gap` pixels apart: multiples of 1, 2 or 5 times a power of ten.
export function ticks(span: Span, track: Track, gap: number): number[] {
  const least = gap / pixelsPerTime(span, track);
  const power = 10 ** Math.floor(Math.log10(least));
  const step = power * ([1, 2, 5, 10].find((times) => times * power >= least) ?? 10);
  const found: number[] = [];
  for (let i = Math.ceil(span.begin / step); i * step <= span.end; ++i) found.push(i * step);
  return found;
}
