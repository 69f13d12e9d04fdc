// SPDX-License-Identifier: Apache-2.0
// The graph view: every node in its piece's box.
import type { Bus } from "../bus";
import type { Page } from "../data";
import { html } from "../dom";
import { counted } from "../format";

export function mountGraph(host: HTMLElement, page: Page, bus: Bus): void {
  const graph = page.graph;
  if (!graph) return;
  const line = html("p", {}, `${counted(graph.id.length, "node")}, ${counted(graph.edgeFrom.length, "edge")}`);
  bus.on("node", (node) => line.replaceChildren(node === null ? "" : (graph.name[node] ?? String(graph.id[node]))));
  host.append(line);
}
