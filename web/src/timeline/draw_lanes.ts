// SPDX-License-Identifier: Apache-2.0
// The lanes and their intervals. Neighbours that are narrower than a pixel are drawn as one rectangle, the fainter the
// more of the time between them is idle: a frame draws at most about a rectangle for every two pixels of a lane,
// however many intervals there are.
import { inkOn, passColour } from "../canvas/palette";
import { initials, shortened, textWidth } from "../canvas/text";
import { copyText } from "../devices";
import { drawOperators } from "./draw_operators";
import { firstNotOver, phaseOf, type Lane } from "./model";
import { isDivided, operatorsIn } from "./operators";
import { Fills } from "./patterns";
import { fadedLane, isFaded, type TimeScene } from "./scene";
import { pixelsPerTime, toX } from "./span";

const narrow = 1.2; // pixels below which an interval joins its neighbours
const hatchWidth = 4; // pixels that a hatch needs
const otherSamples = 0.22; // opacity, while one sample stands out

const sampleSizes = [11, 10, 9, 8]; // pixels: a sample's number is written as large as it fits

interface Run {
  left: number;
  right: number;
  busy: number; // pixels
  widest: number;
  fill: string;
}

// Returns how many rectangles were drawn.
export function drawLanes(scene: TimeScene, ratio: number): number {
  const { context, model, rows, span, palette } = scene;
  const fills = new Fills(palette, context, ratio, toX(span, rows.track, 0));
  let drawn = 0;
  model.lanes.forEach((lane, i) => {
    const top = rows.tops[i]!;
    const shown = isFaded(scene, lane.device) ? fadedLane : 1;
    context.globalAlpha = shown;
    context.fillStyle = palette.panel;
    context.fillRect(rows.track.left, top, rows.track.right - rows.track.left, rows.height);
    drawn += drawIntervals(scene, lane, top, shown, fills);
    drawName(scene, lane, top, shown);
  });
  context.globalAlpha = 1;
  return drawn;
}

function drawName(scene: TimeScene, lane: Lane, top: number, shown: number): void {
  const { context, palette, rows } = scene;
  const size = Math.min(12.5, rows.height * 0.8);
  context.globalAlpha = shown;
  context.fillStyle = passColour(palette, lane.device, false);
  context.fillRect(0, top, 4, rows.height);
  context.fillStyle = palette["ink-2"];
  context.font = `400 ${size}px ${palette.sans}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  const room = rows.track.left - 18;
  const copy = copyText(scene.page, lane.device);
  const forms = [copy && `${lane.name}, ${copy}`, lane.name, initials(lane.name)].filter(Boolean);
  const name = forms.find((form) => textWidth(context, form) <= room) ?? initials(lane.name);
  context.fillText(shortened(context, name, room), 11, top + rows.height / 2 + 0.5);
}

function drawIntervals(scene: TimeScene, lane: Lane, top: number, shown: number, fills: Fills): number {
  const { context, model, rows, span } = scene;
  const { data } = model;
  const { track, height } = rows;
  const perTime = pixelsPerTime(span, track);
  let drawn = 0;
  let run: Run | null = null;

  const flush = (): void => {
    if (run === null) return;
    const width = Math.max(run.right - run.left, 0.75);
    context.globalAlpha = shown * Math.min(1, Math.max(0.25, run.busy / width)) * (scene.sample === null ? 1 : otherSamples);
    context.fillStyle = run.fill;
    context.fillRect(run.left, top, width, height);
    ++drawn;
    run = null;
  };

  for (let i = firstNotOver(model, lane, span.begin); i < lane.intervals.length; ++i) {
    const interval = lane.intervals[i]!;
    const start = data.start[interval]!;
    if (start > span.end) break;
    const left = Math.max(track.left, track.left + (start - span.begin) * perTime);
    const right = Math.min(track.right, track.left + (data.finish[interval]! - span.begin) * perTime);
    const width = right - left;
    const piece = data.pieces[data.piece[interval]!]!;
    const phase = phaseOf(data, interval);
    const own = data.sample[interval] === scene.sample;

    if (width < narrow && !own) {
      const open: Run | null = run;
      if (open !== null && left - open.right < narrow && right - open.left < 2) {
        open.right = right;
        open.busy += width;
        if (width > open.widest) {
          open.widest = width;
          open.fill = fills.flat(lane.device, piece.backward, phase);
        }
      } else {
        flush();
        run = { left, right, busy: width, widest: width, fill: fills.flat(lane.device, piece.backward, phase) };
      }
      continue;
    }
    flush();
    context.globalAlpha = shown * (scene.sample === null || own ? 1 : otherSamples);
    context.fillStyle = (width < hatchWidth ? fills.flat : fills.of).call(fills, lane.device, piece.backward, phase);
    // A hair of ground between neighbours, where there is room for it.
    context.fillRect(left, top, Math.max(width - (width > 5 ? 0.75 : 0), 0.75), height);
    ++drawn;
    const at = operatorsIn(data, scene.operators, interval);
    const whole = (data.finish[interval]! - start) * perTime;
    if (at !== null && isDivided(at, whole)) {
      const block = { interval, left: track.left + (start - span.begin) * perTime, width: whole, top };
      drawn += drawOperators(scene, { ...block, device: lane.device, backward: piece.backward }, at);
    } else if (phase === "c" && height > 15) drawSample(scene, interval, left, width, top, piece.backward, lane.device);
  }
  flush();
  return drawn;
}

function drawSample(
  scene: TimeScene, interval: number, left: number, width: number, top: number, backward: boolean, device: number,
): void {
  const { context, palette, rows } = scene;
  const text = String(scene.model.data.sample[interval]);
  const size = sampleSizes.find((each) => {
    context.font = `500 ${each}px ${palette.sans}`;
    return textWidth(context, text) + 3 <= width;
  });
  if (size === undefined) return;
  context.fillStyle = inkOn(passColour(palette, device, backward));
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(text, left + width / 2, top + rows.height / 2 + 0.5);
}
