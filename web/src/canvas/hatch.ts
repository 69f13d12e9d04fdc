// SPDX-License-Identifier: Apache-2.0
// Hatches, which say what a device does without a colour: reading is hatched one way, writing the other, synchronising
// both ways. src/style/bars.css has the same for elements.

export type Hatch = "up" | "down" | "both";

const tileSide = 6; // CSS pixels
const tiles = new Map<string, HTMLCanvasElement>();

// What to fill with, at `ratio` device pixels to the CSS pixel; `origin` moves the hatch along, so that it does not
// crawl over what moves.
export function hatched(
  context: CanvasRenderingContext2D, ground: string, stripe: string, hatch: Hatch, ratio: number, origin = 0,
): CanvasPattern | string {
  const key = [ground, stripe, hatch, ratio].join();
  let tile = tiles.get(key);
  if (tile === undefined) tiles.set(key, (tile = drawTile(ground, stripe, hatch, ratio)));
  const pattern = context.createPattern(tile, "repeat");
  pattern?.setTransform(new DOMMatrix([1 / ratio, 0, 0, 1 / ratio, origin % tileSide, 0]));
  return pattern ?? stripe;
}

function drawTile(ground: string, stripe: string, hatch: Hatch, ratio: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.round(tileSide * ratio);
  const context = canvas.getContext("2d");
  if (context === null) return canvas;
  const side = canvas.width;
  context.fillStyle = ground;
  context.fillRect(0, 0, side, side);
  context.strokeStyle = stripe;
  context.lineWidth = 1.3 * ratio;
  context.beginPath();
  for (const shift of [-side, 0, side]) {
    if (hatch !== "down") {
      context.moveTo(shift - 1, side + 1);
      context.lineTo(shift + side + 1, -1);
    }
    if (hatch !== "up") {
      context.moveTo(shift - 1, -1);
      context.lineTo(shift + side + 1, side + 1);
    }
  }
  context.stroke();
  return canvas;
}
