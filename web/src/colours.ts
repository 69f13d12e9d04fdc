// SPDX-License-Identifier: Apache-2.0
// Colours. A hue is a device: the colours below, the same as in partita/report/svg.cpp, which says how they were chosen.
// What a device does (compute, in, out, sync) has greys and hatches and no hue; these and all others come from the
// style sheet, which has them for light and for dark.
import type { Page } from "./data";
import { originalOf } from "./devices";

export const deviceColours = [
  "#4e79a7", "#ed7633", "#23a087", "#ced23c", "#7852b6",
  "#1cbbed", "#b3456b", "#bbbf7c", "#e28ebf", "#8c5331",
] as const;

// Devices that share a stage share its colour. main.ts says once which page it is.
let shown: Page | null = null;
export function useColoursOf(page: Page): void {
  shown = page;
}

export function deviceColour(device: number): string {
  const stage = shown === null ? device : originalOf(shown, device);
  return deviceColours[stage % deviceColours.length] ?? deviceColours[0];
}

// The value of a CSS variable as it is now, e.g. cssVariable("--ink"); src/style/theme.css lists them.
export function cssVariable(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
