// SPDX-License-Identifier: Apache-2.0
// Tables: numbers to the right, words to the left, and columns that sort when they are asked to.
import { html, type Child } from "./dom";

export interface Column<Row> {
  title: string;
  words?: boolean; // left-aligned
  wide?: boolean; // may break lines
  cell: (row: Row, index: number) => Child;
  order?: (row: Row) => number | string | null; // makes the column sortable; null comes last
}

export interface TableOptions<Row> {
  label: string; // for readers who hear the page
  rowClass?: (row: Row) => string;
  onRow?: (row: Row, element: HTMLTableRowElement) => void;
}

function compare(a: number | string | null, b: number | string | null, falling: boolean): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order = typeof a === "string" || typeof b === "string" ? String(a).localeCompare(String(b)) : a - b;
  return falling ? -order : order;
}

export function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  options: TableOptions<Row>,
): HTMLElement {
  const body = html("tbody");
  const show = (shown: readonly Row[]): void => {
    body.replaceChildren(
      ...shown.map((row, index) => {
        const cells = columns.map((column) => html("td", { class: cellClass(column) }, column.cell(row, index)));
        const element = html("tr", { class: options.rowClass?.(row) || null }, ...cells);
        options.onRow?.(row, element);
        return element;
      }),
    );
  };
  show(rows);

  const heads: HTMLTableCellElement[] = columns.map((column) => {
    const head = html("th", { scope: "col", class: cellClass(column) });
    const order = column.order;
    if (!order) {
      head.append(column.title);
      return head;
    }
    const button = html("button", { type: "button", class: "sort" }, column.title);
    button.addEventListener("click", () => {
      const falling = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", falling ? "descending" : "ascending");
      show([...rows].sort((a, b) => compare(order(a), order(b), falling)));
    });
    head.append(button);
    return head;
  });
  return html(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": options.label },
    html("table", {}, html("thead", {}, html("tr", {}, ...heads)), body),
  );
}

function cellClass<Row>(column: Column<Row>): string | null {
  return [column.words && "words", column.wide && "wide"].filter(Boolean).join(" ") || null;
}
