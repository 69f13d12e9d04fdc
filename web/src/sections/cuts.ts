// SPDX-License-Identifier: Apache-2.0
// What crosses between devices, pair by pair. A click on a pair lists its tensors and shows their edges in the graph; a
// click on an arrow there comes back here.
import type { Bus } from "../bus";
import { swatch } from "../canvas/controls";
import { deviceCuts, tensorName, type CutTensor, type DeviceCut } from "../cuts";
import { wordOf, type GraphData, type Page } from "../data";
import { stageName } from "../devices";
import { html, type Child } from "../dom";
import { bytes, counted, timeFormat, titleWithUnit, withUnit } from "../format";
import { revealCut, revealNode } from "../reveal";
import { table, type Column } from "../table";
import { section } from "./section";

const firstCuts = 8; // at first: a long list would push all else off the screen
const firstTensors = 30;

const nodeName = (graph: GraphData, node: number): string => graph.name[node] || `node ${graph.id[node]!}`;

function button(name: string, title: string, act: () => void): HTMLElement {
  const made = html("button", { type: "button", class: "node", title }, name);
  made.addEventListener("click", act);
  return made;
}

// "layer2/norm and 3 more".
function readers(graph: GraphData, tensor: CutTensor, bus: Bus): Child {
  const nodes = [...new Set(tensor.edges.map((edge) => graph.edgeTo[edge]!))];
  const first = button(nodeName(graph, nodes[0]!), "show in the graph", () => revealNode(bus, nodes[0]!));
  return html("span", {}, first, nodes.length > 1 && ` and ${nodes.length - 1} more`);
}

function tensorTable(graph: GraphData, cut: DeviceCut, label: string, bus: Bus, all: boolean): HTMLElement {
  const format = timeFormat(cut.tensors[0]?.cost ?? 0);
  const shown = all ? cut.tensors : cut.tensors.slice(0, firstTensors);
  const size = ({ node }: CutTensor): number | null => graph.outputBytes?.[node] ?? null;
  const columns: (Column<CutTensor> | false)[] = [
    {
      title: "tensor",
      words: true,
      cell: ({ node }) => button(tensorName(graph, node), "show in the graph", () => revealNode(bus, node)),
      order: ({ node }) => tensorName(graph, node),
    },
    graph.output !== undefined && {
      title: "type",
      words: true,
      cell: ({ node }) => wordOf(graph.output, node) || "-",
      order: ({ node }) => wordOf(graph.output, node),
    },
    graph.outputBytes !== undefined && {
      title: "size",
      cell: (tensor) => (size(tensor) === null ? "-" : bytes(size(tensor)!)),
      order: size,
    },
    { title: titleWithUnit("cost"), cell: ({ cost }) => format(cost), order: ({ cost }) => cost },
    graph.tensor !== undefined && {
      title: "output of",
      words: true,
      cell: ({ node }) => nodeName(graph, node),
      order: ({ node }) => nodeName(graph, node),
    },
    { title: "read by", words: true, cell: (tensor) => readers(graph, tensor, bus) },
  ];
  return table(shown, columns.filter((column): column is Column<CutTensor> => column !== false), {
    label: `Tensors ${label}`,
    onRow: ({ node }, row) => (row.dataset["node"] = String(node)),
  });
}

interface Entry {
  element: HTMLLIElement;
  press(pressed: boolean): void;
}

function entryOf(page: Page, graph: GraphData, cut: DeviceCut, index: number, bus: Bus): Entry {
  const names = [cut.from, cut.to].map((device) => stageName(page, device));
  const label = `from ${names[0]} to ${names[1]}${cut.backward ? ", backward" : ""}`;
  const body = html("div", { class: "cut-tensors", id: `cut-${index}`, hidden: true });
  const head = html(
    "button",
    { type: "button", class: "cut-head", "aria-expanded": "false", "aria-controls": body.id },
    html(
      "span",
      { class: "cut-ends" },
      swatch(cut.from), names[0], html("span", { class: "cut-arrow", "aria-label": "to" }, " \u2192 "), swatch(cut.to), names[1],
      cut.backward && html("small", { class: "tag" }, "backward"),
    ),
    html("span", { class: "cut-count" }, counted(cut.tensors.length, "tensor")),
    html("span", { class: "cut-size" }, cut.bytes === null ? "" : bytes(cut.bytes)),
    html("span", { class: "cut-cost" }, withUnit(timeFormat(cut.cost)(cut.cost))),
  );
  const show = html("button", { type: "button", class: "more" }, "Show in the graph");
  show.addEventListener("click", () => revealCut(bus, index));
  const fill = (all: boolean): void => {
    const more = html("button", { type: "button", class: "more" }, `List ${counted(cut.tensors.length, "tensor")}`);
    more.addEventListener("click", () => fill(true));
    more.hidden = all || cut.tensors.length <= firstTensors;
    body.replaceChildren(tensorTable(graph, cut, label, bus, all), html("p", { class: "cut-buttons" }, show, more));
  };
  const element = html("li", { class: "cut", "data-cut": index }, head, body);
  head.addEventListener("click", () => bus.emit("cut", body.hidden ? index : null));
  return {
    element,
    press(pressed) {
      head.setAttribute("aria-expanded", String(pressed));
      body.hidden = !pressed;
      if (pressed && body.childElementCount === 0) fill(false);
      element.classList.toggle("is-shown", pressed);
    },
  };
}

export function cutsSection(page: Page, bus: Bus): HTMLElement | null {
  const graph = page.graph;
  const cuts = deviceCuts(page);
  if (graph === undefined || cuts.length === 0) return null;
  const tensors = new Set(cuts.flatMap((cut) => cut.tensors.map((tensor) => tensor.node))).size;
  const lead =
    `${counted(tensors, "tensor")} pass between devices. Choose a pair to see which, and where they are in the graph.`;
  const part = section("cuts", "Tensors between devices", lead);
  const entries = new Map<number, Entry>();
  const list = html("ul", { class: "cuts" });
  const more = html("button", { type: "button", class: "more" }, `Show ${counted(cuts.length, "pair")}`);
  const add = (from: number, to: number): void => {
    for (let index = from; index < Math.min(to, cuts.length); ++index) {
      const entry = entryOf(page, graph, cuts[index]!, index, bus);
      entries.set(index, entry);
      list.append(entry.element);
    }
    more.hidden = entries.size === cuts.length;
  };
  more.addEventListener("click", () => add(entries.size, cuts.length));
  add(0, firstCuts);
  part.append(list, more);
  bus.on("node", (selected) => {
    for (const row of list.querySelectorAll<HTMLElement>("tr[data-node]"))
      row.classList.toggle("pointed", row.dataset["node"] === String(selected));
  });
  bus.on("cut", (chosen) => {
    if (chosen !== null && !entries.has(chosen)) add(entries.size, cuts.length);
    for (const [index, entry] of entries) entry.press(index === chosen);
  });
  return part;
}
