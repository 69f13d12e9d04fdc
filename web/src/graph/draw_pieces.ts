// SPDX-License-Identifier: Apache-2.0
// The boxes of the pieces: far away each with its numbers, nearer as a ground for its nodes, with a name that stays in
// sight while any of the box is. Each has a bar, which shows its load beside the largest one, and what it is made of.
import { hatched } from "../canvas/hatch";
import { mixed, passColour, type Palette } from "../canvas/palette";
import { initials, roundedBox, shortened, textWidth } from "../canvas/text";
import type { PieceData } from "../data";
import { originalOf, stageName } from "../devices";
import { counted, significant, withUnit } from "../format";
import { lanesOf, passSegments, type Kind } from "../loads/segments";
import { sharing } from "./model";
import { dimmed, isDimmed, type Scene } from "./scene";
import { toScreenX, toScreenY, type Rectangle } from "./viewport";

const number = (value: number): string => significant(value, 4);

export function pieceOnScreen(scene: Scene, piece: PieceData): Rectangle {
  const left = toScreenX(scene.view, scene.size, piece.left);
  const top = toScreenY(scene.view, scene.size, piece.top);
  return { left, top, right: left + piece.width * scene.view.scale, bottom: top + piece.height * scene.view.scale };
}

function isSeen(scene: Scene, box: Rectangle): boolean {
  return box.right >= 0 && box.bottom >= 0 && box.left <= scene.size.width && box.top <= scene.size.height;
}

export function pieceTitle(scene: Scene, piece: PieceData): string {
  const name = stageName(scene.page, piece.device);
  return piece.backward ? `${name}, backward` : name;
}

export function drawPieces(scene: Scene): void {
  const far = scene.levels.pieces;
  scene.model.data.pieces.forEach((piece, index) => {
    const box = pieceOnScreen(scene, piece);
    if (!isSeen(scene, box)) return;
    const shown = isDimmed(scene, piece.device) ? 0.4 : 1;
    scene.context.globalAlpha = shown;
    drawGround(scene, piece, box);
    scene.context.globalAlpha = shown * far;
    if (far > 0) drawNumbers(scene, index, box);
    scene.context.globalAlpha = shown * (1 - far);
    if (far < 1) drawHeadBar(scene, index, box);
  });
  scene.context.globalAlpha = 1;
}

function drawGround(scene: Scene, piece: PieceData, box: Rectangle): void {
  const { context, palette } = scene;
  // Where hues mean something else, boxes have none.
  const hues = scene.colouring.scheme === "device";
  const colour = hues ? passColour(palette, piece.device, piece.backward) : palette["ink-3"];
  const far = scene.levels.pieces;
  const strength = (palette.dark ? 0.1 : 0.07) + far * (palette.dark ? 0.12 : 0.11);
  roundedBox(context, box.left, box.top, box.right - box.left, box.bottom - box.top, 4 + 6 * far);
  context.fillStyle = mixed(palette.paper, colour, strength);
  context.fill();
  const bottleneck = scene.page.plan?.bottleneck ?? null;
  const isBottleneck = bottleneck !== null && originalOf(scene.page, bottleneck) === piece.device;
  context.strokeStyle = isBottleneck ? palette.bottleneck : mixed(palette.paper, colour, 0.45 + 0.4 * far);
  context.lineWidth = 1 + far * (isBottleneck ? 1 : 0.25);
  context.stroke();
}

// Lines of text from the top, as many as have room; each has shorter forms for narrow boxes, and a number is never cut.
// Then the bar, with its legend in numbers or, where that has no room, alone at the bottom.
function drawNumbers(scene: Scene, index: number, box: Rectangle): void {
  const { context, palette, model } = scene;
  const piece = model.data.pieces[index]!;
  const inset = Math.min(12, (box.right - box.left) * 0.09);
  const room = box.right - box.left - 2 * inset;
  if (room < 8 || box.bottom - box.top < 10) return;
  const floor = box.bottom - 4 - barHeight;
  const load = model.load[index]!;
  const name = stageName(scene.page, piece.device);
  const nodes = counted(piece.nodes, "node");
  const fits = (size: number): number => Math.min(size, Math.max(9, room / 8));
  const lines = [
    { forms: [name, initials(name)], size: fits(13), weight: 650, ink: palette.ink },
    {
      forms: [withUnit(number(load)), number(load), significant(load, 2)],
      size: Math.min(22, Math.max(10, room / 5)),
      weight: 600,
      ink: palette.ink,
    },
    { forms: [piece.backward ? `backward, ${nodes}` : nodes, nodes], size: fits(11.5), weight: 400, ink: palette["ink-2"] },
  ];
  let y = box.top + Math.min(inset, 10);
  context.textBaseline = "top";
  context.textAlign = "left";
  for (const { forms, size, weight, ink } of lines) {
    if (y + size > floor - 2) break;
    context.font = `${weight} ${size}px ${palette.sans}`;
    context.fillStyle = ink;
    const text = forms.find((form) => textWidth(context, form) <= room);
    if (text === undefined) continue;
    context.fillText(text, box.left + inset, y);
    y += size * 1.3 + 2;
  }
  const hasRoom = y + 8 + sharesHeight(room) < box.bottom && room > 60;
  drawBar(scene, index, box.left + inset, hasRoom ? y + 8 : floor, room, barHeight);
  if (hasRoom) drawShares(scene, index, box.left + inset, y + 8 + barHeight + 7, room);
}

