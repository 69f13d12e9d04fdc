// SPDX-License-Identifier: Apache-2.0
// The devices and their colours, in the order of the table. A click marks one, in every view of the page, and goes to
// where its first piece can be read; another click takes the mark away.
import type { Bus } from "../bus";
import { swatch } from "../canvas/controls";
import type { Page } from "../data";
import { originalOf, stageName } from "../devices";
import { html } from "../dom";
import type { GraphModel } from "./model";

export function createLegend(page: Page, model: GraphModel, bus: Bus): HTMLElement {
  const bottleneck = page.plan?.bottleneck ?? null;
  const entries = model.devicesInUse.map((device) => {
    const name = stageName(page, device);
    const isBottleneck = bottleneck !== null && originalOf(page, bottleneck) === device;
    const entry = html(
      "button",
      { type: "button", class: "graph-legend-entry", "aria-pressed": "false", "data-device": device },
      swatch(device),
      name,
      isBottleneck && html("span", { class: "graph-bottleneck" }, "bottleneck"),
    );
    entry.addEventListener("click", () => {
      bus.toggleMark(device);
      if (bus.marked === device) bus.emit("piece", model.data.pieces.findIndex((piece) => piece.device === device));
    });
    return { device, entry };
  });
  bus.on("mark", (device) => {
    for (const each of entries) each.entry.setAttribute("aria-pressed", String(each.device === device));
  });
  const attributes = { class: "graph-legend", role: "group", "aria-label": "Devices", hidden: entries.length === 0 };
  return html("div", attributes, ...entries.map((each) => each.entry));
}
