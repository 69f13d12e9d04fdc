// SPDX-License-Identifier: Apache-2.0
// What the drawing functions of the timeline share, and where each part is: axis, lanes (those of a device close
// together), memory.
import type { Palette } from "../canvas/palette";
import type { Page } from "../data";
import { originalOf } from "../devices";
import type { TimelineModel } from "./model";
import type { Operators } from "./operators";
import type { Span, Track } from "./span";

export interface Rows {
  track: Track;
  tops: number[]; // of the lanes
  height: number; // of a lane
  axis: { top: number; bottom: number }; // ticks
  parts: { top: number; bottom: number }; // warm-up, steady, drain
  lanesBottom: number;
  memory: { top: number; bottom: number } | null;
  bottom: number;
}

export interface TimeScene {
  context: CanvasRenderingContext2D;
  page: Page;
  model: TimelineModel;
  palette: Palette;
  rows: Rows;
  span: Span;
  cursor: number;
  sample: number | null; // whose intervals stand out
  device: number | null; // whose lanes stand out
  operators: Operators | null;
  operator: { interval: number; index: number } | null; // under the pointer; index: in its piece
  node: number | null; // selected
}

const laneGap = 3; // pixels
const deviceGap = 9;
const memoryHeight = 96;

// `withMemory`: below the lanes, where there is any.
export function arrange(model: TimelineModel, width: number, withMemory: boolean): Rows {
  const count = model.lanes.length;
  const height = count <= 10 ? 26 : count <= 24 ? 20 : 13;
  const parts = { top: 26, bottom: 44 };
  let y = parts.bottom + 8;
  const tops = model.lanes.map((lane, i) => {
    if (i > 0) y += lane.device === model.lanes[i - 1]!.device ? laneGap : deviceGap;
    const top = y;
    y += height;
    return top;
  });
  const lanesBottom = y;
  const memory = withMemory && model.data.memory.length > 0 ? { top: y + 26, bottom: y + 26 + memoryHeight } : null;
  const bottom = (memory?.bottom ?? y) + 10;
  const left = width < 560 ? 76 : 132;
  return { track: { left, right: width - 14 }, tops, height, axis: { top: 0, bottom: 26 }, parts, lanesBottom, memory, bottom };
}

export const fadedLane = 0.3;
export const isFaded = (scene: TimeScene, device: number): boolean =>
  scene.device !== null && originalOf(scene.page, scene.device) !== originalOf(scene.page, device);
