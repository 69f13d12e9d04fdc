// SPDX-License-Identifier: Apache-2.0
// One timeline on its canvas: what each lane does when. Where it is looked at is the clock's business (clock.ts), which
// it may share with another one; scene.ts says where each part is, draw_*.ts what it looks like.
import type { Bus } from "../bus";
import { showTipAt, zoomStep, type Description } from "../canvas/controls";
import { listen } from "../canvas/gestures";
import type { TimelineHandle } from "../canvas/handle";
import { readPalette } from "../canvas/palette";
import { createSurface } from "../canvas/surface";
import { wordOf, type Page } from "../data";
import { originalOf } from "../devices";
import { counted, time as timeText } from "../format";
import { hideTip } from "../tip";
import type { Clock } from "./clock";
import { drawAxis, drawCursor } from "./draw_axis";
import { drawLanes } from "./draw_lanes";
import { drawMemory } from "./draw_memory";
import { intervalAt, phaseOf, type TimelineModel } from "./model";
import { beginOf, isDivided, operatorAt, operatorsIn, type Operators } from "./operators";
import type { Player } from "./player";
import { arrange, type Rows } from "./scene";
import { pixelsPerTime, toTime, toX } from "./span";

const grip = 8; // pixels beside the cursor that still grab it
const phaseNames = { i: "in", c: "compute", o: "out", s: "sync" };

export interface ViewParts {
  page: Page;
  model: TimelineModel;
  operators: Operators | null; // that its blocks run, where somebody says
  withMemory: boolean; // below the lanes
  name: string; // "Timeline", "Timeline of what was measured"
  clock: Clock;
  player: Player;
  bus: Bus;
  beforeFrame?: (now: number) => void;
}

