// SPDX-License-Identifier: Apache-2.0
// The links between pieces, as they are seen from afar: curves, the wider the more it costs to move what they carry.
// What passes between two pieces of one device moves nowhere: a thin line of dashes.
import { passColour } from "../canvas/palette";
import type { GraphModel, Link } from "./model";
import { pieceOnScreen } from "./draw_pieces";
import { dimmed, isDimmed, type Scene } from "./scene";
import { toScreenY, type Rectangle } from "./viewport";

const longestStep = 26; // pixels that a step takes where the gap is narrower

interface Curve {
  x0: number; y0: number; // start
  x1: number; y1: number; // two handles
  x2: number; y2: number;
  x3: number; y3: number; // end
}

const centreX = (box: Rectangle): number => (box.left + box.right) / 2;
const centreY = (box: Rectangle): number => (box.top + box.bottom) / 2;

// Below or above each other: from edge to edge. Side by side: from flank to flank. Over others that lie between them: a
// bow above (backward: below) `crest`, the highest of them.
function curve(from: Rectangle, to: Rectangle, crest: number | null, below: boolean): Curve {
  const besides = from.top < to.bottom && to.top < from.bottom;
  if (besides && crest !== null) {
    const y0 = below ? from.bottom : from.top;
    const y3 = below ? to.bottom : to.top;
    const x0 = centreX(from);
    const x3 = centreX(to);
    const clearance = Math.min(30, 10 + 0.02 * Math.abs(x3 - x0));
    const outermost = below ? Math.max(crest, y0, y3) + clearance : Math.min(crest, y0, y3) - clearance;
    // The top of such a curve is at three quarters of the way to its handles.
    const handle = (y: number): number => y + (outermost - y) / 0.75;
    return { x0, y0, x1: x0 + (x3 - x0) * 0.2, y1: handle(y0), x2: x3 - (x3 - x0) * 0.2, y2: handle(y3), x3, y3 };
  }
  if (besides) {
    const rightward = to.left >= from.right;
    const gap = Math.max(to.left - from.right, from.left - to.right);
    const narrower = Math.min(from.right - from.left, to.right - to.left);
    const shortest = Math.min(longestStep, Math.max(9, narrower / 4));
    const into = Math.max(0, (shortest - gap) / 2); // a step over a narrow gap reaches into both boxes
    const sign = rightward ? 1 : -1;
    const x0 = (rightward ? from.right : from.left) - sign * into;
    const x3 = (rightward ? to.left : to.right) + sign * into;
    const y = Math.max(from.top, to.top) * 0.18 + Math.min(from.bottom, to.bottom) * 0.82; // below the numbers
    const middle = (x0 + x3) / 2;
    return { x0, y0: y, x1: middle, y1: y, x2: middle, y2: y, x3, y3: y };
  }
  const downward = centreY(to) > centreY(from);
  const y0 = downward ? from.bottom : from.top;
  const y3 = downward ? to.top : to.bottom;
  const x0 = centreX(from);
  const x3 = centreX(to);
  const middle = (y0 + y3) / 2;
  return { x0, y0, x1: x0, y1: middle, x2: x3, y2: middle, x3, y3 };
}

// The top (backward: bottom) of the boxes between the two ends of a link, in layout units; null: there are none.
function crestOf(model: GraphModel, link: Link): number | null {
  const [from, to] = [model.data.pieces[link.from]!, model.data.pieces[link.to]!];
  const left = Math.min(from.left + from.width, to.left + to.width);
  const right = Math.max(from.left, to.left);
  const top = Math.min(from.top, to.top);
  const bottom = Math.max(from.top + from.height, to.top + to.height);
  const between = model.data.pieces.filter(
    (other) =>
      other !== from && other !== to && other.left >= left && other.left + other.width <= right &&
      other.top < bottom && other.top + other.height > top,
  );
  if (between.length === 0) return null;
  return from.backward
    ? Math.max(...between.map((other) => other.top + other.height))
    : Math.min(...between.map((other) => other.top));
}

