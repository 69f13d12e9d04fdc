// SPDX-License-Identifier: Apache-2.0
// What to colour the nodes by, and what the colours then mean. Devices have a legend of their own (legend.ts), which
// stays: they can be marked whatever the colours say.
import type { Palette } from "../canvas/palette";
import type { Page } from "../data";
import { html } from "../dom";
import { percent, significant, withUnit } from "../format";
import { families, longest, rampColour, schemes, type Scheme } from "./colouring";
import type { GraphModel } from "./model";

export interface Key {
  controls: HTMLElement;
  element: HTMLElement; // what the colours mean, where it is not devices
  show(scheme: Scheme, palette: Palette): void;
}

export interface KeyActions {
  colour(scheme: Scheme): void;
  group(byLayer: boolean): void;
}

const names: Record<Scheme, string> = { device: "device", time: "time", family: "operator family" };
const stops = 12; // of the gradient

function timeKey(page: Page, model: GraphModel, palette: Palette): HTMLElement[] {
  const most = longest(page, model);
  const colours = Array.from({ length: stops + 1 }, (_, stop) => rampColour(stop / stops, palette.dark));
  const bar = html("span", { class: "graph-ramp", "aria-hidden": "true" });
  bar.style.background = `linear-gradient(to right, ${colours.join(", ")})`;
  const label = (value: number): HTMLElement => html("span", {}, withUnit(significant(value, 3)));
  // The middle of a scale of roots is a quarter of its end.
  const labels = html("span", { class: "graph-ramp-labels" }, label(0), label(most / 4), label(most));
  const what = model.devicesInUse.length > 0 ? "time on its device" : "time on the class that is quickest for it";
  return [html("span", { class: "graph-ramp-box" }, bar, labels), html("span", {}, what)];
}

function familyKey(page: Page, model: GraphModel, palette: Palette): HTMLElement[] {
  const all = families(page, model, palette);
  const total = all.reduce((sum, family) => sum + family.time, 0);
  return all.map(({ name, time, colour }) => {
    const mark = html("i", { class: "swatch", "aria-hidden": "true" });
    mark.style.background = colour;
    const share = total > 0 && time > 0 && html("span", { class: "graph-share" }, `${percent(time / total)} of the time`);
    return html("span", { class: "graph-family" }, mark, name, share);
  });
}

export function hasLayers(model: GraphModel): boolean {
  return new Set(model.data.layer?.filter((layer) => layer !== null)).size > 1;
}

export function createKey(page: Page, model: GraphModel, actions: KeyActions): Key {
  const options = schemes(model).map((scheme) => html("option", { value: scheme }, names[scheme]));
  const choice = html("select", { class: "graph-choice", "aria-label": "Colour nodes by" }, ...options);
  choice.addEventListener("change", () => actions.colour(choice.value as Scheme));
  const layers = html("input", { type: "checkbox", class: "graph-layers" });
  layers.addEventListener("change", () => actions.group(layers.checked));
  const controls = html(
    "div",
    { class: "graph-controls" },
    options.length > 1 && html("label", {}, "Colour by ", choice),
    hasLayers(model) && html("label", {}, layers, " Group by layer"),
  );
  const element = html("div", { class: "graph-key", role: "group", "aria-label": "Colours", hidden: true });
  return {
    controls,
    element,
    show(scheme, palette) {
      choice.value = scheme;
      element.hidden = scheme === "device" || options.length < 2;
      if (scheme === "time") element.replaceChildren(...timeKey(page, model, palette));
      if (scheme === "family") element.replaceChildren(...familyKey(page, model, palette));
    },
  };
}
