// SPDX-License-Identifier: Apache-2.0
// What the drawing functions share, and which level of detail is seen at which scale.
//
// Far away a piece is one box with its numbers; nearer, nodes are dots; near, boxes with names. Between two levels both
// are drawn, one fading in while the other fades out, so that zooming never jumps.
import type { Palette } from "../canvas/palette";
import type { Page } from "../data";
import type { Colouring } from "./colouring";
import type { GraphModel } from "./model";
import type { Rectangle, Size, View } from "./viewport";

export interface Marks {
  selected: number | null; // nodes
  hovered: number | null;
  device: number | null; // all others are dimmed
  link: number | null; // the link between pieces under the pointer
  hits: readonly number[]; // of the search
  cut: readonly number[]; // edges of the tensors that pass between two devices
}

export interface Scene {
  context: CanvasRenderingContext2D;
  page: Page;
  model: GraphModel;
  palette: Palette;
  colouring: Colouring;
  view: View;
  size: Size;
  ratio: number;
  area: Rectangle; // what is seen, in layout units
  marks: Marks;
  levels: Levels;
}

export interface Levels {
  pieces: number; // how much of each level is seen, 0 to 1
  dots: number;
  boxes: number;
  names: number; // in the boxes
}

export type LevelName = "pieces" | "dots" | "boxes";

// 0 up to `from`, 1 beyond `to`, smooth between.
function ramp(value: number, from: number, to: number): number {
  const share = Math.min(1, Math.max(0, (value - from) / (to - from)));
  return share * share * (3 - 2 * share);
}

// Scales are in pixels to the unit. `fitted` is that of the whole graph in the window: where it would be between the
// pieces and the dots, the change is put off, so that the first look is a clear one. A graph without pieces has no level
// of pieces.
export function levelsAt(scale: number, fitted: number, hasPieces: boolean): Levels {
  const unclear = fitted > 4 && fitted < 7.5;
  const nodes = !hasPieces ? 1 : unclear ? ramp(scale, 1.15 * fitted, 1.7 * fitted) : ramp(scale, 4.5, 7);
  const boxes = ramp(scale, 22, 32);
  return { pieces: 1 - nodes, dots: nodes * (1 - boxes), boxes, names: ramp(scale, 40, 52) };
}

export function mainLevel(levels: Levels): LevelName {
  if (levels.pieces >= 0.5) return "pieces";
  return levels.boxes >= 0.5 ? "boxes" : "dots";
}

export const dimmed = 0.16; // opacity of what is not of the marked device
export const isDimmed = (scene: Scene, device: number): boolean =>
  scene.marks.device !== null && scene.marks.device !== device;
