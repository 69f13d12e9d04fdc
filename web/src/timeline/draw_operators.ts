// SPDX-License-Identifier: Apache-2.0
// A block of a lane from near: the number of its sample on top, below it the operators that it runs, in shades that take
// turns, with names where they fit. Those narrower than a pixel are drawn together.
import { inkOn, mixed, passColour } from "../canvas/palette";
import { shortened, textWidth } from "../canvas/text";
import { beginOf, operatorAt, type PieceOperators } from "./operators";
import type { TimeScene } from "./scene";

const narrow = 1.2; // pixels
const leastName = 22;
const leastText = 15; // pixels of a lane's height that a name needs
const shades = [0.1, 0.26] as const; // of paper

export interface Block {
  interval: number;
  left: number; // of the whole block, which may begin and end outside of the window
  width: number;
  top: number;
  device: number;
  backward: boolean;
}

const stripHeight = (height: number): number => (height > leastText ? Math.round(height * 0.4) : 0);

// Returns how many rectangles were drawn.
export function drawOperators(scene: TimeScene, block: Block, at: PieceOperators): number {
  const { context, palette, rows, operators } = scene;
  if (operators === null) return 0;
  const { track, height } = rows;
  const own = passColour(palette, block.device, block.backward);
  const fills = shades.map((share) => mixed(own, palette.paper, share));
  const strip = stripHeight(height);
  const top = block.top + strip;
  const size = Math.min(11, height - strip - 4);
  const [begin, end] = [Math.max(track.left, block.left), Math.min(track.right, block.left + block.width)];
  let drawn = 0;
  let joined: number | null = null; // left of the narrow ones that wait

  const flush = (right: number): void => {
    if (joined === null) return;
    context.fillStyle = fills[1]!;
    context.fillRect(joined, top, right - joined, height - strip);
    joined = null;
    ++drawn;
  };
  context.font = `400 ${size}px ${palette.sans}`;
  for (let i = operatorAt(at, (begin - block.left) / block.width); i < at.ends.length; ++i) {
    const left = Math.max(begin, block.left + beginOf(at, i) * block.width);
    const right = Math.min(end, block.left + at.ends[i]! * block.width);
    if (left >= end) break;
    if (right - left < narrow) {
      joined ??= left;
      if (right - joined >= narrow) flush(right);
      continue;
    }
    flush(left);
    const fill = fills[i % 2]!;
    context.fillStyle = fill;
    context.fillRect(left, top, right - left - (right - left > 5 ? 0.75 : 0), height - strip);
    ++drawn;
    const node = operators.node(at, i);
    if (strip > 0 && right - left > leastName) {
      const text = fitting(context, operators.name(node), right - left - 6);
      context.fillStyle = inkOn(fill);
      context.textAlign = "center";
      context.textBaseline = "middle";
      if (text) context.fillText(text, (left + right) / 2, (top + block.top + height) / 2 + 0.5);
    }
    const pointed = scene.operator !== null && scene.operator.interval === block.interval && scene.operator.index === i;
    if (pointed || node === scene.node) frame(scene, left, right, top, height - strip);
  }
  flush(end);
  if (strip > 0) drawStrip(scene, block, begin, end, strip, own);
  return drawn;
}

// The name, or the last part of its path, or the beginning of that.
function fitting(context: CanvasRenderingContext2D, name: string, room: number): string {
  if (textWidth(context, name) <= room) return name;
  return shortened(context, name.split(/[/.:]/).filter(Boolean).pop() ?? name, room);
}

function frame({ context, palette }: TimeScene, left: number, right: number, top: number, height: number): void {
  context.strokeStyle = palette.ink;
  context.lineWidth = 2;
  context.strokeRect(left + 1, top + 1, Math.max(right - left - 2, 1), height - 2);
}

// In the middle of what is seen of the block.
function drawStrip(scene: TimeScene, block: Block, begin: number, end: number, height: number, fill: string): void {
  const { context, palette, model } = scene;
  const text = String(model.data.sample[block.interval]);
  context.font = `500 ${Math.min(9, height)}px ${palette.sans}`;
  if (textWidth(context, text) + 4 > end - begin) return;
  context.fillStyle = inkOn(fill);
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(text, (begin + end) / 2, block.top + height / 2 + 0.5);
}
