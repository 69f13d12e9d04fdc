// SPDX-License-Identifier: Apache-2.0
// Grounds that join the nodes of one layer of the network, below edges and nodes, where the reader asks for them. A
// layer has a ground in every piece that holds some of it.
import { mixed } from "../canvas/palette";
import type { GraphModel } from "./model";
import { dimmed, isDimmed, type Scene } from "./scene";
import { toScreenX, toScreenY } from "./viewport";

// Half of what a node's ground takes: nodes next to each other in a line (1.75 units apart) or beside it (1.5) join.
const halfWidth = 0.75;
const halfHeight = 0.875;
const nameScale = 30; // pixels to the unit, from which names have room above the nodes

export interface LayerGround {
  layer: number;
  device: number;
  tint: number; // 0 or 1: neighbours differ
  nodes: number[];
  first: number; // the node that is highest, the left one of equals: the name is above it
}

export function layerGrounds(model: GraphModel): LayerGround[] {
  const { layer, piece } = model.data;
  if (layer === undefined) return [];
  const grounds = new Map<string, LayerGround>();
  const rank = new Map<number, number>(); // of layers, as they come
  layer.forEach((number, node) => {
    if (number === null) return;
    if (!rank.has(number)) rank.set(number, rank.size);
    const key = `${piece[node]!} ${number}`;
    const ground = grounds.get(key);
    if (ground === undefined) {
      const tint = rank.get(number)! % 2;
      grounds.set(key, { layer: number, device: model.device[node]!, tint, nodes: [node], first: node });
      return;
    }
    ground.nodes.push(node);
    const [x, y] = [model.x[node]! - model.x[ground.first]!, model.y[node]! - model.y[ground.first]!];
    if (x < 0 || (x === 0 && y < 0)) ground.first = node; // lines go down, and each is right of the one before
  });
  return [...grounds.values()];
}

// `more` pixels larger on every side. Whole pixels: what touches leaves no seam.
function fillGround(scene: Scene, ground: LayerGround, colour: string, more: number): void {
  const { context, model, view, size, area } = scene;
  context.fillStyle = colour;
  for (const node of ground.nodes) {
    const [x, y] = [model.x[node]!, model.y[node]!];
    if (x < area.left || x > area.right || y < area.top || y > area.bottom) continue;
    const left = Math.round(toScreenX(view, size, x - halfWidth)) - more;
    const right = Math.round(toScreenX(view, size, x + halfWidth)) + more;
    const top = Math.round(toScreenY(view, size, y - halfHeight)) - more;
    const bottom = Math.round(toScreenY(view, size, y + halfHeight)) + more;
    context.fillRect(left, top, right - left, bottom - top);
  }
}

// Each a little larger in the colour of lines, then itself: what stays of the larger one is an outline.
export function drawLayers(scene: Scene, grounds: readonly LayerGround[]): void {
  const { context, palette, levels } = scene;
  const tints = [0.04, palette.dark ? 0.2 : 0.12].map((share) => mixed(palette.paper, palette.ink, share));
  const line = mixed(palette.paper, palette.ink, 0.35);
  const alpha = 1 - levels.pieces;
  if (alpha === 0) return;
  for (const ground of grounds) {
    context.globalAlpha = alpha * (isDimmed(scene, ground.device) ? dimmed : 1);
    fillGround(scene, ground, line, 1);
    fillGround(scene, ground, tints[ground.tint]!, 0);
  }
  context.globalAlpha = 1;
}

export function drawLayerNames(scene: Scene, grounds: readonly LayerGround[]): void {
  const { context, model, palette, view, size, area } = scene;
  if (view.scale < nameScale) return;
  context.font = `500 ${Math.min(11, 0.24 * view.scale)}px ${palette.sans}`;
  context.textBaseline = "top";
  context.textAlign = "left";
  context.fillStyle = palette["ink-2"];
  for (const { layer, first, device } of grounds) {
    const [x, y] = [model.x[first]!, model.y[first]!];
    if (x < area.left || x > area.right || y < area.top || y > area.bottom) continue;
    context.globalAlpha = isDimmed(scene, device) ? dimmed : 1;
    const left = toScreenX(view, size, x - halfWidth) + 4;
    context.fillText(`layer ${layer}`, left, toScreenY(view, size, y - halfHeight) + 2);
  }
  context.globalAlpha = 1;
}
