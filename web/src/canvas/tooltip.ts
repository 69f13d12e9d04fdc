// SPDX-License-Identifier: Apache-2.0
// A few lines beside the pointer. All they say is elsewhere in the page as text, so they are hidden from screen readers.
import { html } from "../dom";

export interface Tooltip {
  show(x: number, y: number, title: string, lines: readonly string[]): void; // pixels in the host
  hide(): void;
}

export function createTooltip(host: HTMLElement): Tooltip {
  const box = html("div", { class: "canvas-tooltip", "aria-hidden": "true", hidden: true });
  host.append(box);
  return {
    show(x, y, title, lines) {
      box.replaceChildren(html("strong", {}, title), ...lines.map((line) => html("div", {}, line)));
      box.hidden = false;
      const left = x + 16 + box.offsetWidth > host.clientWidth ? x - 12 - box.offsetWidth : x + 16;
      const top = y + 16 + box.offsetHeight > host.clientHeight ? y - 12 - box.offsetHeight : y + 16;
      box.style.transform = `translate(${Math.max(4, left)}px, ${Math.max(4, top)}px)`;
    },
    hide() {
      box.hidden = true;
    },
  };
}
