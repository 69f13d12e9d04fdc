// SPDX-License-Identifier: Apache-2.0
// The view as it is now, and the flight it is on, if any.
import { wantsStillness } from "../canvas/controls";
import { flight, type Flight, type Size, type View } from "./viewport";

const shortest = 220; // milliseconds
const longest = 1300;
const perUnit = 300; // of a flight's length

export class Camera {
  private flying: { way: Flight; to: View; begin: number | null; duration: number } | null = null;

  constructor(private now: View) {}

  get view(): View {
    return this.now;
  }

  // Where it will be: what the next step of zooming starts from.
  get goal(): View {
    return this.flying?.to ?? this.now;
  }

  get moving(): boolean {
    return this.flying !== null;
  }

  jump(to: View): void {
    this.flying = null;
    this.now = to;
  }

  fly(to: View, size: Size): void {
    if (wantsStillness() || size.width === 0) {
      this.jump(to);
      return;
    }
    const way = flight(this.now, to, size);
    const duration = Math.min(longest, Math.max(shortest, perUnit * way.length));
    this.flying = { way, to, begin: null, duration };
  }

  // Moves on to a time (of an animation frame); whether there is more to come.
  advance(time: number): boolean {
    if (this.flying === null) return false;
    const { way, to, duration } = this.flying;
    this.flying.begin ??= time;
    const share = Math.min(1, (time - this.flying.begin) / duration);
    const eased = share < 0.5 ? 4 * share ** 3 : 1 - (2 - 2 * share) ** 3 / 2;
    this.now = share >= 1 ? to : way.at(eased);
    if (share >= 1) this.flying = null;
    return share < 1;
  }
}
