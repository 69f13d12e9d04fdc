// SPDX-License-Identifier: Apache-2.0
// What the reader asked for, at every level: the selected node and what the pointer is at, with their edges (below the
// nodes, so that names stay readable), and what the search found.
import { roundedBox } from "../canvas/text";
import { strokeCurved } from "./draw_edges";
import { boxSide, dotRadius, drawBoxes } from "./draw_nodes";
import type { Incidence } from "./model";
import type { Scene } from "./scene";
import { toScreenX, toScreenY } from "./viewport";

const leastRadius = 4; // pixels: a mark can be seen from any distance
const mostHits = 3000; // drawn; beyond that the marks would be a carpet

function edgesOf(incidence: Incidence, node: number): number[] {
  return [...incidence.edges.subarray(incidence.begin[node]!, incidence.begin[node + 1]!)];
}

function drawOwnEdges(scene: Scene, node: number, alpha: number): void {
  const { context, model, palette } = scene;
  context.globalAlpha = alpha;
  context.lineWidth = 1.75;
  context.strokeStyle = context.fillStyle = palette.ink;
  strokeCurved(scene, edgesOf(model.outputs, node));
  context.setLineDash([5, 3]); // what it reads
  strokeCurved(scene, edgesOf(model.inputs, node));
  context.setLineDash([]);
  context.globalAlpha = 1;
}

// A ring around the dot, or a frame around the box.
function ring(scene: Scene, node: number, colour: string, width: number, gap: number): void {
  const { context, model, view, size, levels } = scene;
  const x = toScreenX(view, size, model.x[node]!);
  const y = toScreenY(view, size, model.y[node]!);
  const near = levels.boxes;
  const half = Math.max(leastRadius, view.scale * (dotRadius + (boxSide / 2 - dotRadius) * near)) + gap;
  context.strokeStyle = colour;
  context.lineWidth = width;
  roundedBox(context, x - half, y - half, 2 * half, 2 * half, half * (1 - 0.72 * near));
  context.stroke();
}

function dot(scene: Scene, node: number): void {
  const { context, model, colouring, view, size } = scene;
  const radius = Math.max(leastRadius, view.scale * dotRadius);
  context.fillStyle = colouring.of[node]!;
  context.beginPath();
  context.arc(toScreenX(view, size, model.x[node]!), toScreenY(view, size, model.y[node]!), radius, 0, 2 * Math.PI);
  context.fill();
}

function drawCut(scene: Scene): void {
  const { context, palette, marks } = scene;
  if (marks.cut.length === 0) return;
  context.lineWidth = 2;
  context.strokeStyle = context.fillStyle = palette.accent;
  strokeCurved(scene, marks.cut);
}

export function drawMarkedEdges(scene: Scene): void {
  const { selected, hovered } = scene.marks;
  drawCut(scene);
  if (hovered !== null && hovered !== selected) drawOwnEdges(scene, hovered, 0.55);
  if (selected !== null) drawOwnEdges(scene, selected, 1);
}

export function drawMarks(scene: Scene): void {
  const { context, marks, palette, area, model } = scene;
  const seen = (node: number): boolean => {
    const [x, y] = [model.x[node]!, model.y[node]!];
    return x >= area.left && x <= area.right && y >= area.top && y <= area.bottom;
  };
  for (const node of marks.hits.slice(0, mostHits)) if (seen(node)) ring(scene, node, palette.accent, 1.5, 1);

  const producers = new Set(marks.cut.map((edge) => model.data.edgeFrom[edge]!));
  for (const node of producers) if (seen(node)) ring(scene, node, palette.accent, 2, 1);

  if (marks.hovered !== null && marks.hovered !== marks.selected) {
    ring(scene, marks.hovered, palette.ink, 1.5, 1.5);
  }
  if (marks.selected === null) return;
  // Never dimmed, whichever device is marked.
  if (scene.levels.boxes > 0.5) drawBoxes({ ...scene, marks: { ...marks, device: null } }, [marks.selected]);
  else dot(scene, marks.selected);
  ring(scene, marks.selected, palette.paper, 5, 2);
  ring(scene, marks.selected, palette.ink, 2.5, 2);
  context.globalAlpha = 1;
}