const barHeight = 7;
const shareSize = (room: number): number => Math.min(11, Math.max(9, room / 9)); // of the font
const sharesHeight = (room: number): number => barHeight + 7 + 3 * 1.4 * shareSize(room);

type Fill = CanvasPattern | string;

// Made once for a theme and a screen, not for every box of every frame.
const knownFills = new WeakMap<Palette, { ratio: number; fills: Record<Kind, Fill> }>();

function fillsOf(scene: Scene): Record<Kind, Fill> {
  const { context, palette, ratio } = scene;
  const known = knownFills.get(palette);
  if (known?.ratio === ratio) return known.fills;
  const fills = {
    compute: palette.compute,
    in: hatched(context, palette.in, palette["in-stripe"], "up", ratio),
    out: hatched(context, palette.out, palette["out-stripe"], "down", ratio),
    sync: palette["ink-3"], // no piece has any
  };
  knownFills.set(palette, { ratio, fills });
  return fills;
}

// The load beside the largest one, which takes all the room. What runs side by side is drawn so.
function drawBar(scene: Scene, index: number, left: number, top: number, room: number, height: number): void {
  const { context, palette, page, model } = scene;
  const piece = model.data.pieces[index]!;
  const { transfers } = page.question;
  context.fillStyle = mixed(palette.paper, palette.ink, 0.12);
  context.fillRect(left, top, room, height);
  if (model.mostLoad === 0) return;
  const fills = fillsOf(scene);
  const perTime = room / model.mostLoad / sharing(page, piece.device);
  const lane = height / lanesOf(transfers);
  for (const segment of passSegments(piece, 0, piece.backward, transfers)) {
    context.fillStyle = fills[segment.kind];
    context.fillRect(left + segment.start * perTime, top + segment.lane * lane, segment.length * perTime, lane);
  }
}

// Above the nodes, in the space that the layout leaves at the top of each box.
function drawHeadBar(scene: Scene, index: number, box: Rectangle): void {
  const { scale } = scene.view;
  const inset = Math.max(3, Math.min(0.6 * scale, 12));
  const height = Math.max(3, Math.min(0.5 * scale, barHeight));
  drawBar(scene, index, box.left + inset, box.top + Math.min(0.45 * scale, 12), box.right - box.left - 2 * inset, height);
}

// What the load is made up of, in numbers.
function drawShares(scene: Scene, index: number, left: number, top: number, room: number): void {
  const { context, palette, page, model } = scene;
  const piece = model.data.pieces[index]!;
  const fills = fillsOf(scene);
  const size = shareSize(room);
  context.font = `400 ${size}px ${palette.sans}`;
  (["compute", "in", "out"] as const).forEach((kind, i) => {
    const y = top + i * size * 1.4;
    const value = piece[kind] / sharing(page, piece.device);
    context.fillStyle = fills[kind];
    context.fillRect(left, y + size * 0.1, size * 0.7, size * 0.7);
    context.fillStyle = palette["ink-2"];
    context.fillText(kind, left + 1.1 * size, y);
    const free = room - textWidth(context, kind) - 1.6 * size;
    const text = [number(value), significant(value, 2)].find((form) => textWidth(context, form) < free);
    if (text !== undefined) context.fillText(text, left + room - textWidth(context, text), y);
  });
}

// Nearer than the numbers: a chip with the name at the top left of what is seen of the box, above the nodes.
export function drawPieceNames(scene: Scene): void {
  const { context, palette } = scene;
  const alpha = 1 - scene.levels.pieces;
  if (alpha === 0) return;
  context.font = `600 11px ${palette.sans}`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  scene.model.data.pieces.forEach((piece, number) => {
    const box = pieceOnScreen(scene, piece);
    const left = Math.max(box.left, 6);
    const top = Math.max(box.top - 19, 6);
    const end = box.left + scene.model.nameRoom[number]! * scene.view.scale;
    const room = Math.min(Math.max(box.right, end - 8), scene.size.width) - left - 26;
    if (!isSeen(scene, { ...box, top: box.top - 19 }) || left > box.right - 12 || top + 18 > box.bottom) return;
    if (room < 12) return;
    const title = pieceTitle(scene, piece);
    const fits = textWidth(context, title) <= room;
    const text = shortened(context, fits ? title : initials(title), room);
    const colour = passColour(palette, piece.device, piece.backward);
    context.globalAlpha = alpha * (isDimmed(scene, piece.device) ? dimmed * 2 : 1);
    roundedBox(context, left, top, textWidth(context, text) + 24, 18, 5);
    context.fillStyle = mixed(palette.paper, colour, palette.dark ? 0.3 : 0.2);
    context.fill();
    context.fillStyle = colour;
    context.beginPath();
    context.arc(left + 10, top + 9, 3.5, 0, 2 * Math.PI);
    context.fill();
    context.fillStyle = palette.ink;
    context.fillText(text, left + 18, top + 9.5);
  });
  context.globalAlpha = 1;
}
