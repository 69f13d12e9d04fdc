// SPDX-License-Identifier: Apache-2.0
// Finding nodes by a part of their name or id.
import { button } from "../canvas/controls";
import { wordOf, type GraphData } from "../data";
import { html } from "../dom";
import { counted } from "../format";

// Nodes whose name, id or operator contains the text, upper and lower case alike; those that are equal to it come first.
export function matches(data: GraphData, text: string): number[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  const equal: number[] = [];
  const others: number[] = [];
  for (let node = 0; node < data.id.length; ++node) {
    const name = data.name[node]!.toLowerCase();
    const id = String(data.id[node]);
    if (name === wanted || id === wanted) equal.push(node);
    else if (name.includes(wanted) || id.includes(wanted) || wordOf(data.op, node).toLowerCase().includes(wanted))
      others.push(node);
  }
  return [...equal, ...others];
}

export interface Search {
  element: HTMLElement;
  readonly hits: readonly number[];
  readonly at: number | null; // into hits
  focus(): void;
}

export function createSearch(data: GraphData, changed: () => void, go: (node: number) => void): Search {
  let hits: number[] = [];
  let at: number | null = null;
  const input = html("input", {
    type: "search",
    class: "graph-search-text",
    placeholder: "Find a node",
    "aria-label": "Find nodes by name, id or operator; Enter goes to the next one, Shift and Enter to the one before",
    autocomplete: "off",
    spellcheck: "false",
  });
  const count = html("output", { class: "graph-search-count", "aria-live": "polite" });
  const previous = button("Previous hit (Shift+Enter)", "\u2191", () => step(-1));
  const next = button("Next hit (Enter)", "\u2193", () => step(1));

  function tell(): void {
    previous.disabled = next.disabled = hits.length === 0;
    if (input.value.trim() === "") count.textContent = "";
    else if (hits.length === 0) count.textContent = "no hits";
    else count.textContent = at === null ? counted(hits.length, "hit") : `${at + 1} of ${hits.length}`;
  }

  function step(direction: number): void {
    if (hits.length === 0) return;
    at = at === null ? (direction > 0 ? 0 : hits.length - 1) : (at + direction + hits.length) % hits.length;
    tell();
    go(hits[at]!);
  }

  input.addEventListener("input", () => {
    hits = matches(data, input.value);
    at = null;
    tell();
    changed();
  });
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      step(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      input.value = "";
      input.dispatchEvent(new Event("input"));
    }
  });
  tell();
  return {
    element: html("div", { class: "graph-search", role: "search" }, input, count, previous, next),
    get hits() {
      return hits;
    },
    get at() {
      return at;
    },
    focus: () => input.focus(),
  };
}
