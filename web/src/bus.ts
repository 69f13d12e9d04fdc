// SPDX-License-Identifier: Apache-2.0
// How the views of a page tell each other what the reader does. A view calls `on` for what it cares about and `emit`
// for what happened in it; it hears its own events too.
//
// A device stands out while the reader points at it, and for longer where he has marked it: pointing elsewhere shows
// the other one for as long as that lasts, and never takes the mark away.

export type Theme = "light" | "dark";

export interface Events {
  node: number | null; // the selected node, an index into the graph's columns
  device: number | null; // the device that stands out now, by number: pointed at, else marked
  mark: number | null; // the device that the reader has marked
  piece: number | null; // the piece to bring into view, an index into the graph's pieces
  cut: number | null; // what crosses between two devices and stands out, an index into deviceCuts()
  theme: Theme; // the colours have changed: read the CSS variables again
}

type Listener<T> = (value: T) => void;
type Listeners = { [K in keyof Events]: Listener<Events[K]>[] };

export class Bus {
  private readonly listeners: Listeners = { node: [], device: [], mark: [], piece: [], cut: [], theme: [] };
  private pointed: number | null = null;
  private kept: number | null = null;

  on<K extends keyof Events>(event: K, listener: Listener<Events[K]>): void {
    this.listeners[event].push(listener);
  }

  emit<K extends keyof Events>(event: K, value: Events[K]): void {
    for (const listener of this.listeners[event]) listener(value);
  }

  get marked(): number | null {
    return this.kept;
  }

  point(device: number | null): void {
    this.pointed = device;
    this.emit("device", this.pointed ?? this.kept);
  }

  mark(device: number | null): void {
    this.kept = device;
    this.emit("mark", device);
    this.emit("device", this.pointed ?? this.kept);
  }

  toggleMark(device: number): void {
    this.mark(this.kept === device ? null : device);
  }
}
