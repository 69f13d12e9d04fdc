// SPDX-License-Identifier: Apache-2.0
// The looks of phases: computing is plain, reading and writing are hatched in opposite directions, synchronising has
// both. A hatch moves with the time below it, so that it does not crawl when the reader pans.
import { mixed, passColour, type Palette } from "../canvas/palette";
import type { Phase } from "./model";

const tile = 6; // CSS pixels

function drawTile(ground: string, stripe: string, phase: Phase, ratio: number): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.round(tile * ratio);
  const context = canvas.getContext("2d");
  if (context === null) return canvas;
  const side = canvas.width;
  context.fillStyle = ground;
  context.fillRect(0, 0, side, side);
  context.strokeStyle = stripe;
  context.lineWidth = 1.3 * ratio;
  context.beginPath();
  for (const shift of [-side, 0, side]) {
    if (phase !== "o") {
      context.moveTo(shift - 1, side + 1);
      context.lineTo(shift + side + 1, -1);
    }
    if (phase !== "i") {
      context.moveTo(shift - 1, -1);
      context.lineTo(shift + side + 1, side + 1);
    }
  }
  context.stroke();
  return canvas;
}

export class Fills {
  private readonly plain = new Map<string, string>();
  private readonly hatched = new Map<string, CanvasPattern | string>();
  private readonly matrix: DOMMatrix;

  // `origin`: where time 0 is, in pixels.
  constructor(
    private readonly palette: Palette,
    private readonly context: CanvasRenderingContext2D,
    private readonly ratio: number,
    origin: number,
  ) {
    this.matrix = new DOMMatrix([1 / ratio, 0, 0, 1 / ratio, origin % tile, 0]);
  }

  // One colour: for what is too narrow for a hatch.
  flat(device: number, backward: boolean, phase: Phase): string {
    const key = `${device}${backward ? "b" : "f"}${phase}`;
    let colour = this.plain.get(key);
    if (colour === undefined) {
      const full = passColour(this.palette, device, backward);
      this.plain.set(key, (colour = phase === "c" ? full : mixed(full, this.palette.paper, 0.4)));
    }
    return colour;
  }

  of(device: number, backward: boolean, phase: Phase): CanvasPattern | string {
    if (phase === "c") return this.flat(device, backward, phase);
    const key = `${device}${backward ? "b" : "f"}${phase}`;
    let fill = this.hatched.get(key);
    if (fill === undefined) {
      const full = passColour(this.palette, device, backward);
      const picture = drawTile(mixed(full, this.palette.paper, 0.72), full, phase, this.ratio);
      const pattern = this.context.createPattern(picture, "repeat");
      pattern?.setTransform(this.matrix);
      this.hatched.set(key, (fill = pattern ?? full));
    }
    return fill;
  }
}
