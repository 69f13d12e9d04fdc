// SPDX-License-Identifier: Apache-2.0
// An SVG chart that is drawn anew for the width it has, so that its type stays as large as the page's.
import { html, svg } from "../dom";
import type { Scale } from "./scale";

export interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export interface Tick {
  at: number;
  text: string;
}

// `draw` gets an empty picture and the place inside its axes.
export function chart(
  label: string,
  height: number,
  draw: (picture: SVGSVGElement, frame: Frame) => void,
): HTMLElement {
  const host = html("div", { class: "chart" });
  let drawn = 0;
  const redraw = (): void => {
    const width = Math.round(host.clientWidth);
    if (width === 0 || width === drawn) return;
    drawn = width;
    const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
    draw(picture, { left: 64, right: width - 24, top: 14, bottom: height - 44 });
    host.replaceChildren(picture);
  };
  new ResizeObserver(redraw).observe(host);
  return host;
}

export function drawAxes(
  picture: SVGSVGElement,
  frame: Frame,
  x: readonly Tick[],
  y: readonly Tick[],
  title: string,
): void {
  for (const tick of y) {
    picture.append(
      svg("line", { class: "grid", x1: frame.left, x2: frame.right, y1: tick.at, y2: tick.at }),
      svg("text", { class: "tick", x: frame.left - 8, y: tick.at + 4, "text-anchor": "end" }, tick.text),
    );
  }
  picture.append(svg("line", { class: "base", x1: frame.left, x2: frame.right, y1: frame.bottom, y2: frame.bottom }));
  for (const tick of x) {
    picture.append(
      svg("line", { class: "base", x1: tick.at, x2: tick.at, y1: frame.bottom, y2: frame.bottom + 4 }),
      svg("text", { class: "tick", x: tick.at, y: frame.bottom + 18, "text-anchor": "middle" }, tick.text),
    );
  }
  picture.append(
    svg(
      "text",
      { class: "tick", x: (frame.left + frame.right) / 2, y: frame.bottom + 38, "text-anchor": "middle" },
      title,
    ),
  );
}

export type Point = readonly [x: number, y: number];

export function path(points: readonly Point[]): string {
  return points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

// Each value holds until the next one.
export function steps(points: readonly Point[], end: number): Point[] {
  const list: Point[] = [];
  points.forEach(([x, y], i) => list.push([x, y], [points[i + 1]?.[0] ?? end, y]));
  return list;
}

export function at(values: readonly number[], scale: Scale, text: (value: number) => string): Tick[] {
  return values.map((value) => ({ at: scale(value), text: text(value) }));
}
