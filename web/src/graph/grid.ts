// SPDX-License-Identifier: Apache-2.0
// Points by place: square cells, the points of each in one run of an array. Built in linear time; a look costs the
// cells it covers and what lies in them.
import type { Rectangle } from "./viewport";

const pointsPerCell = 8;

export class Grid {
  private readonly columns: number;
  private readonly rows: number;
  private readonly cell: number;
  private readonly left: number;
  private readonly top: number;
  private readonly begin: Uint32Array; // of each cell's run in `points`, and the end of the last one
  private readonly points: Uint32Array;

  constructor(
    private readonly x: ArrayLike<number>,
    private readonly y: ArrayLike<number>,
  ) {
    const count = x.length;
    let left = Infinity, top = Infinity, right = -Infinity, bottom = -Infinity;
    for (let i = 0; i < count; ++i) {
      left = Math.min(left, x[i]!);
      right = Math.max(right, x[i]!);
      top = Math.min(top, y[i]!);
      bottom = Math.max(bottom, y[i]!);
    }
    if (count === 0) left = top = right = bottom = 0;
    this.left = left;
    this.top = top;
    const area = Math.max(right - left, 1) * Math.max(bottom - top, 1);
    this.cell = Math.max(Math.sqrt((area * pointsPerCell) / Math.max(count, 1)), 1e-9);
    this.columns = Math.floor((right - left) / this.cell) + 1;
    this.rows = Math.floor((bottom - top) / this.cell) + 1;

    this.begin = new Uint32Array(this.columns * this.rows + 1);
    const cellOf = new Uint32Array(count);
    for (let i = 0; i < count; ++i) {
      cellOf[i] = this.row(y[i]!) * this.columns + this.column(x[i]!);
      this.begin[cellOf[i]! + 1]!++;
    }
    for (let cell = 0; cell < this.columns * this.rows; ++cell) this.begin[cell + 1]! += this.begin[cell]!;
    const next = this.begin.slice();
    this.points = new Uint32Array(count);
    for (let i = 0; i < count; ++i) this.points[next[cellOf[i]!]!++] = i;
  }

  private column(x: number): number {
    return Math.min(Math.max(Math.floor((x - this.left) / this.cell), 0), this.columns - 1);
  }

  private row(y: number): number {
    return Math.min(Math.max(Math.floor((y - this.top) / this.cell), 0), this.rows - 1);
  }

  // The points in a rectangle, its border included.
  inside(box: Rectangle, found: (point: number) => void): void {
    const lastColumn = this.column(box.right);
    const lastRow = this.row(box.bottom);
    for (let row = this.row(box.top); row <= lastRow; ++row) {
      const first = row * this.columns + this.column(box.left);
      const end = this.begin[row * this.columns + lastColumn + 1]!;
      for (let i = this.begin[first]!; i < end; ++i) {
        const point = this.points[i]!;
        const x = this.x[point]!;
        const y = this.y[point]!;
        if (x >= box.left && x <= box.right && y >= box.top && y <= box.bottom) found(point);
      }
    }
  }

  // The point nearest to (x, y) among those at most `reach` away along either axis; null: none.
  nearest(x: number, y: number, reach: number): number | null {
    let best: number | null = null;
    let least = Infinity;
    this.inside({ left: x - reach, top: y - reach, right: x + reach, bottom: y + reach }, (point) => {
      const distance = Math.hypot(this.x[point]! - x, this.y[point]! - y);
      if (distance < least) {
        least = distance;
        best = point;
      }
    });
    return best;
  }
}
