// SPDX-License-Identifier: Apache-2.0
// Which part of the plane is seen: a point at the centre of the window, and how many pixels a unit has there.
//
// Flights from one view to another follow [vanWijk-Nuij-InfoVis'03]: zoom out, move, zoom in, on the path along which
// the picture seems to move at constant speed. With w the width of the view in units and u the distance flown, the path
// in (u, w) is an arc whose form depends on how much zooming is worth a unit of moving, rho.

export interface View {
  x: number;
  y: number;
  scale: number;
}

export interface Rectangle {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface Size {
  width: number;
  height: number;
}

export const mostScale = 220;
const leastScale = 1e-3; // of a view of all, however large that is

export const toScreenX = (view: View, size: Size, x: number): number => (x - view.x) * view.scale + size.width / 2;
export const toScreenY = (view: View, size: Size, y: number): number => (y - view.y) * view.scale + size.height / 2;
export const toWorldX = (view: View, size: Size, x: number): number => (x - size.width / 2) / view.scale + view.x;
export const toWorldY = (view: View, size: Size, y: number): number => (y - size.height / 2) / view.scale + view.y;

export function visible(view: View, size: Size, margin: number): Rectangle {
  const halfWidth = size.width / 2 / view.scale + margin;
  const halfHeight = size.height / 2 / view.scale + margin;
  return {
    left: view.x - halfWidth,
    top: view.y - halfHeight,
    right: view.x + halfWidth,
    bottom: view.y + halfHeight,
  };
}

export function panned(view: View, dx: number, dy: number): View {
  return { ...view, x: view.x - dx / view.scale, y: view.y - dy / view.scale };
}

const between = (value: number, from: number, to: number): number => Math.min(Math.max(value, from), to);

// The middle of the window stays over the box, so that no way leads to where nothing is.
export function keptOver(view: View, box: Rectangle): View {
  return { ...view, x: between(view.x, box.left, box.right), y: between(view.y, box.top, box.bottom) };
}

// What lies under (x, y) of the screen stays there. Zooming out ends at the scale of `whole`, the view of all of the
// box, and from twice that scale on it draws the middle of the window to that of the box: by so much the more as it
// zooms, so that two fingers that move what they hold, and tremble, can still do so.
export function zoomed(
  view: View, size: Size, factor: number, x: number, y: number, box: Rectangle, whole: View,
): View {
  const scale = between(view.scale * factor, Math.min(whole.scale, view.scale), mostScale);
  const keep = 1 / view.scale - 1 / scale;
  const free = { scale, x: view.x + (x - size.width / 2) * keep, y: view.y + (y - size.height / 2) * keep };
  if (factor >= 1) return free;
  const share = Math.min(1, scale / whole.scale - 1) / 2;
  const drawn = (to: number, from: number, middle: number, extent: number): number => {
    const most = Math.max(share * extent, Math.abs(from - middle) * factor ** pull);
    return between(to, middle - most, middle + most);
  };
  return {
    scale,
    x: drawn(free.x, view.x, whole.x, box.right - box.left),
    y: drawn(free.y, view.y, whole.y, box.bottom - box.top),
  };
}
const pull = 6; // how much faster than the picture shrinks

// All of a rectangle, `margin` pixels from the border, but no larger than `most` pixels to the unit.
export function fitted(box: Rectangle, size: Size, margin: number, most: number): View {
  const width = Math.max(box.right - box.left, 1e-9);
  const height = Math.max(box.bottom - box.top, 1e-9);
  const room = (pixels: number): number => Math.max(pixels - 2 * margin, pixels / 2, 1);
  const scale = Math.min(room(size.width) / width, room(size.height) / height, most);
  return { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2, scale: Math.max(scale, leastScale) };
}

// All of a rectangle at a scale at which it can be read; where that is more than fits, its beginning: the top, and the
// left or (`fromRight`) the right.
export function atBeginning(box: Rectangle, size: Size, margin: number, scale: number, fromRight: boolean): View {
  const middle = (from: number, to: number, pixels: number, atEnd: boolean): number => {
    if ((to - from) * scale + 2 * margin <= pixels) return (from + to) / 2;
    const inwards = (pixels / 2 - margin) / scale;
    return atEnd ? to - inwards : from + inwards;
  };
  return {
    scale,
    x: middle(box.left, box.right, size.width, fromRight),
    y: middle(box.top, box.bottom, size.height, false),
  };
}

const rho = Math.SQRT2;

export interface Flight {
  length: number; // in units of seen motion; an ordinary one is 1 to 5 long
  at(share: number): View; // share of the way, 0 to 1
}

export function flight(from: View, to: View, size: Size): Flight {
  const w0 = size.width / from.scale;
  const w1 = size.width / to.scale;
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const distance = Math.hypot(dx, dy);
  const view = (u: number, w: number): View => ({
    x: from.x + dx * u,
    y: from.y + dy * u,
    scale: size.width / w,
  });
  if (distance < 1e-6 * w0) {
    const length = Math.abs(Math.log(w1 / w0)) / rho;
    return { length, at: (share) => (share >= 1 ? to : view(share, w0 * (w1 / w0) ** share)) };
  }
  const rho2 = rho * rho;
  const b = (w: number, sign: number): number =>
    (w1 * w1 - w0 * w0 + sign * rho2 * rho2 * distance * distance) / (2 * w * rho2 * distance);
  const r = (value: number): number => Math.log(Math.hypot(value, 1) - value);
  const r0 = r(b(w0, 1));
  const length = (r(b(w1, -1)) - r0) / rho;
  return {
    length,
    at: (share) => {
      if (share >= 1) return to;
      const s = rho * share * length + r0;
      const u = (w0 / (rho2 * distance)) * (Math.cosh(r0) * Math.tanh(s) - Math.sinh(r0));
      return view(u, (w0 * Math.cosh(r0)) / Math.cosh(s));
    },
  };
}
