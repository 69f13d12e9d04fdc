// SPDX-License-Identifier: Apache-2.0
// Rows of a comparison or a sweep whose split can be shown: a click on the row, or its button, asks for it. One of them is
// shown at a time, and says so.
import type { Page } from "./data";
import { html, type Child } from "./dom";

const mostNamed = 12; // rows without a split on the page that are told by name

export interface Rows {
  readonly any: boolean; // some row can be shown
  readonly several: boolean;
  has(row: number): boolean;
  button(row: number, text: string): Child; // plain text where the row has nothing to show
  bind(row: number, element: HTMLElement): void; // makes all of an element ask for it
  show(row: number): void;
}

// What each row shows: 0 the page's own split, k the k-th of the others; null: nothing.
function splitsOf(page: Page): (number | null)[] {
  const rows = page.comparison?.runs ?? page.sweep?.points ?? [];
  return rows.map((row) => row.split ?? null);
}

export function firstShown(page: Page): number | null {
  const row = splitsOf(page).indexOf(0);
  return row < 0 ? null : row;
}

// `chosen` is told the row and its split.
export function createRows(page: Page, chosen: (row: number, split: number) => void): Rows {
  const splits = splitsOf(page);
  const elements = new Map<number, HTMLElement>();
  const buttons = new Map<number, HTMLElement>();
  const several = splits.filter((split) => split !== null).length > 1;
  const has = (row: number): boolean => several && splits[row] != null;
  let shown = firstShown(page);

  function paint(row: number): void {
    elements.get(row)?.classList.toggle("shown", row === shown);
    buttons.get(row)?.setAttribute("aria-pressed", String(row === shown));
  }
  function show(row: number): void {
    const split = splits[row];
    if (split == null) return;
    const before = shown;
    shown = row;
    if (before !== null) paint(before);
    paint(row);
    chosen(row, split);
  }

  return {
    any: splits.some((split) => split !== null),
    several,
    has,
    show,
    button(row, text) {
      if (!has(row)) return text;
      const made = html("button", { type: "button", class: "row-choice", title: "show this split below" }, text);
      buttons.set(row, made);
      return made; // its row hears the click
    },
    bind(row, element) {
      if (!has(row)) return;
      elements.set(row, element);
      element.classList.add("choice");
      element.addEventListener("click", () => show(row));
      paint(row);
    },
  };
}

// Which rows have a split that is not on the page, and why; "" where there are none.
export function leftOutText(names: readonly string[]): string {
  if (names.length === 0) return "";
  const rest = names.length - mostNamed;
  const list = names.slice(0, mostNamed).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
  return `To keep this page small, the ${names.length === 1 ? "split" : "splits"} of ${list} ${names.length === 1 ? "is" : "are"} not on it.`;
}
