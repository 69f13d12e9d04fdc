// SPDX-License-Identifier: Apache-2.0
// The boxes of the pieces: far away each with its numbers, nearer as a ground for its nodes, with a name that stays in
// sight while any of the box is.
import { mixed, passColour } from "../canvas/palette";
import { initials, roundedBox, shortened, textWidth } from "../canvas/text";
import type { PieceData } from "../data";
import { counted, significant } from "../format";
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
  const name = scene.page.devices[piece.device]?.name ?? `device ${piece.device}`;
  return piece.backward ? `${name}, backward` : name;
}

export function drawPieces(scene: Scene): void {
  for (const piece of scene.model.data.pieces) {
    const box = pieceOnScreen(scene, piece);
    if (!isSeen(scene, box)) continue;
    scene.context.globalAlpha = isDimmed(scene, piece.device) ? 0.4 : 1;
    drawGround(scene, piece, box);
    const shown = scene.context.globalAlpha;
    if (scene.levels.pieces > 0) {
      scene.context.globalAlpha = shown * scene.levels.pieces;
      drawNumbers(scene, piece, box);
    }
  }
  scene.context.globalAlpha = 1;
}

function drawGround(scene: Scene, piece: PieceData, box: Rectangle): void {
  const { context, palette } = scene;
  const colour = passColour(palette, piece.device, piece.backward);
  const far = scene.levels.pieces;
  const strength = (palette.dark ? 0.1 : 0.07) + far * (palette.dark ? 0.12 : 0.11);
  roundedBox(context, box.left, box.top, box.right - box.left, box.bottom - box.top, 4 + 6 * far);
  context.fillStyle = mixed(palette.paper, colour, strength);
  context.fill();
  const isBottleneck = scene.page.plan?.bottleneck === piece.device;
  context.strokeStyle = isBottleneck ? palette.bottleneck : mixed(palette.paper, colour, 0.45 + 0.4 * far);
  context.lineWidth = 1 + far * (isBottleneck ? 1 : 0.25);
  context.stroke();
}

// Lines of text from the top, as many as have room. Each has shorter forms for narrow boxes; a number is never cut.
function drawNumbers(scene: Scene, piece: PieceData, box: Rectangle): void {
  const { context, palette } = scene;
  const inset = Math.min(12, (box.right - box.left) * 0.09);
  const room = box.right - box.left - 2 * inset;
  const height = box.bottom - box.top;
  if (room < 12 || height < 16) return;
  const load = piece.compute + piece.in + piece.out;
  const name = scene.page.devices[piece.device]?.name ?? "";
  const nodes = counted(piece.nodes, "node");
  const fits = (size: number): number => Math.min(size, Math.max(9, room / 8));
  const lines = [
    { forms: [name, initials(name)], size: fits(13), weight: 650, ink: palette.ink },
    { forms: [number(load), significant(load, 2)], size: Math.min(22, Math.max(10, room / 5)), weight: 600, ink: palette.ink },
    { forms: [piece.backward ? `backward, ${nodes}` : nodes, nodes], size: fits(11.5), weight: 400, ink: palette["ink-2"] },
  ];
  let y = box.top + Math.min(inset, 10);
  context.textBaseline = "top";
  context.textAlign = "left";
  for (const { forms, size, weight, ink } of lines) {
    if (y + size > box.bottom - 3) return;
    context.font = `${weight} ${size}px ${palette.sans}`;
    context.fillStyle = ink;
    const text = forms.find((form) => textWidth(context, form) <= room);
    if (text === undefined) continue;
    context.fillText(text, box.left + inset, y);
    y += size * 1.3 + 2;
  }
  if (load > 0 && y + 8 + sharesHeight(room) < box.bottom && room > 60) drawShares(scene, piece, load, box.left + inset, y + 8, room);
}

const shareSize = (room: number): number => Math.min(11, Math.max(9, room / 9)); // of the font
const sharesHeight = (room: number): number => 13 + 3 * 1.4 * shareSize(room);

// How the load is made up: a bar, and its legend in numbers.
function drawShares(scene: Scene, piece: PieceData, load: number, left: number, top: number, room: number): void {
  const { context, palette } = scene;
  const shares = [
    { name: "compute", value: piece.compute, colour: palette.compute },
    { name: "in", value: piece.in, colour: palette.in },
    { name: "out", value: piece.out, colour: palette.out },
  ];
  let x = left;
  for (const { value, colour } of shares) {
    context.fillStyle = colour;
    context.fillRect(x, top, (room * value) / load, 5);
    x += (room * value) / load;
  }
  const size = shareSize(room);
  context.font = `400 ${size}px ${palette.sans}`;
  shares.forEach(({ name, value, colour }, i) => {
    const y = top + 13 + i * size * 1.4;
    context.fillStyle = colour;
    context.fillRect(left, y + size * 0.15, size * 0.6, size * 0.6);
    context.fillStyle = palette["ink-2"];
    context.fillText(name, left + size, y);
    const free = room - textWidth(context, name) - 1.5 * size;
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
    const text = shortened(context, pieceTitle(scene, piece), room);
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
