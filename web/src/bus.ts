// SPDX-License-Identifier: Apache-2.0
// How the views of a page tell each other what the reader does. A view calls `on` for what it cares about and `emit`
// for what happened in it; it hears its own events too.

export type Theme = "light" | "dark";

export interface Events {
  node: number | null; // the selected node, an index into the graph's columns
  device: number | null; // the device that the reader points at, by number
  piece: number | null; // the piece to bring into view, an index into the graph's pieces
  theme: Theme; // the colours have changed: read the CSS variables again
}

type Listener<T> = (value: T) => void;
type Listeners = { [K in keyof Events]: Listener<Events[K]>[] };

export class Bus {
  private readonly listeners: Listeners = { node: [], device: [], piece: [], theme: [] };

  on<K extends keyof Events>(event: K, listener: Listener<Events[K]>): void {
    this.listeners[event].push(listener);
  }

  emit<K extends keyof Events>(event: K, value: Events[K]): void {
    for (const listener of this.listeners[event]) listener(value);
  }
}
