// SPDX-License-Identifier: Apache-2.0
// The devices and their colours. A click marks one, in every view of the page; another click takes the mark away.
import type { Bus } from "../bus";
import { swatch } from "../canvas/controls";
import type { Page } from "../data";
import { html } from "../dom";

export function createLegend(page: Page, devices: readonly number[], bus: Bus): HTMLElement {
  let marked: number | null = null;
  const entries = devices.map((device) => {
    const name = page.devices[device]?.name ?? `device ${device}`;
    const isBottleneck = page.plan?.bottleneck === device;
    const entry = html(
      "button",
      { type: "button", class: "graph-legend-entry", "aria-pressed": "false", "data-device": device },
      swatch(device),
      name,
      isBottleneck && html("span", { class: "graph-bottleneck" }, "bottleneck"),
    );
    entry.addEventListener("click", () => bus.emit("device", marked === device ? null : device));
    return { device, entry };
  });
  bus.on("device", (device) => {
    marked = device;
    for (const each of entries) each.entry.setAttribute("aria-pressed", String(each.device === device));
  });
  const attributes = { class: "graph-legend", role: "group", "aria-label": "Devices", hidden: entries.length === 0 };
  return html("div", attributes, ...entries.map((each) => each.entry));
}
