// SPDX-License-Identifier: Apache-2.0
// The colours and fonts of a canvas: those of the style sheet, read once for each theme, and shades of the devices'.
import { cssVariable, deviceColour } from "../colours";

const names = [
  "paper", "panel", "ink", "ink-2", "ink-3", "line", "line-strong", "accent", "bottleneck", "compute", "in",
  "in-stripe", "out", "out-stripe", "sans",
] as const;
type Name = (typeof names)[number];

export type Palette = Record<Name, string> & { dark: boolean };

export function readPalette(): Palette {
  const values = Object.fromEntries(names.map((name) => [name, cssVariable(`--${name}`)])) as Record<Name, string>;
  return { ...values, dark: luminance(values.paper) < 0.5 };
}

function channels(colour: string): [number, number, number] {
  const value = parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

// `share` of the second colour; both are #rrggbb.
export function mixed(first: string, second: string, share: number): string {
  const [a, b] = [channels(first), channels(second)];
  const parts = a.map((value, i) => Math.round(value + (b[i]! - value) * share));
  return `#${parts.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

function luminance(colour: string): number {
  const [red, green, blue] = channels(colour);
  return (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
}

// Paler for the backward pass.
export function passColour(palette: Palette, device: number, backward: boolean): string {
  const full = device < 0 ? palette["ink-3"] : deviceColour(device);
  return backward ? mixed(full, palette.paper, 0.45) : full;
}

export function inkOn(background: string): string {
  return luminance(background) > 0.55 ? "#1d1f23" : "#ffffff";
}
