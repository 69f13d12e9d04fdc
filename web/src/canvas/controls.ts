// SPDX-License-Identifier: Apache-2.0
// The buttons that canvas views have.
import { deviceColour } from "../colours";
import { html } from "../dom";
import { showTip, tipLines } from "../tip";

export function button(label: string, text: string, act: () => void): HTMLButtonElement {
  const made = html("button", { type: "button", class: "canvas-button", "aria-label": label, title: label }, text);
  made.addEventListener("click", act);
  return made;
}

// -1: no device.
export function swatch(device: number): HTMLElement {
  const mark = html("i", { class: "swatch", "aria-hidden": "true" });
  mark.style.background = device < 0 ? "var(--ink-3)" : deviceColour(device);
  return mark;
}

export interface ZoomActions {
  zoom(factor: number): void;
  fit(): void;
}

export const zoomStep = 1.5;

export function zoomButtons(actions: ZoomActions): HTMLElement {
  return html(
    "div",
    { class: "canvas-zoom", role: "group", "aria-label": "Zoom" },
    button("Zoom in (+)", "+", () => actions.zoom(zoomStep)),
    button("Zoom out (-)", "\u2212", () => actions.zoom(1 / zoomStep)),
    button("Fit (0)", "Fit", () => actions.fit()),
  );
}

export interface Description {
  title: string;
  lines: readonly (readonly [name: string, value: string])[];
}

// (x, y) is in the canvas.
export function showTipAt(canvas: HTMLElement, x: number, y: number, { title, lines }: Description): void {
  const box = canvas.getBoundingClientRect();
  showTip(tipLines(title, lines), box.left + x, box.top + y);
}

export const wantsStillness = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
