// SPDX-License-Identifier: Apache-2.0
// Mouse, pen, fingers and wheel, told as what they mean. Positions are in the element, in CSS pixels.

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

const slop = 4; // pixels that a tap may move
const doubleTap = 350; // milliseconds
const scrollRest = 250; // milliseconds after which a page that scrolled under the pointer has come to rest
const linePixels = 16; // wheels that count in lines

export function listen(element: HTMLElement, to: Gestures): void {
  const pointers = new Map<number, { x: number; y: number }>();
  let moved = false;
  let grabbed = false;
  let span = 0; // between two fingers
  let lastTap = { time: -Infinity, x: 0, y: 0 };
  let lastScroll = -Infinity;

  const at = (event: MouseEvent): { x: number; y: number } => {
    const box = element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const pinch = (): { x: number; y: number; span: number } => {
    const [a, b] = [...pointers.values()] as [{ x: number; y: number }, { x: number; y: number }];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, span: Math.hypot(a.x - b.x, a.y - b.y) };
  };

  element.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const point = at(event);
    element.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, point);
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
    if (before === undefined) {
      if (event.pointerType !== "touch") to.hover(point.x, point.y);
      return;
    }
    if (!moved && Math.hypot(point.x - before.x, point.y - before.y) < slop && !grabbed) return;
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
    else to.pan(point.x - before.x, point.y - before.y);
  });

  element.addEventListener("pointerup", (event) => {
    const known = pointers.delete(event.pointerId);
    if (!known || moved || grabbed) return;
    const point = at(event);
    const again =
      event.timeStamp - lastTap.time < doubleTap && Math.hypot(point.x - lastTap.x, point.y - lastTap.y) < 4 * slop;
    lastTap = { time: again ? -Infinity : event.timeStamp, ...point };
    if (again) to.doubleTap(point.x, point.y);
    else to.tap(point.x, point.y);
  });
  element.addEventListener("pointercancel", (event) => pointers.delete(event.pointerId));
  element.addEventListener("pointerleave", () => to.leave());

  // A reader who scrolls the page past the element must not be caught by it.
  window.addEventListener("scroll", () => (lastScroll = performance.now()), { passive: true });
  element.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && performance.now() - lastScroll < scrollRest) return;
      event.preventDefault();
      const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : linePixels;
      const point = at(event);
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        to.pan(-unit * (event.deltaX || event.deltaY), 0);
        return;
      }
      // A pinch on a touchpad comes as a wheel with ctrl and small steps.
      const speed = event.ctrlKey ? 0.01 : 0.0018;
      to.zoom(Math.exp(-unit * event.deltaY * speed), point.x, point.y);
    },
    { passive: false },
  );
}
