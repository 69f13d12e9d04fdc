// SPDX-License-Identifier: Apache-2.0
// Nodes: dots, and near by boxes with names and times.
//
// A dot is a copy of a small picture of a circle, one for each colour: a thousand copies take a millisecond, a path of
// a thousand circles ten times that.
import { inkOn, mixed } from "../canvas/palette";
import { roundedBox, shortened, wrapped } from "../canvas/text";
import { significant, withUnit } from "../format";
import { timeWhereItIs } from "./model";
import { dimmed, isDimmed, type Scene } from "./scene";
import { toScreenX, toScreenY } from "./viewport";

export const dotRadius = 0.34; // units
export const boxSide = 0.92;

export function seenNodes(scene: Scene): number[] {
  const found: number[] = [];
  scene.model.grid.inside(scene.area, (node) => found.push(node));
  return found;
}

class Stamps {
  private readonly pictures = new Map<string, HTMLCanvasElement>();
  constructor(readonly diameter: number) {} // device pixels

  of(colour: string): HTMLCanvasElement {
    let picture = this.pictures.get(colour);
    if (picture !== undefined) return picture;
    picture = document.createElement("canvas");
    picture.width = picture.height = Math.ceil(this.diameter) + 2;
    const context = picture.getContext("2d");
    if (context !== null) {
      context.fillStyle = colour;
      context.beginPath();
      context.arc(picture.width / 2, picture.width / 2, this.diameter / 2, 0, 2 * Math.PI);
      context.fill();
    }
    this.pictures.set(colour, picture);
    return picture;
  }
}

let stamps = new Stamps(0);

export function drawDots(scene: Scene, nodes: readonly number[]): void {
  const { context, model, colouring, palette, view, size, ratio, levels } = scene;
  if (levels.dots === 0) return;
  const diameter = 2 * dotRadius * view.scale * ratio;
  if (stamps.diameter !== diameter) stamps = new Stamps(diameter);
  const side = stamps.of(palette["ink-3"]).width / ratio;
  for (const bright of [false, true]) {
    if (!bright && scene.marks.device === null) continue;
    context.globalAlpha = levels.dots * (bright ? 1 : dimmed);
    for (const node of nodes) {
      if (isDimmed(scene, model.device[node]!) === bright) continue;
      const picture = stamps.of(colouring.of[node]!);
      const x = toScreenX(view, size, model.x[node]!) - side / 2;
      const y = toScreenY(view, size, model.y[node]!) - side / 2;
      context.drawImage(picture, x, y, side, side);
    }
  }
  context.globalAlpha = 1;
}

export function drawBoxes(scene: Scene, nodes: readonly number[]): void {
  const { context, model, palette, view, size, levels } = scene;
  if (levels.boxes === 0) return;
  const side = boxSide * view.scale;
  for (const node of nodes) {
    const left = toScreenX(view, size, model.x[node]!) - side / 2;
    const top = toScreenY(view, size, model.y[node]!) - side / 2;
    const colour = scene.colouring.of[node]!;
    // While names fade in, the box pales to a ground that text can be read on; but not so far that times look alike.
    const paler = scene.colouring.scheme === "time" ? 0.2 : 0.78;
    const ground = mixed(colour, palette.paper, paler * levels.names);
    const shown = isDimmed(scene, model.device[node]!) ? dimmed : 1;
    context.globalAlpha = levels.boxes * shown;
    roundedBox(context, left, top, side, side, side * 0.14);
    context.fillStyle = ground;
    context.fill();
    context.strokeStyle = colour;
    context.lineWidth = model.leaves[node] || model.enters[node] ? 2 : 1;
    context.stroke();
    if (levels.names === 0) continue;
    context.globalAlpha = levels.names * shown;
    drawTexts(scene, node, left, top, side, inkOn(ground));
  }
  context.globalAlpha = 1;
}

function drawTexts(scene: Scene, node: number, left: number, top: number, side: number, ink: string): void {
  const { context, page, model, palette } = scene;
  const small = Math.min(13, Math.max(8.5, side * 0.135));
  const line = small * 1.2;
  const inset = side * 0.08;
  const room = side - 2 * inset;
  const time = timeWhereItIs(page, model, node);
  context.textBaseline = "top";
  context.textAlign = "left";
  context.fillStyle = ink;
  context.font = `600 ${small}px ${palette.sans}`;
  const most = Math.max(1, Math.floor((side - 2 * inset - line * 1.1) / line));
  const name = model.data.name[node] || `node ${model.data.id[node]!}`;
  wrapped(context, name, room, most).forEach((text, i) =>
    context.fillText(text, left + inset, top + inset + i * line));
  context.font = `400 ${small}px ${palette.sans}`;
  context.textBaseline = "alphabetic";
  if (time !== null)
    context.fillText(shortened(context, withUnit(significant(time, 3)), room), left + inset, top + side - inset);
}
