// SPDX-License-Identifier: Apache-2.0
// Horizontal bars of segments, one row for each device, all on one scale. Plain elements: they print, wrap and can be
// reached by keyboard.
import type { Bus } from "../bus";
import { deviceColour } from "../colours";
import type { Page } from "../data";
import { originalOf } from "../devices";
import { html, type Child } from "../dom";
import { significant } from "../format";
import { revealPiece } from "../reveal";
import { tipFor } from "../tip";

export interface BarScale {
  end: number;
  ticks: readonly number[];
}

export interface Mark {
  kind: "value" | "bound";
  at: number;
}

export interface BarSegment {
  mark: string; // class of its colour
  lane: number;
  start: number;
  length: number;
}

export interface BarRow {
  scale: BarScale;
  marks: readonly Mark[];
  lanes: number;
  segments: readonly BarSegment[];
  number: string; // at the right
  note: string; // what is special about the row
  tip: () => Child[];
}

function share(value: number): string {
  return `${Number((100 * value).toFixed(4))}%`;
}

// The name of a device; where there is a graph, a click shows the device's first piece there.
export function deviceLabel(page: Page, bus: Bus, device: number, label: string): HTMLElement {
  const swatch = html("i", { class: "swatch", style: `background:${deviceColour(device)}` });
  const piece = page.graph?.pieces.findIndex((candidate) => candidate.device === originalOf(page, device)) ?? -1;
  if (piece < 0) return html("span", { class: "device" }, swatch, label);
  const button = html("button", { type: "button", class: "device", title: "show in the graph" }, swatch, label);
  button.addEventListener("click", () => revealPiece(bus, originalOf(page, device), piece));
  return button;
}

// Tells the other views which device the reader points at, and shows which one he points at there.
export function highlights(element: HTMLElement, bus: Bus, device: number): void {
  element.addEventListener("pointerenter", () => bus.point(device));
  element.addEventListener("pointerleave", () => bus.point(null));
  element.addEventListener("focusin", () => bus.point(device));
  element.addEventListener("focusout", () => bus.point(null));
  bus.on("device", (shown) => element.classList.toggle("pointed", shown === device));
}

export function barRow(page: Page, bus: Bus, { device, label }: { device: number; label: string }, row: BarRow): HTMLElement {
  const height = 100 / row.lanes;
  const segments = row.segments.map((segment) => {
    const place = `left:${share(segment.start / row.scale.end)};width:${share(segment.length / row.scale.end)}`;
    const lane = `top:${segment.lane * height}%;height:${height}%`;
    return html("i", { class: `segment ${segment.mark}`, style: `${place};${lane}` });
  });
  const marks = row.marks.map((mark) =>
    html("i", { class: `mark ${mark.kind}`, style: `left:${share(mark.at / row.scale.end)}` }));
  const element = html("li", { class: row.note ? "noted" : null, "data-device": device },
    deviceLabel(page, bus, device, label),
    html("span", { class: "track" }, html("span", { class: "bar" }, ...segments), ...marks),
    html("span", { class: "number" }, row.number, row.note && html("em", {}, row.note)));
  highlights(element, bus, device);
  tipFor(element, row.tip);
  return element;
}

export function axis(scale: BarScale): HTMLElement {
  return html("div", { class: "axis", "aria-hidden": "true" },
    html("span", { class: "track" },
      ...scale.ticks.map((tick) => html("span", { style: `left:${share(tick / scale.end)}` }, significant(tick, 6)))));
}
