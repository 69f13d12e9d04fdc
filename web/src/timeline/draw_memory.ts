// SPDX-License-Identifier: Apache-2.0
// Memory in use over time, as steps: of all devices, or of the one that is marked, then with its limit.
// Where there are more steps than pixels, each pixel shows its peak.
import { passColour } from "../canvas/palette";
import { textWidth } from "../canvas/text";
import type { TimelineData } from "../data";
import { bytes } from "../format";
import { memoryIndexAt } from "./model";
import type { TimeScene } from "./scene";
import { toTime, toX } from "./span";

type MemoryColumns = TimelineData["memory"][number];

export function drawMemory(scene: TimeScene): void {
  const { context, palette, rows, model } = scene;
  const place = rows.memory;
  if (place === null) return;
  const marked = model.data.memory.filter((memory) => memory.device === scene.device);
  const shown = marked.length > 0 ? marked : model.data.memory;
  const limit = marked.length > 0 ? (scene.page.devices[scene.device!]?.memory ?? null) : null;
  const peak = shown.reduce((most, memory) => memory.bytes.reduce((a, b) => Math.max(a, b), most), 0);
  const most = Math.max(peak, limit !== null && limit < 4 * peak ? limit : 0, 1) * 1.08;
  const y = (value: number): number => place.bottom - (value / most) * (place.bottom - place.top);

  context.lineWidth = 1;
  context.strokeStyle = palette.line;
  context.strokeRect(rows.track.left + 0.5, place.top + 0.5, rows.track.right - rows.track.left - 1, place.bottom - place.top);
  for (const memory of shown) drawSteps(scene, memory, y, place.bottom, marked.length > 0);
  if (limit !== null) drawLimit(scene, y(limit), place.top, bytes(limit));

  context.fillStyle = palette["ink-2"];
  context.font = `400 12.5px ${palette.sans}`;
  context.textAlign = "left";
  context.textBaseline = "top";
  context.fillText("memory", 11, place.top);
  context.fillStyle = palette["ink-3"];
  context.font = `400 11px ${palette.sans}`;
  const text = `peak ${bytes(peak)}`;
  context.fillText(textWidth(context, text) < rows.track.left - 14 ? text : bytes(peak), 11, place.top + 18);
}

function drawLimit(scene: TimeScene, y: number, top: number, text: string): void {
  const { context, palette, rows } = scene;
  if (y < top) return;
  context.strokeStyle = context.fillStyle = palette.bottleneck;
  context.setLineDash([5, 4]);
  context.beginPath();
  context.moveTo(rows.track.left, y);
  context.lineTo(rows.track.right, y);
  context.stroke();
  context.setLineDash([]);
  context.font = `400 11px ${palette.sans}`;
  context.textAlign = "left";
  context.textBaseline = "bottom";
  const label = `limit ${text}`;
  context.fillText(label, rows.track.right - textWidth(context, label) - 6, y - 2 < top + 12 ? y + 15 : y - 2);
}

function drawSteps(
  scene: TimeScene, memory: MemoryColumns, y: (value: number) => number, floor: number, alone: boolean,
): void {
  const { context, palette, rows, span } = scene;
  const { track } = rows;
  const first = memoryIndexAt(memory, span.begin);
  const last = memoryIndexAt(memory, span.end);
  const held = first < 0 ? 0 : memory.bytes[first]!;
  const line = new Path2D();
  line.moveTo(track.left, y(held));
  if (last - first > track.right - track.left) addPeaks(scene, memory, y, line);
  else addSteps(scene, memory, y, line);
  const area = new Path2D(line);
  area.lineTo(track.right, floor);
  area.lineTo(track.left, floor);
  area.closePath();
  context.fillStyle = context.strokeStyle = passColour(palette, memory.device, false);
  context.globalAlpha = alone ? 0.22 : 0.035;
  context.fill(area);
  context.globalAlpha = 1;
  context.lineWidth = 1.5;
  context.stroke(line);
}

function addSteps(scene: TimeScene, memory: MemoryColumns, y: (value: number) => number, line: Path2D): void {
  const { span, rows } = scene;
  const first = memoryIndexAt(memory, span.begin);
  const last = memoryIndexAt(memory, span.end);
  let held = first < 0 ? 0 : memory.bytes[first]!;
  for (let i = first + 1; i <= last; ++i) {
    const x = toX(span, rows.track, memory.time[i]!);
    line.lineTo(x, y(held));
    held = memory.bytes[i]!;
    line.lineTo(x, y(held));
  }
  line.lineTo(rows.track.right, y(held));
}

function addPeaks(scene: TimeScene, memory: MemoryColumns, y: (value: number) => number, line: Path2D): void {
  const { span, rows } = scene;
  let i = memoryIndexAt(memory, span.begin);
  for (let x = rows.track.left; x < rows.track.right; ++x) {
    const until = toTime(span, rows.track, x + 1);
    let peak = i < 0 ? 0 : memory.bytes[i]!;
    while (i + 1 < memory.time.length && memory.time[i + 1]! < until) peak = Math.max(peak, memory.bytes[++i]!);
    line.lineTo(x, y(peak));
    line.lineTo(x + 1, y(peak));
  }
}
