// SPDX-License-Identifier: Apache-2.0
// One floating note with exact numbers, for whatever the reader points at or moves the focus to.
import { html, type Child } from "./dom";

let note: HTMLElement | null = null;

function place(x: number, y: number): void {
  if (!note) return;
  const margin = 8;
  const { offsetWidth: width, offsetHeight: height } = note;
  const left = Math.max(margin, Math.min(x + 14, window.innerWidth - width - margin));
  const below = y + 18 + height + margin < window.innerHeight;
  note.style.left = `${left}px`;
  note.style.top = `${Math.max(margin, below ? y + 18 : y - height - 12)}px`;
}

export function showTip(content: readonly Child[], x: number, y: number): void {
  if (!note) {
    note = html("div", { class: "tip", role: "tooltip", id: "tip" });
    document.body.append(note);
    addEventListener("keydown", (event) => event.key === "Escape" && hideTip());
    addEventListener("scroll", hideTip, { passive: true });
  }
  note.replaceChildren(...content.filter((child): child is Node | string => Boolean(child)));
  note.hidden = false;
  place(x, y);
}

export function hideTip(): void {
  if (note) note.hidden = true;
}

// Shows `content()` while the pointer or the focus is on `element`.
export function tipFor(element: HTMLElement | SVGElement, content: () => Child[]): void {
  element.addEventListener("pointermove", (event: Event) => {
    if (event instanceof PointerEvent) showTip(content(), event.clientX, event.clientY);
  });
  element.addEventListener("pointerleave", hideTip);
  element.addEventListener("focusin", () => {
    if (!element.matches(":hover")) {
      const box = element.getBoundingClientRect();
      showTip(content(), box.left + Math.min(box.width / 2, 200), box.bottom - 14);
    }
  });
  element.addEventListener("focusout", hideTip);
}

// Lines of "name  number", with an optional mark in a colour.
export function tipLines(
  title: string,
  lines: readonly (readonly [name: string, number: string, mark?: string])[],
): Child[] {
  const rows = lines.map(([name, number, mark]) =>
    html("tr", {}, html("td", {}, mark ? html("i", { class: `key ${mark}` }) : null, name), html("td", {}, number)),
  );
  return [html("strong", {}, title), html("table", {}, html("tbody", {}, ...rows))];
}
