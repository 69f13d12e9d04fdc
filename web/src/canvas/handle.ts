// SPDX-License-Identifier: Apache-2.0
// window.partita: what the canvases show, to be read by tests and in a console. Nothing in the page depends on it.
import type { LevelName } from "../graph/scene";

export interface GraphHandle {
  readonly scale: number; // pixels to the layout unit
  readonly least: number; // where zooming out ends
  readonly level: LevelName; // of detail
  readonly moving: boolean; // on a flight
  readonly selected: number | null; // a node
  readonly device: number | null; // that stands out
  readonly marked: number | null; // the device that does so until the reader says otherwise
  readonly hits: number; // of the search
  readonly cut: number | null; // which stands out
  readonly cutEdges: number; // how many edges of it do
  readonly colours: readonly string[]; // by node
  readonly grouped: boolean; // layers have grounds
  readonly frames: number; // drawn so far
  readonly frameTime: number; // milliseconds that drawing the last one took
  place(node: number): { x: number; y: number }; // on the canvas, in CSS pixels
  arrows(): { from: number; to: number; x: number; y: number }[]; // between pieces, and where their middles are
}

export interface TimelineHandle {
  readonly begin: number; // the time that is seen
  readonly end: number;
  readonly cursor: number;
  readonly playing: boolean;
  readonly hovered: number | null; // an interval
  readonly sample: number | null; // that stands out
  readonly frames: number;
  readonly frameTime: number;
  readonly drawn: number; // rectangles in the last frame
  readonly operator: number | null; // under the pointer: its place in its piece
  divided(interval: number): boolean; // into operators
  place(interval: number): { x: number; y: number };
}

export interface Handles {
  graph?: GraphHandle;
  timeline?: TimelineHandle;
  measured?: TimelineHandle; // the timeline of a real run
}

declare global {
  interface Window {
    partita?: Handles;
  }
}

export function publish(handles: Handles): void {
  window.partita = Object.assign(window.partita ?? {}, handles);
}
