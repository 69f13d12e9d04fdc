// SPDX-License-Identifier: Apache-2.0
// What the reader clicks on the page and wants to see in the graph: the graph shows it, and the page goes there.
import type { Bus } from "./bus";

function scrollToGraph(): void {
  document.getElementById("graph")?.scrollIntoView({ block: "start" });
}

export function revealNode(bus: Bus, node: number): void {
  bus.emit("node", node);
  scrollToGraph();
}

export function revealCut(bus: Bus, cut: number): void {
  bus.emit("cut", cut);
  scrollToGraph();
}

export function revealPiece(bus: Bus, device: number, piece: number): void {
  bus.mark(device);
  bus.emit("piece", piece);
  scrollToGraph();
}
