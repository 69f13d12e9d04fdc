// SPDX-License-Identifier: Apache-2.0
// The timeline view: what each lane does when, with a cursor that tells all about a moment.
// This file puts the parts together; scene.ts says where each is, draw_*.ts what it looks like.
import type { Bus } from "../bus";
import { showTipAt, zoomButtons, zoomStep, type Description } from "../canvas/controls";
import { listen } from "../canvas/gestures";
import { publish } from "../canvas/handle";
import { readPalette } from "../canvas/palette";
import { createSurface } from "../canvas/surface";
import { wordOf, type Page, type TimelineData } from "../data";
import { html } from "../dom";
import { inOrder, originalOf } from "../devices";
import { counted, inUnit, time as timeText } from "../format";
import { hideTip } from "../tip";
import { drawAxis, drawCursor } from "./draw_axis";
import { drawLanes } from "./draw_lanes";
import { drawMemory } from "./draw_memory";
import { createPhaseLegend } from "./legend";
import { intervalAt, phaseOf, timelineModel } from "./model";
import { beginOf, isDivided, operatorAt, operatorsIn, operatorsOf } from "./operators";
import { createPlayer } from "./player";
import { arrange, type Rows } from "./scene";
import { moved, pixelsPerTime, toTime, toX, zoomedSpan, type Span } from "./span";
import { createTable } from "./table";

const firstSamples = 10; // that are seen at the start, behind the warm-up
const grip = 8; // pixels beside the cursor that still grab it
const secondsAcross = 14; // that the cursor takes through the window while it plays
const phaseNames = { i: "in", c: "compute", o: "out", s: "sync" };

export function timelineLead(page: Page): string {
  const lanes = page.plan && page.plan.order.length > 0 ? ", stage by stage from top to bottom" : "";
  const nearer = page.timeline?.operators ? " Zoomed in, a block shows the operators that it runs." : "";
  return `Who does what when${inUnit()}${lanes}. Numbers are those of the samples.${nearer}`;
}

export function mountTimeline(host: HTMLElement, page: Page, bus: Bus): void {
  if (page.timeline !== undefined && page.timeline.lanes.length > 0) mount(host, page, page.timeline, bus);
}

