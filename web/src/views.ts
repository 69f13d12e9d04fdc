// SPDX-License-Identifier: Apache-2.0
// All that the page says about one split: loads, bottleneck, what crosses, the graph, memory, and the split at work. A page
// of several splits has a view of each, made when it is first asked for; one of them is in the page at a time.
import { Bus } from "./bus";
import { useColoursOf } from "./colours";
import type { Page } from "./data";
import { html } from "./dom";
import { time } from "./format";
import { graphLead, mountGraph } from "./graph/index";
import { bottleneckSection } from "./sections/bottleneck";
import { cutsSection } from "./sections/cuts";
import { loadsSection } from "./sections/loads";
import { measuredSection } from "./sections/measured";
import { memorySection } from "./sections/memory";
import { section, unbroken } from "./sections/section";
import { simulationSection } from "./sections/simulation";
import { unitText } from "./sweep/points";
import { mountTimeline, timelineLead } from "./timeline/index";

// The page as it would be of another split: without the simulation, which is that of its own.
export function pageOfRow(page: Page, row: number | null, split: number): Page {
  const place = row === null ? {} : { row };
  const other = split === 0 ? undefined : page.splits?.[split - 1];
  if (other === undefined || page.graph === undefined) return { ...page, ...place };
  const { timeline: _timeline, measured: _measured, convergence: _convergence, ...rest } = page;
  const { device: _device, ...graph } = page.graph;
  return { ...rest, ...place, devices: other.devices ?? page.devices, plan: other.plan, graph: { ...graph, ...other.graph } };
}

// Whose split it is, above it; null where the page has only one to show.
function titleOf(page: Page, several: boolean): HTMLElement | null {
  if (!several || page.row === undefined) return null;
  const run = page.comparison?.runs[page.row];
  const point = page.sweep?.points[page.row];
  const what = run ? `The split of ${run.algorithm}` : point && page.sweep ? `The split with ${point.label} ${unitText(page.sweep, point)}` : "";
  const value = (run ?? point)?.value ?? null;
  const fault = run && !run.legal ? ` It breaks a rule: ${run.fault}.` : "";
  const simulated = page.timeline ? "" : " Only the split that the page begins with is simulated.";
  return html(
    "p",
    { class: "shown-split" },
    html("b", {}, what),
    unbroken(`, ${value === null ? "without a value" : time(value)}.${fault}${simulated}`),
    html("a", { href: `#${run ? "comparison" : "sweep"}` }, "Back to the table"),
  );
}

export interface View {
  parts: HTMLElement[]; // sections
  show(into: HTMLElement): void;
  bus: Bus;
}

export function createView(page: Page, several: boolean): View {
  const bus = new Bus();
  let handles: typeof window.partita;
  useColoursOf(page);
  const graph = page.graph ? section("graph", "Graph", graphLead(page.graph)) : null;
  const timeline = page.timeline ? section("timeline", "Timeline", timelineLead(page)) : null;
  const split = [loadsSection(page, bus), bottleneckSection(page, bus), cutsSection(page, bus), graph, memorySection(page, bus)];
  const atWork = [measuredSection(page, bus), simulationSection(page, bus), timeline];
  const parts = (page.command === "simulate" ? [...atWork, ...split] : [...split, ...atWork]).filter(
    (part): part is HTMLElement => part !== null,
  );
  const title = titleOf(page, several);
  let mounted = false;
  return {
    parts,
    bus,
    show(into) {
      useColoursOf(page);
      into.replaceChildren(...(title ? [title] : []), ...parts);
      delete window.partita;
      // Mounted once they are in the page: what they draw depends on their size.
      if (!mounted && graph) mountGraph(graph, page, bus);
      if (!mounted && timeline) mountTimeline(timeline, page, bus);
      handles = mounted ? handles : window.partita;
      mounted = true;
      if (handles) window.partita = handles;
    },
  };
}
