// SPDX-License-Identifier: Apache-2.0
// Edges between nodes: straight hairlines while nodes are dots, curves with heads once they are boxes.
//
// Which edges are seen is asked of all of them, four comparisons each: a look at 12,000 takes some 30 microseconds,
// less than any index would save. Lines of one device pixel are drawn many times faster than wider ones, so the many
// lines of the dots are exactly that wide. Edges between two pieces of one device move nothing, are long and many (in
// training each forward piece feeds its backward piece): they are drawn as one link (draw_links.ts), and one by one only
// for the node that the reader looks at. Those between devices are drawn where an end is seen, the fainter the more of
// them there are: they are a hint, not a fog.
import { dimmed, type Scene } from "./scene";
import { toScreenX, toScreenY, type Rectangle } from "./viewport";

type Style = "inside" | "crossing";
const styles: readonly Style[] = ["inside", "crossing"]; // in drawing order

function contains(area: Rectangle, x: number, y: number): boolean {
  return x >= area.left && x <= area.right && y >= area.top && y <= area.bottom;
}

function seenEdges(scene: Scene): Record<Style, number[]> {
  const { model, area } = scene;
  const { edgeFrom, edgeTo } = model.data;
  const found: Record<Style, number[]> = { inside: [], crossing: [] };
  for (let edge = 0; edge < edgeFrom.length; ++edge) {
    const crosses = model.crosses[edge] === 1;
    if (model.between[edge] && !crosses) continue;
    const from = edgeFrom[edge]!;
    const to = edgeTo[edge]!;
    const x0 = model.x[from]!, y0 = model.y[from]!, x1 = model.x[to]!, y1 = model.y[to]!;
    if (x0 < area.left && x1 < area.left) continue;
    if (x0 > area.right && x1 > area.right) continue;
    if (y0 < area.top && y1 < area.top) continue;
    if (y0 > area.bottom && y1 > area.bottom) continue;
    if (crosses && !contains(area, x0, y0) && !contains(area, x1, y1)) continue;
    found[crosses ? "crossing" : "inside"].push(edge);
  }
  return found;
}

const touchesMarked = (scene: Scene, edge: number): boolean => {
  const { model, marks } = scene;
  if (marks.device === null) return true;
  const { edgeFrom, edgeTo } = model.data;
  return model.device[edgeFrom[edge]!] === marks.device || model.device[edgeTo[edge]!] === marks.device;
};

export function drawEdges(scene: Scene): void {
  const { context, palette, levels } = scene;
  const alpha = 1 - levels.pieces;
  if (alpha === 0) return;
  const edges = seenEdges(scene);
  const strength: Record<Style, number> = { inside: palette.dark ? 0.36 : 0.42, crossing: 0.35 };
  for (const style of styles) {
    const near = style === "inside" ? 1 : 1 + 1.5 * levels.boxes;
    const crowd = 1 + edges[style].length / (style === "inside" ? 8000 : 500);
    for (const bright of [false, true]) {
      const group = edges[style].filter((edge) => touchesMarked(scene, edge) === bright);
      if (group.length === 0) continue;
      const shown = ((alpha * strength[style] * near) / crowd) * (bright ? 1 : dimmed);
      context.strokeStyle = style === "crossing" ? palette.accent : palette["ink-2"];
      context.fillStyle = context.strokeStyle;
      if (levels.boxes < 1) {
        context.globalAlpha = shown * (1 - levels.boxes);
        context.lineWidth = 1 / scene.ratio;
        strokeStraight(scene, group);
      }
      if (levels.boxes > 0) {
        context.globalAlpha = Math.min(1, shown * 1.3) * levels.boxes;
        context.lineWidth = 1.25;
        strokeCurved(scene, group);
      }
    }
  }
  context.globalAlpha = 1;
}

function strokeStraight(scene: Scene, edges: readonly number[]): void {
  const { context, model, view, size } = scene;
  context.beginPath();
  for (const edge of edges) {
    const from = model.data.edgeFrom[edge]!;
    const to = model.data.edgeTo[edge]!;
    context.moveTo(toScreenX(view, size, model.x[from]!), toScreenY(view, size, model.y[from]!));
    context.lineTo(toScreenX(view, size, model.x[to]!), toScreenY(view, size, model.y[to]!));
  }
  context.stroke();
}

// From the border of one box to that of the other. An edge that passes other boxes of its own column bends around them.
export function strokeCurved(scene: Scene, edges: readonly number[]): void {
  const { context, model, view, size } = scene;
  const heads = new Path2D();
  const half = view.scale * 0.46;
  context.beginPath();
  for (const edge of edges) {
    const from = model.data.edgeFrom[edge]!;
    const to = model.data.edgeTo[edge]!;
    const dx = (model.x[to]! - model.x[from]!) * view.scale;
    const dy = (model.y[to]! - model.y[from]!) * view.scale;
    const upright = Math.abs(dy) >= Math.min(Math.abs(dx), 1.1 * view.scale);
    const signX = Math.sign(dx) || 1;
    const signY = Math.sign(dy) || 1;
    const x0 = toScreenX(view, size, model.x[from]!) + (upright ? 0 : signX * half);
    const y0 = toScreenY(view, size, model.y[from]!) + (upright ? signY * half : 0);
    const x3 = x0 + dx - (upright ? 0 : 2 * signX * half);
    const y3 = y0 + dy - (upright ? 2 * signY * half : 0);
    const passes = upright && Math.abs(dx) < view.scale && Math.abs(dy) > 2.2 * view.scale;
    const aside = passes ? view.scale * (0.8 + Math.min(Math.abs(dy) / view.scale, 8) * 0.08) : 0;
    const reach = (upright ? y3 - y0 : x3 - x0) * (passes ? 0.25 : 0.45);
    const [x1, y1] = upright ? [x0 + aside, y0 + reach] : [x0 + reach, y0];
    const [x2, y2] = upright ? [x3 + aside, y3 - reach] : [x3 - reach, y3];
    const length = Math.max(Math.hypot(x3 - x2, y3 - y2), 1e-6);
    const [ux, uy] = [(x3 - x2) / length, (y3 - y2) / length];
    const head = Math.min(8, view.scale * 0.14);
    context.moveTo(x0, y0);
    context.bezierCurveTo(x1, y1, x2, y2, x3 - ux * head * 0.8, y3 - uy * head * 0.8);
    heads.moveTo(x3, y3);
    heads.lineTo(x3 - ux * head - uy * head * 0.5, y3 - uy * head + ux * head * 0.5);
    heads.lineTo(x3 - ux * head + uy * head * 0.5, y3 - uy * head - ux * head * 0.5);
    heads.closePath();
  }
  context.stroke();
  context.fill(heads);
}
