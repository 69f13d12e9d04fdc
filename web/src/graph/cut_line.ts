// SPDX-License-Identifier: Apache-2.0
// What passes between two devices and stands out in the graph, in a line below it, with the way to its tensors.
import type { Bus } from "../bus";
import { swatch } from "../canvas/controls";
import { deviceCuts, type DeviceCut } from "../cuts";
import type { Page } from "../data";
import { stageName } from "../devices";
import { html } from "../dom";
import { counted } from "../format";
import type { GraphModel } from "./model";

// The cut that an arrow between pieces belongs to; null: its ends are on one device.
export function cutOfLink(model: GraphModel, cuts: readonly DeviceCut[], link: number): number | null {
  const { from, to } = model.links[link]!;
  const [a, b] = [model.data.pieces[from]!, model.data.pieces[to]!];
  const found = cuts.findIndex((cut) => cut.from === a.device && cut.to === b.device && cut.backward === a.backward);
  return found < 0 ? null : found;
}

export interface CutLine {
  element: HTMLElement;
  show(cut: number | null): void;
}

export function createCutLine(page: Page, bus: Bus): CutLine {
  const cuts = deviceCuts(page);
  const text = html("span", {});
  const list = html("button", { type: "button", class: "more" }, "List them");
  const clear = html("button", { type: "button", class: "more" }, "Clear");
  const element = html("p", { class: "graph-cut", "aria-live": "polite", hidden: true }, text, list, clear);
  list.addEventListener("click", () => document.getElementById("cuts")?.scrollIntoView({ block: "start" }));
  clear.addEventListener("click", () => bus.emit("cut", null));
  return {
    element,
    show(chosen) {
      const cut = chosen === null ? undefined : cuts[chosen];
      element.hidden = cut === undefined;
      if (cut === undefined) return;
      const pass = cut.backward ? ", backward" : "";
      text.replaceChildren(
        `${counted(cut.tensors.length, "tensor")} from `, swatch(cut.from), stageName(page, cut.from), " to ",
        swatch(cut.to), `${stageName(page, cut.to)}${pass}`,
      );
    },
  };
}
