// SPDX-License-Identifier: Apache-2.0
// The page: reads the data that the program has put into it, and shows a section for all that is there.
import { Bus } from "./bus";
import { useColoursOf } from "./colours";
import type { Page } from "./data";
import { html } from "./dom";
import { useTimeUnit } from "./format";
import { createRows, firstShown } from "./rows";
import { comparisonSection } from "./sections/comparison";
import { convergenceSection } from "./sections/convergence";
import { header } from "./sections/header";
import { contents } from "./sections/section";
import { sweepSection } from "./sections/sweep";
import { makeThemeToggle } from "./theme";
import { createView, pageOfRow, type View } from "./views";

function read(): Page | null {
  return JSON.parse(document.getElementById("data")?.textContent ?? "null") as Page | null;
}

function show(host: HTMLElement, page: Page): void {
  document.title = `${page.title} - Partita`;
  useTimeUnit(page.timeUnit);
  useColoursOf(page);
  const views = new Map<number | null, View>(); // by row
  const place = html("div", { class: "split-view" });
  const themes = new Bus();
  themes.on("theme", (theme) => views.forEach((view) => view.bus.emit("theme", theme)));
  const rows = createRows(page, (row, split) => {
    showView(row, split);
    place.scrollIntoView({ block: "start" });
  });
  const before = [sweepSection(page, rows), comparisonSection(page, rows)].filter((part) => part !== null);
  const after = [convergenceSection(page)].filter((part) => part !== null);
  let links: HTMLElement | "" = "";

  function showView(row: number | null, split: number): void {
    let view = views.get(row);
    if (view === undefined) views.set(row, (view = createView(pageOfRow(page, row, split), rows.several)));
    const parts = contents([...before, ...view.parts, ...after]);
    if (links !== "" && parts !== "") links.replaceWith(parts);
    links = parts;
    view.show(place);
  }

  const head = header(page, makeThemeToggle(themes));
  host.append(head, ...before, place, ...after);
  showView(firstShown(page), 0);
  if (links !== "") head.after(links);
}

const host = document.getElementById("page");
const page = read();
if (host && page) show(host, page);
else host?.append(html("p", { class: "lead" }, "This page has no data: `partita plan --report` fills it."));
