// SPDX-License-Identifier: Apache-2.0
// Mouse, pen, fingers and wheel, told as what they mean. Positions are in the element, in CSS pixels.
//
// A reader who scrolls the page past the element must not be caught by it, so it takes what maps in pages take: the
// wheel with ctrl (which is also how a pinch on a touchpad comes), or without it after a click until the pointer
// leaves; and two fingers, while one scrolls the page. Who tries the rest is told in a hint.
import { html } from "../dom";

export interface Gestures {
  pan(dx: number, dy: number): void;
  zoom(factor: number, x: number, y: number): void;
  hover(x: number, y: number): void;
  leave(): void;
  tap(x: number, y: number): void;
  doubleTap(x: number, y: number): void;
  grab?(x: number, y: number): boolean; // takes the drag that begins here: `drag` is told instead of `pan`
  drag?(x: number, y: number): void;
}

const slop = { mouse: 4, pen: 6, touch: 10 } as const; // pixels that a tap may move
const doubleTap = 350; // milliseconds
const linePixels = 16; // wheels that count in lines
const hintTime = 1600; // milliseconds

interface Point {
  x: number;
  y: number;
}

function createHint(host: HTMLElement | null): (text: string) => void {
  const note = html("p", { class: "canvas-hint", "aria-hidden": "true" });
  host?.append(note);
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (text) => {
    note.textContent = text;
    note.classList.add("is-shown");
    clearTimeout(timer);
    timer = setTimeout(() => note.classList.remove("is-shown"), hintTime);
  };
}

export const wheelKey = (): string => (/Mac|iPhone|iPad/.test(navigator.platform) ? "\u2318" : "Ctrl");

export function listen(element: HTMLElement, to: Gestures): void {
  const hint = createHint(element.parentElement);
  const pointers = new Map<number, Point>();
  let moved = false;
  let grabbed = false;
  let engaged = false; // a click has given the wheel to the element
  let span = 0; // between two fingers
  let lastTap = { time: -Infinity, x: 0, y: 0 };

  const at = (event: MouseEvent): Point => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const pinch = (): Point & { span: number } => {
    const [a, b] = [...pointers.values()] as [Point, Point];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, span: Math.hypot(a.x - b.x, a.y - b.y) };
  };

  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const point = at(event);
    element.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, point);
    engaged = event.pointerType !== "touch";
    if (pointers.size === 1) {
      moved = false;
      grabbed = to.grab?.(point.x, point.y) ?? false;
    } else if (pointers.size === 2) {
      moved = true;
      grabbed = false;
      span = pinch().span;
    }
  });

  element.addEventListener("pointermove", (event) => {
    const point = at(event);
    const before = pointers.get(event.pointerId);
    const isFinger = event.pointerType === "touch";
    if (before === undefined) {
      if (!isFinger) to.hover(point.x, point.y);
      return;
    }
    const still = slop[event.pointerType as keyof typeof slop] ?? slop.mouse;
    if (!moved && Math.hypot(point.x - before.x, point.y - before.y) < still && !grabbed) return;
    moved = true;
    if (pointers.size === 2) {
      const old = pinch();
      pointers.set(event.pointerId, point);
      const now = pinch();
      to.pan(now.x - old.x, now.y - old.y);
      if (span > 0) to.zoom(now.span / span, now.x, now.y);
      span = now.span;
      return;
    }
    pointers.set(event.pointerId, point);
    if (grabbed) to.drag?.(point.x, point.y);
    else if (!isFinger) to.pan(point.x - before.x, point.y - before.y);
  });

  element.addEventListener("pointerup", (event) => {
    const known = pointers.delete(event.pointerId);
    if (!known || moved || grabbed) return;
    const point = at(event);
    const again =
      event.timeStamp - lastTap.time < doubleTap && Math.hypot(point.x - lastTap.x, point.y - lastTap.y) < 16;
    lastTap = { time: again ? -Infinity : event.timeStamp, ...point };
    if (again) to.doubleTap(point.x, point.y);
    else to.tap(point.x, point.y);
  });
  element.addEventListener("pointercancel", (event) => {
    // The page scrolls with a finger that was put down here.
    if (pointers.delete(event.pointerId) && pointers.size === 0 && event.pointerType === "touch")
      hint("Two fingers move and zoom");
  });
  element.addEventListener("pointerleave", () => {
    engaged = false;
    to.leave();
  });

  // The style sheet lets fingers scroll the page (touch-action); two of them, or one that has grabbed something, do not.
  const keep = (event: TouchEvent): void => {
    if ((event.touches.length > 1 || grabbed) && event.cancelable) event.preventDefault();
  };
  element.addEventListener("touchstart", keep, { passive: false });
  element.addEventListener("touchmove", keep, { passive: false });

  element.addEventListener(
    "wheel",
    (event) => {
      const withKey = event.ctrlKey || event.metaKey;
      if (!withKey && !engaged) {
        hint(`${wheelKey()} and the wheel zoom; so does the wheel after a click`);
        return;
      }
      event.preventDefault();
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : linePixels;
      const point = at(event);
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        to.pan(-unit * (event.deltaX || event.deltaY), 0);
        return;
      }
      // A pinch on a touchpad comes as a wheel with ctrl and small steps; the steps of a wheel are large.
      const isPinch = event.ctrlKey && Math.abs(unit * event.deltaY) < 40;
      to.zoom(Math.exp(-unit * event.deltaY * (isPinch ? 0.01 : 0.0018)), point.x, point.y);
    },
    { passive: false },
  );
}
