// SPDX-License-Identifier: Apache-2.0
// What the colour of a node says: its device, its time there, or the family of its operator. Colours are made once for a
// scheme and a theme, not for every frame.
import { mixed, passColour, type Palette } from "../canvas/palette";
import { deviceColours } from "../colours";
import { wordOf, type Page } from "../data";
import { timeWhereItIs, type GraphModel } from "./model";

export type Scheme = "device" | "time" | "family";

export interface Colouring {
  scheme: Scheme;
  of: readonly string[]; // by node
}

// From nothing to the most; the least is near the paper. Dark is another ramp, as light is what stands out there.
const ramps = {
  light: ["#efe6d2", "#ecb763", "#d8692f", "#98233b", "#4b0f35"],
  dark: ["#4a4260", "#8c3560", "#d65842", "#f2a043", "#ffe8a6"],
} as const;
const shades = 33; // that are told apart: dots of one colour share a picture

// `share` of the way from the first colour to the last.
export function rampColour(share: number, dark: boolean): string {
  const stops = ramps[dark ? "dark" : "light"];
  const place = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const before = Math.min(Math.floor(place), stops.length - 2);
  return mixed(stops[before]!, stops[before + 1]!, place - before);
}

// Where on the ramp a time is: its root, as most operators take a small part of what the longest takes.
export function placeOnRamp(time: number, most: number): number {
  return most > 0 ? Math.sqrt(time / most) : 0;
}

// On the node's device; without a split, on the class that is quickest for it. Null: it runs nowhere.
export function timeOf(page: Page, model: GraphModel, node: number): number | null {
  if (model.device[node]! >= 0) return timeWhereItIs(page, model, node);
  const times = model.data.time.map((times) => times[node] ?? null).filter((time) => time !== null);
  return times.length === 0 ? null : Math.min(...times);
}

export interface Family {
  name: string;
  time: number; // of all its nodes
  nodes: number;
  colour: string;
}

// Those that take longest first; they have the colours that are told apart best, and what is beyond these is grey.
export function families(page: Page, model: GraphModel, palette: Palette): Family[] {
  const column = model.data.family;
  if (column === undefined) return [];
  const found = column.words.map((name) => ({ name: name || "not said", time: 0, nodes: 0, colour: palette["ink-3"] }));
  column.of.forEach((word, node) => {
    const family = found[word]!;
    family.time += timeOf(page, model, node) ?? 0;
    ++family.nodes;
  });
  found.sort((a, b) => b.time - a.time);
  found.forEach((family, rank) => (family.colour = deviceColours[rank] ?? family.colour));
  return found;
}

export function longest(page: Page, model: GraphModel): number {
  let most = 0;
  for (let node = 0; node < model.nodes; ++node) most = Math.max(most, timeOf(page, model, node) ?? 0);
  return most;
}

// What there is to choose from: a graph without a split has no devices, and not every file names families.
export function schemes(model: GraphModel): Scheme[] {
  return [...(model.devicesInUse.length > 0 ? ["device" as const] : []), "time", ...(model.data.family ? ["family" as const] : [])];
}

function byDevice(model: GraphModel, palette: Palette): string[] {
  const known = new Map<number, string>(); // two for each device
  return Array.from(model.device, (device, node) => {
    const backward = model.backward[node]!;
    const key = 2 * device + backward;
    const colour = known.get(key) ?? passColour(palette, device, backward === 1);
    known.set(key, colour);
    return colour;
  });
}

function byTime(page: Page, model: GraphModel, palette: Palette): string[] {
  const most = longest(page, model);
  const ramp = Array.from({ length: shades }, (_, shade) => rampColour(shade / (shades - 1), palette.dark));
  return Array.from(model.device, (_, node) => {
    const time = timeOf(page, model, node);
    return time === null ? palette["ink-3"] : ramp[Math.round(placeOnRamp(time, most) * (shades - 1))]!;
  });
}

function byFamily(page: Page, model: GraphModel, palette: Palette): string[] {
  const colours = new Map(families(page, model, palette).map(({ name, colour }) => [name, colour]));
  return Array.from(model.device, (_, node) => {
    const full = colours.get(wordOf(model.data.family, node) || "not said") ?? palette["ink-3"];
    return model.backward[node] ? mixed(full, palette.paper, 0.45) : full;
  });
}

export function colouring(scheme: Scheme, page: Page, model: GraphModel, palette: Palette): Colouring {
  if (scheme === "time") return { scheme, of: byTime(page, model, palette) };
  return { scheme, of: scheme === "family" ? byFamily(page, model, palette) : byDevice(model, palette) };
}