// Returns what tests read.
export function createView(stage: HTMLElement, parts: ViewParts): TimelineHandle {
  const { page, model, operators, clock, player, bus } = parts;
  const { data } = model;
  let palette = readPalette();
  let hovered: number | null = null; // an interval
  let pointed: { interval: number; index: number } | null = null; // an operator
  let node: number | null = null; // selected
  let device: number | null = null;
  let drawn = 0;
  let rows: Rows = arrange(model, stage.clientWidth, parts.withMemory);
  stage.style.height = `${rows.bottom}px`;
  const surface = createSurface(stage, draw);
  const { canvas } = surface;
  canvas.setAttribute("role", "application");
  canvas.setAttribute(
    "aria-label",
    `${parts.name} of ${counted(model.lanes.length, "lane")} and ${counted(data.start.length, "interval")}. ` +
      "Left and right move the cursor, with shift further; plus and minus zoom, 0 fits, space plays. " +
      "The table below tells what each lane does at the cursor.",
  );
  clock.onChange(() => surface.invalidate());

  function draw(context: CanvasRenderingContext2D, width: number, _height: number, now: number): boolean {
    parts.beforeFrame?.(now);
    rows = arrange(model, width, parts.withMemory);
    const { span, cursor } = clock;
    // From near, one operator is what stands out, and its neighbours stay readable.
    const sample = pointed === null ? clock.sample : null;
    const scene = { context, page, model, palette, rows, span, cursor, sample, device, operators, operator: pointed, node };
    drawAxis(scene);
    drawn = drawLanes(scene, surface.ratio);
    drawMemory(scene);
    drawCursor(scene);
    return player.playing;
  }

  const timeAt = (x: number): number => toTime(clock.span, rows.track, x);
  const perPixel = (): number => 1 / pixelsPerTime(clock.span, rows.track);
  const laneAt = (y: number): number => rows.tops.findIndex((top) => y >= top && y < top + rows.height);
  const widthOf = (interval: number): number =>
    (data.finish[interval]! - data.start[interval]!) * pixelsPerTime(clock.span, rows.track);

  function under(x: number, y: number): number | null {
    if (x < rows.track.left || x > rows.track.right) return null;
    const lane = laneAt(y);
    return lane < 0 ? null : intervalAt(model, model.lanes[lane]!, timeAt(x));
  }
  // The operator of a block at a place in it, where the block is wide enough to show them.
  function operatorUnder(interval: number | null, x: number): number | null {
    const at = interval === null ? null : operatorsIn(data, operators, interval);
    if (interval === null || at === null || !isDivided(at, widthOf(interval))) return null;
    const [start, finish] = [data.start[interval]!, data.finish[interval]!];
    return operatorAt(at, (timeAt(x) - start) / (finish - start));
  }
  function hover(interval: number | null, index: number | null): void {
    if (interval === hovered && index === (pointed?.index ?? null)) return;
    hovered = interval;
    pointed = interval === null || index === null ? null : { interval, index };
    clock.point(interval === null || pointed !== null ? null : data.sample[interval]!);
    surface.invalidate();
  }
  function describeOperator(interval: number, index: number): Description {
    const at = operatorsIn(data, operators, interval)!;
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
    pan(dx) {
      hideTip();
      clock.pan(-dx * perPixel());
    },
    zoom(factor, x) {
      hideTip();
      clock.zoom(factor, timeAt(Math.max(x, rows.track.left)));
    },
    hover(x, y) {
      const interval = under(x, y);
      const index = operatorUnder(interval, x);
      hover(interval, index);
      const onCursor = Math.abs(x - toX(clock.span, rows.track, clock.cursor)) < grip || y < rows.axis.bottom;
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
      const lane = laneAt(y);
      if (interval === null && (x >= rows.track.left || lane < 0)) {
        if (x >= rows.track.left) clock.moveCursor(timeAt(x));
        return;
      }
      const index = operatorUnder(interval, x);
      if (interval === null || index === null) bus.toggleMark(originalOf(page, model.lanes[lane]!.device));
      else bus.emit("node", operators!.node(operatorsIn(data, operators, interval)!, index));
    },
    doubleTap(x) {
      hideTip();
      clock.zoom(2, timeAt(x));
    },
    grab(x, y) {
      if (x < rows.track.left - grip) return false;
      const onCursor = Math.abs(x - toX(clock.span, rows.track, clock.cursor)) < grip && y < rows.parts.bottom;
      const taken = y < rows.axis.bottom || onCursor;
      if (taken) {
        player.stop();
        clock.moveCursor(timeAt(x));
      }
      return taken;
    },
    drag: (x) => clock.moveCursor(timeAt(Math.min(Math.max(x, rows.track.left), rows.track.right))),
  });

  const step = (event: KeyboardEvent): number => (clock.span.end - clock.span.begin) * (event.shiftKey ? 0.1 : 0.01);
  const keys: Record<string, (event: KeyboardEvent) => void> = {
    ArrowLeft: (event) => clock.moveCursor(clock.cursor - step(event)),
    ArrowRight: (event) => clock.moveCursor(clock.cursor + step(event)),
    Home: () => clock.moveCursor(0),
    End: () => clock.moveCursor(clock.extent),
    "+": () => clock.zoomAtCursor(zoomStep),
    "=": () => clock.zoomAtCursor(zoomStep),
    "-": () => clock.zoomAtCursor(1 / zoomStep),
    "0": () => clock.fit(),
    " ": () => player.toggle(),
  };
  canvas.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    hideTip();
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

  return {
    get begin() { return clock.span.begin; },
    get end() { return clock.span.end; },
    get cursor() { return clock.cursor; },
    get playing() { return player.playing; },
    get hovered() { return hovered; },
    get sample() { return clock.sample; },
    get frames() { return surface.frames; },
    get frameTime() { return surface.lastFrame; },
    get drawn() { return drawn; },
    get operator() { return pointed?.index ?? null; },
    divided(interval) {
      const at = operatorsIn(data, operators, interval);
      return at !== null && isDivided(at, widthOf(interval));
    },
    place: (interval) => ({
      x: toX(clock.span, rows.track, (data.start[interval]! + data.finish[interval]!) / 2),
      y: rows.tops[model.row[data.lane[interval]!]!]! + rows.height / 2,
    }),
  };
}
