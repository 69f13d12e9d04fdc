// SPDX-License-Identifier: Apache-2.0
// The buttons that canvas views have.
import { html } from "../dom";

export function button(label: string, text: string, act: () => void): HTMLButtonElement {
  const made = html("button", { type: "button", class: "canvas-button", "aria-label": label, title: label }, text);
  made.addEventListener("click", act);
  return made;
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

export const wantsStillness = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;
