// SPDX-License-Identifier: Apache-2.0
// The page: reads the data that the program has put into it, and shows a section for all that is there.
import { Bus } from "./bus";
import { useColoursOf } from "./colours";
import type { Page } from "./data";
import { html } from "./dom";
import { useTimeUnit } from "./format";
import { graphLead, mountGraph } from "./graph/index";
import { bottleneckSection } from "./sections/bottleneck";
import { comparisonSection } from "./sections/comparison";
import { convergenceSection } from "./sections/convergence";
import { header } from "./sections/header";
import { loadsSection } from "./sections/loads";
import { memorySection } from "./sections/memory";
import { contents, section } from "./sections/section";
import { simulationSection } from "./sections/simulation";
import { sweepSection } from "./sections/sweep";
import { makeThemeToggle } from "./theme";
import { mountTimeline, timelineLead } from "./timeline/index";

function read(): Page | null {
  return JSON.parse(document.getElementById("data")?.textContent ?? "null") as Page | null;
}

function show(host: HTMLElement, page: Page, bus: Bus): void {
  document.title = `${page.title} - Partita`;
  useTimeUnit(page.timeUnit);
  useColoursOf(page);
  const graph = page.graph ? section("graph", "Graph", graphLead(page.graph)) : null;
  const timeline = page.timeline ? section("timeline", "Timeline", timelineLead(page)) : null;
  const split = [loadsSection(page, bus), bottleneckSection(page, bus), graph, memorySection(page, bus)];
  const atWork = [simulationSection(page, bus), timeline];
  const parts = [
    sweepSection(page),
    comparisonSection(page),
    ...(page.command === "simulate" ? [...atWork, ...split] : [...split, ...atWork]),
    convergenceSection(page),
  ].filter((part): part is HTMLElement => part !== null);
  host.append(header(page, makeThemeToggle(bus)), contents(parts), ...parts);
  // Mounted once they are in the page: what they draw depends on their size.
  if (graph) mountGraph(graph, page, bus);
  if (timeline) mountTimeline(timeline, page, bus);
}

const host = document.getElementById("page");
const page = read();
if (host && page) show(host, page, new Bus());
else host?.append(html("p", { class: "lead" }, "This page has no data: `partita plan --report` fills it."));
