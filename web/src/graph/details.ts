// SPDX-License-Identifier: Apache-2.0
// The selected node in words: what it costs, where it is, and links to what it reads and who reads it.
import { button, swatch } from "../canvas/controls";
import { wordOf, type Page } from "../data";
import type { DeviceCut } from "../cuts";
import { inOrder, stageName } from "../devices";
import { html } from "../dom";
import { bytes, counted, flops, time } from "../format";
import type { GraphModel, Incidence } from "./model";

const firstShown = 12; // neighbours before the reader asks for all

export interface Details {
  element: HTMLElement;
  show(node: number | null): void;
}

const nameOf = (model: GraphModel, node: number): string => model.data.name[node] || `node ${model.data.id[node]!}`;

function neighbours(incidence: Incidence, ends: number[], node: number): number[] {
  const edges = incidence.edges.subarray(incidence.begin[node]!, incidence.begin[node + 1]!);
  return [...new Set(Array.from(edges, (edge) => ends[edge]!))];
}

// The devices of its neighbours: "accelerator 1 and host 0"; "" where all are on the node's own device.
function elsewhere(page: Page, model: GraphModel, node: number, others: readonly number[]): string {
  const devices = inOrder(page, [...new Set(others.map((other) => model.device[other]!))])
    .filter((device) => device !== model.device[node])
    .map((device) => stageName(page, device));
  return devices.length < 2 ? devices.join("") : `${devices.slice(0, -1).join(", ")} and ${devices[devices.length - 1]!}`;
}

function crossing(from: string, to: string): string {
  if (from !== "" && to !== "") return `reads from ${from}; its output goes to ${to}`;
  if (from !== "") return `reads from ${from}`;
  return to === "" ? "no: all its edges stay on its device" : `its output goes to ${to}`;
}

// A click on where its output goes shows all that passes between the two devices.
export function createDetails(
  page: Page, model: GraphModel, cuts: readonly DeviceCut[],
  select: (node: number | null) => void, chooseCut: (cut: number) => void,
): Details {
  const element = html("aside", { class: "graph-details", "aria-label": "Selected node", hidden: true });
  const { data } = model;

  function list(title: string, node: number, others: readonly number[]): HTMLElement {
    const item = (other: number): HTMLElement => {
      const link = html("button", { type: "button", class: "graph-link" }, swatch(model.device[other]!), nameOf(model, other));
      link.title = `${stageName(page, model.device[other]!)}, id ${data.id[other]!}`;
      if (model.device[other] !== model.device[node]) link.classList.add("is-elsewhere");
      link.addEventListener("click", () => select(other));
      return html("li", {}, link);
    };
    const items = html("ul", {}, ...others.slice(0, firstShown).map(item));
    const rest = others.length - firstShown;
    if (rest > 0) {
      const more = html("button", { type: "button", class: "graph-more" }, `and ${rest} more`);
      more.addEventListener("click", () => items.replaceChildren(...others.map(item)));
      items.append(html("li", {}, more));
    }
    return html("section", {}, html("h4", {}, `${title} (${others.length})`), others.length > 0 && items);
  }

  function cutLinks(node: number): HTMLElement[] {
    return cuts.flatMap((cut, index) => {
      if (!cut.tensors.some((tensor) => tensor.node === node)) return [];
      const text = `${counted(cut.tensors.length, "tensor")} to ${stageName(page, cut.to)}`;
      const link = html("button", { type: "button", class: "graph-link" }, swatch(cut.to), text);
      link.title = "show all that passes between the two";
      link.addEventListener("click", () => chooseCut(index));
      return [link];
    });
  }

  function facts(node: number, inputs: readonly number[], outputs: readonly number[]): HTMLElement {
    const rows = html("dl", {});
    const row = (key: string, term: string, ...value: (Node | string)[]): void => {
      rows.append(html("dt", {}, term), html("dd", { "data-fact": key }, ...value));
    };
    const device = model.device[node]!;
    row("id", "Id", String(data.id[node]));
    const told = (key: string, term: string, text: string): void => {
      if (text !== "") row(key, term, text);
    };
    told("op", "Operator", wordOf(data.op, node));
    told("family", "Family", wordOf(data.family, node));
    told("shape", "Output", wordOf(data.output, node));
    const size = data.outputBytes?.[node] ?? null;
    if (size !== null) row("bytes", "Size of its output", bytes(size));
    const layer = data.layer?.[node] ?? null;
    if (layer !== null) row("layer", "Layer", String(layer));
    row("device", "Device", swatch(device), stageName(page, device));
    if (page.question.training) row("pass", "Pass", model.backward[node] ? "backward" : "forward");
    page.classes.forEach((name, number) => {
      const value = data.time[number]?.[node] ?? null;
      const here = page.devices[device]?.class === number;
      const text = value === null ? "cannot run there" : time(value);
      row(`time-${number}`, `Time on ${name}`, here ? html("strong", {}, text) : text);
    });
    row("source", "Times are", wordOf(data.source, node) || "given");
    const work = data.flops?.[node] ?? null;
    if (work !== null) row("flops", "Work", flops(work));
    const moved = data.movedBytes?.[node] ?? null;
    if (moved !== null) row("moved", "Reads and writes", bytes(moved));
    row("memory", "Memory", bytes(data.memory[node]!));
    row("output", "Moving its output", outputs.length === 0 ? "nothing reads it" : time(model.outputCost[node]!));
    if (device >= 0) row("crosses", "Crosses devices", crossing(elsewhere(page, model, node, inputs), elsewhere(page, model, node, outputs)), ...cutLinks(node));
    return rows;
  }

  function show(node: number | null): void {
    element.hidden = node === null;
    if (node === null) return;
    const inputs = neighbours(model.inputs, data.edgeFrom, node);
    const outputs = neighbours(model.outputs, data.edgeTo, node);
    element.replaceChildren(
      html("header", {}, html("h3", {}, nameOf(model, node)), button("Close", "\u00d7", () => select(null))),
      facts(node, inputs, outputs),
      list("Inputs", node, inputs),
      list("Outputs", node, outputs),
    );
    element.scrollTop = 0;
  }

  return { element, show };
}

// The same in one sentence, for screen readers.
export function spoken(page: Page, model: GraphModel, node: number | null): string {
  if (node === null) return "";
  const inputs = model.inputs.begin[node + 1]! - model.inputs.begin[node]!;
  const outputs = model.outputs.begin[node + 1]! - model.outputs.begin[node]!;
  const where = stageName(page, model.device[node]!);
  return `${nameOf(model, node)}, ${where}, ${counted(inputs, "input")}, ${counted(outputs, "output")}`;
}
