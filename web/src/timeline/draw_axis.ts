// SPDX-License-Identifier: Apache-2.0
// Time from left to right: ticks, the parts of the run (filling up, steady, draining), and the cursor.
import { mixed } from "../canvas/palette";
import { roundedBox, textWidth } from "../canvas/text";
import { significant, withUnit } from "../format";
import type { TimeScene } from "./scene";
import { ticks, toX } from "./span";

const tickGap = 86; // pixels

export function drawAxis(scene: TimeScene): void {
  const { context, palette, rows, span } = scene;
  context.font = `400 11px ${palette.sans}`;
  context.textBaseline = "middle";
  context.textAlign = "center";
  context.lineWidth = 1;
  for (const time of ticks(span, rows.track, tickGap)) {
    const x = toX(span, rows.track, time);
    context.strokeStyle = palette.line;
    context.beginPath();
    context.moveTo(x, rows.axis.bottom - 5);
    context.lineTo(x, rows.memory?.bottom ?? rows.lanesBottom);
    context.stroke();
    context.fillStyle = palette["ink-3"];
    const half = textWidth(context, significant(time, 6)) / 2;
    context.fillText(significant(time, 6), Math.min(x, rows.track.right + 12 - half), rows.axis.top + 11);
  }
  drawParts(scene);
}

function drawParts(scene: TimeScene): void {
  const { context, palette, rows, span, model } = scene;
  const { warmUpEnd, drainBegin, makespan, steady, samples } = model.data;
  if (samples < 2) return; // a single sample has no parts
  const parts = [
    { name: "warm-up", begin: 0, end: warmUpEnd, strength: 2 },
    { name: steady ? "steady" : "no steady state yet", begin: warmUpEnd, end: drainBegin, strength: 1 },
    { name: "drain", begin: drainBegin, end: makespan, strength: 2 },
  ];
  const { top, bottom } = rows.parts;
  context.font = `500 11px ${palette.sans}`;
  for (const { name, begin, end, strength } of parts) {
    const left = Math.max(toX(span, rows.track, begin), rows.track.left);
    const right = Math.min(toX(span, rows.track, end), rows.track.right);
    if (right - left < 1) continue;
    context.fillStyle = mixed(palette.paper, palette["ink-3"], (palette.dark ? 0.16 : 0.1) * strength);
    context.fillRect(left, top, right - left - 1, bottom - top);
    if (textWidth(context, name) + 8 < right - left) {
      context.fillStyle = palette["ink-2"];
      context.textAlign = "center";
      context.fillText(name, (left + right) / 2, (top + bottom) / 2 + 0.5);
    }
    if (begin === 0 || begin < span.begin) continue;
    context.strokeStyle = palette["ink-3"];
    context.setLineDash([4, 3]);
    context.beginPath();
    context.moveTo(left - 0.5, top);
    context.lineTo(left - 0.5, rows.lanesBottom + 3);
    context.stroke();
    context.setLineDash([]);
  }
}

export function drawCursor(scene: TimeScene): void {
  const { context, palette, rows, span, cursor } = scene;
  if (cursor < span.begin || cursor > span.end) return;
  const x = toX(span, rows.track, cursor);
  context.strokeStyle = palette.accent;
  context.lineWidth = 1.5;
  context.beginPath();
  context.moveTo(x, rows.axis.top + 18);
  context.lineTo(x, rows.memory?.bottom ?? rows.lanesBottom);
  context.stroke();
  const text = withUnit(significant(cursor, 5));
  context.font = `600 11px ${palette.sans}`;
  const width = textWidth(context, text) + 14;
  const left = Math.min(Math.max(x - width / 2, rows.track.left - width / 2), rows.track.right + 13 - width);
  roundedBox(context, left, rows.axis.top + 2, width, 18, 9);
  context.fillStyle = palette.accent;
  context.fill();
  context.fillStyle = palette.paper;
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(text, left + width / 2, rows.axis.top + 11.5);
}
