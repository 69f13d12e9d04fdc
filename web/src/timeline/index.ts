// SPDX-License-Identifier: Apache-2.0
// The timelines: what each lane does when, with a cursor that tells all about a moment; as it was predicted and, where a run
// was measured, below it as it really was, in the same scale of time. This file puts the parts together; view.ts is one
// of them, clock.ts what they share.
import type { Bus } from "../bus";
import { zoomButtons } from "../canvas/controls";
import { publish } from "../canvas/handle";
import type { Page, TimelineData } from "../data";
import { inOrder } from "../devices";
import { html } from "../dom";
import { inUnit } from "../format";
import { createClock } from "./clock";
import { createPhaseLegend } from "./legend";
import { timelineModel, type TimelineModel } from "./model";
import { operatorsOf } from "./operators";
import { createPlayer } from "./player";
import type { Span } from "./span";
import { createTable } from "./table";
import { createView } from "./view";

const firstSamples = 10; // that are seen at the start, behind the warm-up
const secondsAcross = 14; // that the cursor takes through the window while it plays

export function timelineLead(page: Page): string {
  const lanes = page.plan && page.plan.order.length > 0 ? ", stage by stage from top to bottom" : "";
  const nearer = page.timeline?.operators ? " Zoomed in, a block shows the operators that it runs." : "";
  const both = page.measured ? " Above as predicted, below as measured, in the same scale of time." : "";
  return `Who does what when${inUnit()}${lanes}. Numbers are those of the samples.${both}${nearer}`;
}

export function mountTimeline(host: HTMLElement, page: Page, bus: Bus): void {
  if (page.timeline !== undefined && page.timeline.lanes.length > 0) mount(host, page, page.timeline, bus);
}

// What is seen at the start: how the pipeline fills, and a few samples more.
function firstSpan(models: readonly TimelineModel[], extent: number): Span {
  const ends = models.map(({ data }) => data.warmUpEnd + firstSamples * data.timePerSample);
  const first = Math.max(...ends);
  return { begin: 0, end: first > 0 ? Math.min(first, extent) : extent };
}

function mount(host: HTMLElement, page: Page, data: TimelineData, bus: Bus): void {
  const modelOf = (timeline: TimelineData): TimelineModel =>
    timelineModel(timeline, inOrder(page, [...new Set(timeline.lanes.map((lane) => lane.device))]));
  const predicted = modelOf(data);
  const measured = page.measured ? modelOf(page.measured.timeline) : null;
  const models = measured === null ? [predicted] : [predicted, measured];
  const operators = operatorsOf(page);

  const extent = Math.max(...models.map((model) => model.extent));
  // The shortest span: a few of the shortest operators, as far as numbers are exact.
  const nearest = Math.max(4 * (operators?.shortest ?? Infinity), 1e-9 * extent);
  const least = Math.min(...models.map((model) => model.shortest / 4), nearest);
  const span = firstSpan(models, extent);
  const clock = createClock(extent, least, span, data.warmUpEnd < span.end ? data.warmUpEnd : span.end / 2);

  const select = (node: number): void => bus.emit("node", node);
  const tables = [createTable(page, predicted, operators, select, measured === null ? "" : "Predicted")];
  if (measured !== null) tables.push(createTable(page, measured, null, select, "Measured"));
  let lastTick: number | null = null; // while it plays
  const player = createPlayer(extent, (time) => clock.moveCursor(time), () => {
    lastTick = null;
    clock.look(clock.span);
  });
  function advance(now: number): void {
    if (!player.playing) return;
    const elapsed = lastTick === null ? 0 : Math.min(now - lastTick, 100);
    lastTick = now;
    if (clock.cursor >= extent) clock.moveCursor(0);
    else clock.moveCursor(clock.cursor + ((clock.span.end - clock.span.begin) * elapsed) / (1000 * secondsAcross));
    if (clock.cursor >= extent) player.stop();
  }
  const showCursor = (): void => {
    for (const table of tables) table.show(clock.cursor);
    player.show(clock.cursor);
  };
  clock.onCursor(showCursor);

  const stages = models.map(() => html("div", { class: "canvas-stage timeline-stage" }));
  const titled = stages.flatMap((stage, i) =>
    measured === null ? [stage] : [html("h3", { class: "timeline-title" }, i === 0 ? "Predicted" : "Measured"), stage]);
  host.append(
    html("div", { class: "canvas-bar" }, player.element, createPhaseLegend(models), zoomButtons({ zoom: clock.zoomAtCursor, fit: clock.fit })),
    ...titled,
    ...tables.map((table) => table.element),
  );
  // Memory would stand between the lanes that are to be compared; the table has it.
  const shared = { page, clock, player, bus, withMemory: measured === null };
  publish({ timeline: createView(stages[0]!, { ...shared, model: predicted, operators, name: "Timeline", beforeFrame: advance }) });
  if (measured !== null) {
    const name = "Timeline of what was measured,";
    publish({ measured: createView(stages[1]!, { ...shared, model: measured, operators: null, name }) });
  }
  showCursor();
}