const crests = new WeakMap<GraphModel, (number | null)[]>();
function crestsOf(model: GraphModel): (number | null)[] {
  let known = crests.get(model);
  if (known === undefined) crests.set(model, (known = model.links.map((link) => crestOf(model, link))));
  return known;
}

function curveOf(scene: Scene, index: number): Curve {
  const { model } = scene;
  const link = model.links[index]!;
  const [from, to] = [model.data.pieces[link.from]!, model.data.pieces[link.to]!];
  const crest = crestsOf(model)[index]!;
  const onScreen = crest === null ? null : toScreenY(scene.view, scene.size, crest);
  return curve(pieceOnScreen(scene, from), pieceOnScreen(scene, to), onScreen, from.backward);
}

// From flank to flank: drawn above the boxes, as it may reach into them.
function isStep(scene: Scene, index: number): boolean {
  const { model } = scene;
  const link = model.links[index]!;
  const [from, to] = [model.data.pieces[link.from]!, model.data.pieces[link.to]!];
  return crestsOf(model)[index] === null && from.top < to.top + to.height && to.top < from.top + from.height;
}

function widthOf(scene: Scene, link: Link): number {
  return link.cost === 0 ? 1 : 1.5 + 6 * Math.sqrt(link.cost / scene.model.mostLinkCost);
}

// Below the boxes: all links but the steps to a neighbour.
export function drawLinks(scene: Scene): void {
  scene.model.links.forEach((_, index) => {
    if (!isStep(scene, index)) drawLink(scene, index);
  });
}

// Above the boxes.
export function drawSteps(scene: Scene): void {
  scene.model.links.forEach((_, index) => {
    if (isStep(scene, index)) drawLink(scene, index);
  });
}

function drawLink(scene: Scene, index: number): void {
  const { context, model, palette, marks } = scene;
  const link = model.links[index]!;
  const [from, to] = [model.data.pieces[link.from]!, model.data.pieces[link.to]!];
  const moves = from.device !== to.device;
  if (moves && scene.levels.pieces === 0) return; // its edges are drawn instead
  const { x0, y0, x1, y1, x2, y2, x3, y3 } = curveOf(scene, index);
  const faded = isDimmed(scene, from.device) && isDimmed(scene, to.device);
  context.save();
  context.globalAlpha = (moves ? scene.levels.pieces : 1) * (faded ? dimmed : marks.link === index ? 1 : moves ? 0.8 : 0.6);
  context.strokeStyle = context.fillStyle = moves ? passColour(palette, from.device, false) : palette["ink-3"];
  context.lineWidth = widthOf(scene, link) + (marks.link === index ? 1.5 : 0);
  if (!moves) context.setLineDash([3, 4]);
  // The line ends where the head begins.
  const length = Math.max(Math.hypot(x3 - x2, y3 - y2), 1e-6);
  const [ux, uy] = [(x3 - x2) / length, (y3 - y2) / length];
  const whole = Math.hypot(x3 - x0, y3 - y0);
  context.lineWidth = Math.min(context.lineWidth, Math.max(1, whole * 0.3));
  const head = Math.min(5 + context.lineWidth * 0.9, whole * 0.55);
  const wide = Math.max(4, context.lineWidth);
  context.beginPath();
  context.moveTo(x0, y0);
  context.bezierCurveTo(x1, y1, x2, y2, x3 - ux * head, y3 - uy * head);
  context.stroke();
  context.beginPath();
  context.moveTo(x3, y3);
  context.lineTo(x3 - ux * head - uy * wide, y3 - uy * head + ux * wide);
  context.lineTo(x3 - ux * head + uy * wide, y3 - uy * head - ux * wide);
  context.fill();
  context.restore();
}

// A point in the middle of a link, on the screen.
export function middleOfLink(scene: Scene, index: number): { x: number; y: number } {
  const { x0, y0, x1, y1, x2, y2, x3, y3 } = curveOf(scene, index);
  return { x: (x0 + 3 * x1 + 3 * x2 + x3) / 8, y: (y0 + 3 * y1 + 3 * y2 + y3) / 8 };
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
