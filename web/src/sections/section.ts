// SPDX-License-Identifier: Apache-2.0
import { html } from "../dom";

// No line begins with "%".
export function unbroken(text: string): string {
  return text.replace(/ %/g, "\u00a0%");
}

// A part of the report with its heading and, where there is something to say, a sentence below it.
export function section(id: string, title: string, lead = ""): HTMLElement {
  const heading = html("h2", { id: `${id}-title` }, title);
  return html(
    "section",
    { id, "aria-labelledby": heading.id },
    heading,
    lead && html("p", { class: "lead" }, unbroken(lead)),
  );
}

const shortTitles: Record<string, string> = { bottleneck: "Bottleneck", loads: "Loads", sweep: "Sweep" };

// Links to the parts, where there are enough of them to get lost in.
export function contents(parts: readonly HTMLElement[]): HTMLElement | "" {
  if (parts.length < 3) return "";
  const links = parts.map((part) => {
    const title = shortTitles[part.id] ?? part.querySelector("h2")?.textContent ?? part.id;
    return html("li", {}, html("a", { href: `#${part.id}` }, title));
  });
  return html("nav", { class: "contents", "aria-label": "Parts of this report" }, html("ul", {}, ...links));
}
