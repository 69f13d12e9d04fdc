// SPDX-License-Identifier: Apache-2.0
// What is under the pointer, and what the tip says about it.
import type { Description } from "../canvas/controls";
import { wordOf, type Page } from "../data";
import { stageName } from "../devices";
import { bytes, time } from "../format";
import { linkAt } from "./draw_links";
import { sharing, timeWhereItIs, type GraphModel } from "./model";
import { mainLevel, type Scene } from "./scene";
import { toWorldX, toWorldY } from "./viewport";

export type Target = { kind: "node" | "piece" | "link"; index: number } | { kind: "none" };

const fingerTip = 7; // pixels around a dot that still hit it

export function findUnder(scene: Scene, screenX: number, screenY: number): Target {
  const { model, view, size } = scene;
  const x = toWorldX(view, size, screenX);
  const y = toWorldY(view, size, screenY);
  if (mainLevel(scene.levels) !== "pieces") {
    const node = model.grid.nearest(x, y, Math.max(0.5, fingerTip / view.scale));
    return node === null ? { kind: "none" } : { kind: "node", index: node };
  }
  const piece = model.data.pieces.findIndex(
    ({ left, top, width, height }) => x >= left && x <= left + width && y >= top && y <= top + height);
  if (piece >= 0) return { kind: "piece", index: piece };
  const link = linkAt(scene, screenX, screenY);
  return link === null ? { kind: "none" } : { kind: "link", index: link };
}

export function describe(page: Page, model: GraphModel, target: Target): Description | null {
  if (target.kind === "none") return null;
  const device = (number: number): string => stageName(page, number);
  const pass = (backward: boolean): string => (backward ? ", backward" : "");
  const { data } = model;
  if (target.kind === "node") {
    const node = target.index;
    const own = timeWhereItIs(page, model, node);
    const lines: [string, string][] = [["on", device(model.device[node]!) + pass(model.backward[node] === 1)]];
    const op = wordOf(data.op, node);
    const output = wordOf(data.output, node);
    const source = wordOf(data.source, node);
    const size = data.outputBytes?.[node] ?? null;
    if (op) lines.push(["operator", op]);
    if (output) lines.push(["output", output]);
    if (own !== null) lines.push(["time", source ? `${time(own)}, ${source}` : time(own)]);
    if (model.leaves[node]) lines.push(["moving its output", time(model.outputCost[node]!)]);
    if (size !== null) lines.push(["size of its output", bytes(size)]);
    return { title: data.name[node] || `node ${data.id[node]!}`, lines };
  }
  if (target.kind === "piece") {
    const piece = data.pieces[target.index]!;
    const share = sharing(page, piece.device);
    return {
      title: device(piece.device) + pass(piece.backward),
      lines: [
        ["nodes", piece.nodes.toLocaleString("en-US")],
        ["load", time(model.load[target.index]!)],
        ["compute", time(piece.compute / share)],
        ["in", time(piece.in / share)],
        ["out", time(piece.out / share)],
      ],
    };
  }
  const link = model.links[target.index]!;
  const [from, to] = [data.pieces[link.from]!, data.pieces[link.to]!];
  return {
    title: `${device(from.device)}${pass(from.backward)} to ${device(to.device)}${pass(to.backward)}`,
    lines: [
      ["outputs", link.outputs.toLocaleString("en-US")],
      ["cost", from.device === to.device ? "none, on one device" : time(link.cost)],
    ],
  };
}