function mount(host: HTMLElement, page: Page, data: TimelineData, bus: Bus): void {
  const model = timelineModel(data, inOrder(page, [...new Set(data.lanes.map((lane) => lane.device))]));
  const operators = operatorsOf(page);
  // The shortest span: a few of the shortest operators, as far as numbers are exact.
  const nearest = Math.max(4 * (operators?.shortest ?? Infinity), 1e-9 * model.extent);
  const least = Math.min(model.shortest / 4, nearest);
  let palette = readPalette();
  const first = data.warmUpEnd + firstSamples * data.timePerSample;
  let span: Span = { begin: 0, end: first > 0 ? Math.min(first, model.extent) : model.extent };
  let cursor = data.warmUpEnd < span.end ? data.warmUpEnd : span.end / 2;
  let hovered: number | null = null; // an interval
  let pointed: { interval: number; index: number } | null = null; // an operator
  let node: number | null = null; // selected
  let device: number | null = null;
  let lastTick: number | null = null; // while it plays
  let drawn = 0;

  const stage = html("div", { class: "canvas-stage timeline-stage" });
  const table = createTable(page, model, operators, (chosen) => bus.emit("node", chosen));
  const player = createPlayer(model.extent, moveCursor, () => {
    lastTick = null;
    surface.invalidate();
  });
  const zoom = zoomButtons({ zoom: zoomAtCursor, fit });
  host.append(
    html("div", { class: "canvas-bar" }, player.element, createPhaseLegend(model), zoom),
    stage,
    table.element,
  );
  let rows: Rows = arrange(model, stage.clientWidth);
  stage.style.height = `${rows.bottom}px`;
  const surface = createSurface(stage, draw);
  const { canvas } = surface;
  canvas.setAttribute("role", "application");
  canvas.setAttribute(
    "aria-label",
    `Timeline of ${counted(model.lanes.length, "lane")} and ${counted(data.start.length, "interval")}. ` +
      "Left and right move the cursor, with shift further; plus and minus zoom, 0 fits, space plays. " +
      "The table below tells what each lane does at the cursor.",
  );
  showCursor();

  function draw(context: CanvasRenderingContext2D, width: number, _height: number, now: number): boolean {
    if (player.playing) advance(now);
    rows = arrange(model, width);
    // From near, one operator is what stands out, and its neighbours stay readable.
    const sample = hovered === null || pointed !== null ? null : data.sample[hovered]!;
    const scene = { context, page, model, palette, rows, span, cursor, sample, device, operators, operator: pointed, node };
    drawAxis(scene);
    drawn = drawLanes(scene, surface.ratio);
    drawMemory(scene);
    drawCursor(scene);
    return player.playing;
  }

  // --- the cursor ---

  function showCursor(): void {
    table.show(cursor);
    player.show(cursor);
    surface.invalidate();
  }
  function moveCursor(to: number): void {
    cursor = Math.min(Math.max(to, 0), model.extent);
    if (cursor < span.begin || cursor > span.end) {
      span = moved(span, cursor - (span.begin + span.end) / 2, model.extent);
    }
    showCursor();
  }
  function advance(now: number): void {
    const elapsed = lastTick === null ? 0 : Math.min(now - lastTick, 100);
    lastTick = now;
    if (cursor >= model.extent) moveCursor(0);
    else moveCursor(cursor + ((span.end - span.begin) * elapsed) / (1000 * secondsAcross));
    if (cursor >= model.extent) player.stop();
  }

  // --- moving ---

  function look(at: Span): void {
    span = at;
    hideTip();
    surface.invalidate();
  }
  function fit(): void {
    look({ begin: 0, end: model.extent });
  }
  function zoomAtCursor(factor: number): void {
    const inSight = cursor >= span.begin && cursor <= span.end;
    look(zoomedSpan(span, factor, inSight ? cursor : (span.begin + span.end) / 2, model.extent, least));
  }
  const perPixel = (): number => (span.end - span.begin) / (rows.track.right - rows.track.left);

  // --- pointer and keys ---

  function under(x: number, y: number): number | null {
    if (x < rows.track.left || x > rows.track.right) return null;
    const lane = rows.tops.findIndex((top) => y >= top && y < top + rows.height);
    return lane < 0 ? null : intervalAt(model, model.lanes[lane]!, toTime(span, rows.track, x));
  }
  // The operator of a block at a place in it, where the block is wide enough to show them.
  function operatorUnder(interval: number | null, x: number): number | null {
    const at = interval === null ? null : operatorsIn(page, operators, interval);
    if (interval === null || at === null) return null;
    const [start, finish] = [data.start[interval]!, data.finish[interval]!];
    if (!isDivided(at, (finish - start) * pixelsPerTime(span, rows.track))) return null;
    return operatorAt(at, (toTime(span, rows.track, x) - start) / (finish - start));
  }
  function hover(interval: number | null, index: number | null): void {
    if (interval === hovered && index === (pointed?.index ?? null)) return;
    hovered = interval;
    pointed = interval === null || index === null ? null : { interval, index };
    surface.invalidate();
  }
  function describeOperator(interval: number, index: number): Description {
    const at = operatorsIn(page, operators, interval)!;
    const own = operators!.node(at, index);
    const [start, finish] = [data.start[interval]!, data.finish[interval]!];
    const time = (share: number): number => start + share * (finish - start);
    const again = operators!.again(at, index) ? ", computed again" : "";
    const [op, output] = [wordOf(page.graph?.op, own), wordOf(page.graph?.output, own)];
    return {
      title: operators!.name(own) + again,
      lines: [
        ...(op ? [["operator", op] as const] : []),
        ...(output ? [["output", output] as const] : []),
        ["on", data.lanes[data.lane[interval]!]!.name],
        ["sample", String(data.sample[interval]!)],
        ["from", timeText(time(beginOf(at, index)))],
        ["to", timeText(time(at.ends[index]!))],
        ["takes", timeText((at.ends[index]! - beginOf(at, index)) * (finish - start))],
      ],
    };
  }
  function describe(interval: number): Description {
    const piece = data.pieces[data.piece[interval]!]!;
    const phase = phaseNames[phaseOf(data, interval)];
    const [start, finish] = [data.start[interval]!, data.finish[interval]!];
    return {
      title: `sample ${data.sample[interval]!}: ${phase}${piece.backward ? ", backward" : ""}`,
      lines: [
        ["on", data.lanes[data.lane[interval]!]!.name],
        ["from", timeText(start)],
        ["to", timeText(finish)],
        ["takes", timeText(finish - start)],
      ],
    };
  }
  listen(canvas, {
    pan: (dx) => look(moved(span, -dx * perPixel(), model.extent)),
    zoom: (factor, x) => look(zoomedSpan(span, factor, toTime(span, rows.track, Math.max(x, rows.track.left)), model.extent, least)),
    hover(x, y) {
      const interval = under(x, y);
      const index = operatorUnder(interval, x);
      hover(interval, index);
      const onCursor = Math.abs(x - toX(span, rows.track, cursor)) < grip || y < rows.axis.bottom;
      canvas.style.cursor = interval !== null ? "pointer" : onCursor && x >= rows.track.left ? "ew-resize" : "";
      if (interval === null) hideTip();
      else showTipAt(canvas, x, y, index === null ? describe(interval) : describeOperator(interval, index));
    },
    leave() {
      hover(null, null);
      hideTip();
    },
    tap(x, y) {
      const interval = under(x, y);
      const lane = rows.tops.findIndex((top) => y >= top && y < top + rows.height);
      if (interval === null && (x >= rows.track.left || lane < 0)) {
        if (x >= rows.track.left) moveCursor(toTime(span, rows.track, x));
        return;
      }
      const index = operatorUnder(interval, x);
      if (interval === null || index === null) bus.toggleMark(originalOf(page, model.lanes[lane]!.device));
      else bus.emit("node", operators!.node(operatorsIn(page, operators, interval)!, index));
    },
    doubleTap: (x) => look(zoomedSpan(span, 2, toTime(span, rows.track, x), model.extent, least)),
    grab(x, y) {
      if (x < rows.track.left - grip) return false;
      const taken = y < rows.axis.bottom || (Math.abs(x - toX(span, rows.track, cursor)) < grip && y < rows.parts.bottom);
      if (taken) {
        player.stop();
        moveCursor(toTime(span, rows.track, x));
      }
      return taken;
    },
    drag: (x) => moveCursor(toTime(span, rows.track, Math.min(Math.max(x, rows.track.left), rows.track.right))),
  });

  const step = (event: KeyboardEvent): number => (span.end - span.begin) * (event.shiftKey ? 0.1 : 0.01);
  const keys: Record<string, (event: KeyboardEvent) => void> = {
    ArrowLeft: (event) => moveCursor(cursor - step(event)),
    ArrowRight: (event) => moveCursor(cursor + step(event)),
    Home: () => moveCursor(0),
    End: () => moveCursor(model.extent),
    "+": () => zoomAtCursor(zoomStep),
    "=": () => zoomAtCursor(zoomStep),
    "-": () => zoomAtCursor(1 / zoomStep),
    "0": fit,
    " ": () => player.toggle(),
  };
  canvas.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(event);
  });

  bus.on("device", (value) => {
    device = value;
    surface.invalidate();
  });
  bus.on("node", (value) => {
    node = value;
    surface.invalidate();
  });
  bus.on("theme", () => {
    palette = readPalette();
    surface.invalidate();
  });

  publish({
    timeline: {
      get begin() { return span.begin; },
      get end() { return span.end; },
      get cursor() { return cursor; },
      get playing() { return player.playing; },
      get hovered() { return hovered; },
      get frames() { return surface.frames; },
      get frameTime() { return surface.lastFrame; },
      get drawn() { return drawn; },
      get operator() { return pointed?.index ?? null; },
      divided(interval) {
        const at = operatorsIn(page, operators, interval);
        return at !== null && isDivided(at, (data.finish[interval]! - data.start[interval]!) * pixelsPerTime(span, rows.track));
      },
      place: (interval) => ({
        x: toX(span, rows.track, (data.start[interval]! + data.finish[interval]!) / 2),
        y: rows.tops[model.row[data.lane[interval]!]!]! + rows.height / 2,
      }),
    },
  });
}
