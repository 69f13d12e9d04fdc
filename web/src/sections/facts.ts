// SPDX-License-Identifier: Apache-2.0
import { html, type Child } from "../dom";

export type Fact = readonly [name: string, value: Child, note?: string];

// Names with values below them, in a row that wraps.
export function facts(list: readonly (Fact | null)[]): HTMLElement {
  const items = list.filter((fact): fact is Fact => fact !== null).map(([name, value, note]) =>
    html("div", {}, html("dt", {}, name), html("dd", {}, value, note ? html("small", {}, note) : null)));
  return html("dl", { class: "facts" }, ...items);
}

// What the colours of a picture mean. A mark is a class of src/style/bars.css.
export function legend(items: readonly (readonly [mark: string, text: string])[]): HTMLElement {
  return html("ul", { class: "legend" },
    ...items.map(([mark, text]) => html("li", {}, html("i", { class: `key ${mark}` }), text)));
}
