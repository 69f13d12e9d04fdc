// SPDX-License-Identifier: Apache-2.0
// Why the bottleneck is the bottleneck: what its time goes into, which tensors it moves, and who comes next.
import type { Bus } from "../bus";
import { deviceLabel, highlights } from "../chart/bars";
import type { Cut, Page, PlanData } from "../data";
import { inOrder, stageName } from "../devices";
import { html, type Child } from "../dom";
import { counted, percent, time, timeFormat, titleWithUnit, withUnit } from "../format";
import { revealNode } from "../reveal";
import { section } from "./section";
import { loadRows, passLoad, type LoadRow } from "../loads/rows";
import { table, type Column } from "../table";
import { explain } from "../loads/explain";

const mostCuts = 8; // at first: a long table would push all else off the screen

function nodeName(page: Page, node: number): string {
  const graph = page.graph;
  return graph?.name[node] || `node ${graph?.id[node] ?? node}`;
}

function nodeButton(page: Page, bus: Bus, node: number): Child {
  const name = nodeName(page, node);
  if (!page.graph) return name;
  const button = html("button", { type: "button", class: "node", title: "show in the graph" }, name);
  button.addEventListener("click", () => revealNode(bus, node));
  return button;
}

function shareBar(share: number, mark: string): HTMLElement {
  return html(
    "span",
    { class: "share" },
    html("i", { class: `segment ${mark}`, style: `width:${Math.min(100, 100 * share).toFixed(2)}%` }),
    html("span", {}, percent(share)),
  );
}

function cutTable(page: Page, plan: PlanData, row: LoadRow, bus: Bus): HTMLElement {
  const format = timeFormat(row.load);
  const cost = (cut: Cut) => cut.cost / row.report.sharing;
  const names = (cut: Cut) =>
    inOrder(page, cut.devices).map((device) => stageName(page, device)).join(", ");
  const columns: (Column<Cut> | false)[] = [
    {
      title: "output of",
      words: true,
      cell: (cut) => nodeButton(page, bus, cut.node),
      order: (cut) => nodeName(page, cut.node),
    },
    {
      title: "moves",
      words: true,
      cell: (cut) => `${cut.direction} ${cut.direction === "in" ? "from" : "to"} ${names(cut)}`,
      order: (cut) => cut.direction + names(cut),
    },
    page.question.training && {
      title: "pass",
      words: true,
      cell: (cut) => (cut.backward ? "backward" : "forward"),
      order: (cut) => Number(cut.backward),
    },
    { title: titleWithUnit("cost"), cell: (cut) => format(cost(cut)), order: cost },
    {
      title: "share of the load",
      words: true,
      cell: (cut) => shareBar(row.load > 0 ? cost(cut) / row.load : 0, cut.direction),
    },
  ];
  const transfers = (cuts: readonly Cut[]) =>
    table(
      cuts,
      columns.filter((column): column is Column<Cut> => column !== false),
      { label: "Transfers of the bottleneck" },
    );
  const rest = plan.cutsLeftOut;
  const note =
    rest.count > 0 &&
    html("p", { class: "note" }, `And ${rest.count} more, ${withUnit(format(rest.cost / row.report.sharing))} in all.`);
  const part = html("div", {}, html("h3", {}, "What it moves"));
  if (plan.cuts.length <= mostCuts) {
    part.append(transfers(plan.cuts), ...(note ? [note] : []));
    return part;
  }
  const few = transfers(plan.cuts.slice(0, mostCuts));
  const more = html("button", { type: "button", class: "more" }, `Show ${plan.cuts.length} transfers`);
  more.addEventListener("click", () => {
    few.replaceWith(transfers(plan.cuts));
    more.replaceWith(...(note ? [note] : []));
  });
  part.append(few, more);
  return part;
}

function others(page: Page, rows: readonly LoadRow[], slowest: LoadRow, bus: Bus): HTMLElement {
  const format = timeFormat(slowest.load);
  const next = rows
    .filter((row) => row !== slowest)
    .sort((a, b) => b.load - a.load)
    .slice(0, 5);
  const columns: Column<LoadRow>[] = [
    { title: "next busiest", words: true, cell: (row) => deviceLabel(page, bus, row.device, row.label) },
    { title: titleWithUnit("load"), cell: (row) => format(row.load) },
    { title: "below", cell: (row) => (row.load === slowest.load ? "equal" : percent(1 - row.load / slowest.load)) },
  ];
  return html(
    "div",
    {},
    html("h3", {}, "Who comes next"),
    table(next, columns, {
      label: "Next busiest devices",
      onRow: (row, element) => highlights(element, bus, row.device),
    }),
  );
}

// The objective gpipe: the two passes may be slowest on different devices.
function passSentence(page: Page, rows: readonly LoadRow[]): string {
  if (page.question.objective !== "gpipe" || !page.question.training) return "";
  const { transfers } = page.question;
  const sync = (row: LoadRow) => (transfers === "sum" ? row.sync : 0);
  const forward = (row: LoadRow) => passLoad(row.forward, transfers);
  const backward = (row: LoadRow) => Math.max(passLoad(row.backward, transfers) + sync(row), row.sync);
  const slowest = (of: (row: LoadRow) => number) => rows.reduce((a, b) => (of(b) > of(a) ? b : a));
  const [f, b] = [slowest(forward), slowest(backward)];
  const [there, back] = [`${time(forward(f))} on ${f.label}`, `${time(backward(b))} on ${b.label}`];
  return ` The value adds the longest forward pass, ${there}, and the longest backward pass, ${back}.`;
}

export function bottleneckSection(page: Page, bus: Bus): HTMLElement | null {
  const plan = page.plan;
  if (!plan || plan.bottleneck === null) return null;
  const rows = loadRows(page, plan);
  const slowest = rows.find((row) => row.isBottleneck);
  if (!slowest || rows.length < 2) return null;
  const part = section(
    "bottleneck",
    `Why ${slowest.label} is the bottleneck`,
    explain(page, plan, slowest) + passSentence(page, rows),
  );
  part.append(
    html(
      "div",
      { class: "columns" },
      plan.cuts.length > 0
        ? cutTable(page, plan, slowest, bus)
        : html(
            "div",
            {},
            html("h3", {}, "What it moves"),
            html(
              "p",
              { class: "note" },
              `Nothing: it holds ${counted(slowest.report.nodes, "node")} and pays for no transfer.`,
            ),
          ),
      others(page, rows, slowest, bus),
    ),
  );
  return part;
}
