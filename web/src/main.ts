// SPDX-License-Identifier: Apache-2.0
// The page: reads the data that the program has put into it, and shows a section for all that is there.
import { Bus } from "./bus";
import type { Page } from "./data";
import { html } from "./dom";
import { mountGraph } from "./graph/index";
import { header } from "./sections/header";
import { section } from "./sections/section";
import { makeThemeToggle } from "./theme";
import { mountTimeline } from "./timeline/index";

function read(): Page | null {
  return JSON.parse(document.getElementById("data")?.textContent ?? "null") as Page | null;
}

function show(host: HTMLElement, page: Page, bus: Bus): void {
  document.title = `${page.title} - Partita`;
  host.append(header(page, makeThemeToggle(bus)));
  if (page.graph) {
    const part = section("graph", "Graph");
    host.append(part);
    mountGraph(part, page, bus);
  }
  if (page.timeline) {
    const part = section("timeline", "Timeline");
    host.append(part);
    mountTimeline(part, page, bus);
  }
}

const host = document.getElementById("page");
const page = read();
if (host && page) show(host, page, new Bus());
else host?.append(html("p", { class: "lead" }, "This page has no data: `partita plan --report` fills it."));
