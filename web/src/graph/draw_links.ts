// SPDX-License-Identifier: Apache-2.0
// The links between pieces, as they are seen from afar: curves, the wider the more it costs to move what they carry.
// What passes between two pieces of one device moves nowhere: a thin line of dashes.
import { passColour } from "../canvas/palette";
import type { GraphModel, Link } from "./model";
import { pieceOnScreen } from "./draw_pieces";
import { dimmed, isDimmed, type Scene } from "./scene";
import type { Rectangle } from "./viewport";

interface Curve {
  x0: number; y0: number; // start
  x1: number; y1: number; // two handles
  x2: number; y2: number;
  x3: number; y3: number; // end
}

const centreX = (box: Rectangle): number => (box.left + box.right) / 2;
const centreY = (box: Rectangle): number => (box.top + box.bottom) / 2;

// Below or above each other: from edge to edge. Side by side: from flank to flank; over others that lie between them: a
// bow above (backward: below) them.
function curve(from: Rectangle, to: Rectangle, far: boolean, below: boolean): Curve {
  const besides = from.top < to.bottom && to.top < from.bottom;
  if (besides && far) {
    const y0 = below ? from.bottom : from.top;
    const y3 = below ? to.bottom : to.top;
    const rise = (below ? 1 : -1) * Math.min(70, 14 + 0.12 * Math.abs(centreX(to) - centreX(from)));
    const x0 = centreX(from);
    const x3 = centreX(to);
    return { x0, y0, x1: x0 + (x3 - x0) * 0.2, y1: y0 + rise, x2: x3 - (x3 - x0) * 0.2, y2: y3 + rise, x3, y3 };
  }
  if (besides) {
    const rightward = to.left >= from.right;
    const x0 = rightward ? from.right : from.left;
    const x3 = rightward ? to.left : to.right;
    const y0 = clamped(centreY(to), from);
    const y3 = clamped(centreY(from), to);
    const middle = (x0 + x3) / 2;
    return { x0, y0, x1: middle, y1: y0, x2: middle, y2: y3, x3, y3 };
  }
  const downward = centreY(to) > centreY(from);
  const y0 = downward ? from.bottom : from.top;
  const y3 = downward ? to.top : to.bottom;
  const x0 = centreX(from);
  const x3 = centreX(to);
  const middle = (y0 + y3) / 2;
  return { x0, y0, x1: x0, y1: middle, x2: x3, y2: middle, x3, y3 };
}

// A height in the middle half of the box, as near as possible to the other box's.
function clamped(y: number, box: Rectangle): number {
  const quarter = (box.bottom - box.top) / 4;
  return Math.min(Math.max(y, box.top + quarter), box.bottom - quarter);
}

// Whether a third box lies between the two: then a straight curve would hide behind it.
function skips(model: GraphModel, link: Link): boolean {
  const [from, to] = [model.data.pieces[link.from]!, model.data.pieces[link.to]!];
  const left = Math.min(from.left + from.width, to.left + to.width);
  const right = Math.max(from.left, to.left);
  return model.data.pieces.some(
    (other, i) =>
      i !== link.from && i !== link.to && other.left >= left && other.left + other.width <= right &&
      other.top < Math.max(from.top + from.height, to.top + to.height) &&
      other.top + other.height > Math.min(from.top, to.top),
  );
}

const skipped = new WeakMap<GraphModel, boolean[]>();
function curveOf(scene: Scene, index: number): Curve {
  const { model } = scene;
  let far = skipped.get(model);
  if (far === undefined) skipped.set(model, (far = model.links.map((link) => skips(model, link))));
  const link = model.links[index]!;
  const [from, to] = [model.data.pieces[link.from]!, model.data.pieces[link.to]!];
  return curve(pieceOnScreen(scene, from), pieceOnScreen(scene, to), far[index]!, from.backward);
}

function widthOf(scene: Scene, link: Link): number {
  return link.cost === 0 ? 1 : 1.5 + 9 * Math.sqrt(link.cost / scene.model.mostLinkCost);
}

export function drawLinks(scene: Scene): void {
  const { context, model, palette, marks } = scene;
  model.links.forEach((link, index) => {
    const [from, to] = [model.data.pieces[link.from]!, model.data.pieces[link.to]!];
    const { x0, y0, x1, y1, x2, y2, x3, y3 } = curveOf(scene, index);
    const moves = from.device !== to.device;
    if (moves && scene.levels.pieces === 0) return; // its edges are drawn instead
    const faded = isDimmed(scene, from.device) && isDimmed(scene, to.device);
    context.globalAlpha = (moves ? scene.levels.pieces : 1) * (faded ? dimmed : marks.link === index ? 1 : moves ? 0.75 : 0.6);
    context.strokeStyle = context.fillStyle = moves ? passColour(palette, from.device, false) : palette["ink-3"];
    context.lineWidth = widthOf(scene, link) + (marks.link === index ? 1.5 : 0);
    context.setLineDash(moves ? [] : [3, 4]);
    // The line ends where the arrow begins.
    const length = Math.max(Math.hypot(x3 - x2, y3 - y2), 1e-6);
    const [ux, uy] = [(x3 - x2) / length, (y3 - y2) / length];
    const gap = Math.hypot(x3 - x0, y3 - y0);
    const head = Math.min(5 + context.lineWidth * 0.9, gap * 0.55);
    const wide = Math.max(4, context.lineWidth * 0.9);
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(x1, y1, x2, y2, x3 - ux * head, y3 - uy * head);
    context.stroke();
    context.beginPath();
    context.moveTo(x3, y3);
    context.lineTo(x3 - ux * head - uy * wide, y3 - uy * head + ux * wide);
    context.lineTo(x3 - ux * head + uy * wide, y3 - uy * head - ux * wide);
    context.fill();
  });
  context.setLineDash([]);
  context.globalAlpha = 1;
}

// The link whose curve passes within a few pixels of a point of the screen; null: none.
export function linkAt(scene: Scene, x: number, y: number): number | null {
  let best: number | null = null;
  let least = 7;
  scene.model.links.forEach((link, index) => {
    const { x0, y0, x1, y1, x2, y2, x3, y3 } = curveOf(scene, index);
    const half = widthOf(scene, link) / 2;
    for (let i = 0; i <= 24; ++i) {
      const t = i / 24;
      const s = 1 - t;
      const [a, b, c, d] = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
      const distance = Math.hypot(a * x0 + b * x1 + c * x2 + d * x3 - x, a * y0 + b * y1 + c * y2 + d * y3 - y) - half;
      if (distance < least) {
        least = distance;
        best = index;
      }
    }
  });
  return best;
}
