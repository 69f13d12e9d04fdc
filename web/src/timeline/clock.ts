// SPDX-License-Identifier: Apache-2.0
// What timelines that lie one above the other share: which stretch of time is seen, where the cursor is, and which
// sample stands out.
import { moved, zoomedSpan, type Span } from "./span";

export interface Clock {
  readonly extent: number; // the time up to which one of them has something to see
  readonly span: Span;
  readonly cursor: number;
  readonly sample: number | null; // under the pointer, in whichever of them
  look(at: Span): void;
  pan(by: number): void;
  zoom(factor: number, at: number): void;
  zoomAtCursor(factor: number): void;
  fit(): void;
  moveCursor(to: number): void; // and the span with it, where it would leave that
  point(sample: number | null): void;
  onChange(act: () => void): void; // of anything
  onCursor(act: () => void): void; // of the cursor alone, before the others
}

// `least`: the shortest span.
export function createClock(extent: number, least: number, first: Span, begin: number): Clock {
  let span = first;
  let cursor = begin;
  let sample: number | null = null;
  const changed: (() => void)[] = [];
  const moves: (() => void)[] = [];
  const tell = (): void => changed.forEach((act) => act());
  const clock: Clock = {
    extent,
    get span() { return span; },
    get cursor() { return cursor; },
    get sample() { return sample; },
    look(at) {
      span = at;
      tell();
    },
    pan: (by) => clock.look(moved(span, by, extent)),
    zoom: (factor, at) => clock.look(zoomedSpan(span, factor, at, extent, least)),
    zoomAtCursor(factor) {
      const inSight = cursor >= span.begin && cursor <= span.end;
      clock.zoom(factor, inSight ? cursor : (span.begin + span.end) / 2);
    },
    fit: () => clock.look({ begin: 0, end: extent }),
    moveCursor(to) {
      cursor = Math.min(Math.max(to, 0), extent);
      if (cursor < span.begin || cursor > span.end) span = moved(span, cursor - (span.begin + span.end) / 2, extent);
      moves.forEach((act) => act());
      tell();
    },
    point(other) {
      if (other === sample) return;
      sample = other;
      tell();
    },
    onChange: (act) => void changed.push(act),
    onCursor: (act) => void moves.push(act),
  };
  return clock;
}
