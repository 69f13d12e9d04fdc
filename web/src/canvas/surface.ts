// SPDX-License-Identifier: Apache-2.0
// A canvas that fills its host, sharp on every screen, and is drawn only when something changed.

export type Draw = (context: CanvasRenderingContext2D, width: number, height: number, now: number) => boolean;

export interface Surface {
  readonly canvas: HTMLCanvasElement;
  readonly width: number; // CSS pixels
  readonly height: number;
  readonly ratio: number; // device pixels for each of them
  readonly frames: number; // drawn so far
  readonly lastFrame: number; // milliseconds that drawing took
  invalidate(): void;
}

// `draw` sees a cleared canvas in CSS pixels, and returns whether it moves and wants to be called again.
export function createSurface(host: HTMLElement, draw: Draw): Surface {
  const canvas = document.createElement("canvas");
  canvas.tabIndex = 0;
  host.append(canvas);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("This browser has no 2D canvas.");

  let requested = false;
  const surface = {
    canvas,
    width: 0,
    height: 0,
    ratio: 1,
    frames: 0,
    lastFrame: 0,
    invalidate(): void {
      if (requested || surface.width === 0) return;
      requested = true;
      requestAnimationFrame(frame);
    },
  };

  function frame(now: number): void {
    requested = false;
    const begin = performance.now();
    context!.setTransform(surface.ratio, 0, 0, surface.ratio, 0, 0);
    context!.clearRect(0, 0, surface.width, surface.height);
    const moving = draw(context!, surface.width, surface.height, now);
    surface.lastFrame = performance.now() - begin;
    ++surface.frames;
    if (moving) surface.invalidate();
  }

  function resize(): void {
    surface.width = host.clientWidth;
    surface.height = host.clientHeight;
    surface.ratio = window.devicePixelRatio || 1;
    canvas.width = Math.round(surface.width * surface.ratio);
    canvas.height = Math.round(surface.height * surface.ratio);
    surface.invalidate();
  }

  // Another zoom of the browser, or another screen: the query fires once, for the ratio it was made for.
  function watchRatio(): void {
    const query = window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    query.addEventListener("change", () => (resize(), watchRatio()), { once: true });
  }

  new ResizeObserver(resize).observe(host);
  watchRatio();
  resize();
  return surface;
}
