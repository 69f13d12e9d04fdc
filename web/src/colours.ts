// SPDX-License-Identifier: Apache-2.0
// Colours: those of devices are fixed and the same as in partita/report/svg.cpp; all others come from the style sheet,
// which has them for light and for dark.

const deviceColours = [
  "#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1",
  "#76b7b2", "#edc948", "#ff9da7", "#9c755f", "#8f98a3",
] as const;

export function deviceColour(device: number): string {
  return deviceColours[device % deviceColours.length] ?? deviceColours[0];
}

// The value of a CSS variable as it is now, e.g. cssVariable("--ink"); src/style/theme.css lists them.
export function cssVariable(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
