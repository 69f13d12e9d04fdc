// SPDX-License-Identifier: Apache-2.0
// The looks of phases: computing is plain, reading and writing are hatched in opposite directions, synchronising has
// both. A hatch moves with the time below it, so that it does not crawl when the reader pans.
import { hatched, type Hatch } from "../canvas/hatch";
import { mixed, passColour, type Palette } from "../canvas/palette";
import type { Phase } from "./model";

const hatches: Record<Exclude<Phase, "c">, Hatch> = { i: "up", o: "down", s: "both" };

export class Fills {
  private readonly plain = new Map<string, string>();
  private readonly hatched = new Map<string, CanvasPattern | string>();
  // `origin`: where time 0 is, in pixels.
  constructor(
    private readonly palette: Palette,
    private readonly context: CanvasRenderingContext2D,
    private readonly ratio: number,
    private readonly origin: number,
  ) {}

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
      const ground = mixed(full, this.palette.paper, 0.72);
      fill = hatched(this.context, ground, full, hatches[phase], this.ratio, this.origin);
      this.hatched.set(key, fill);
    }
    return fill;
  }
}
