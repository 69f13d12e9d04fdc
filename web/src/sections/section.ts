// SPDX-License-Identifier: Apache-2.0
import { html } from "../dom";

// A part of the report with its heading and, where there is something to say, a sentence below it.
export function section(id: string, title: string, lead = ""): HTMLElement {
  const heading = html("h2", { id: `${id}-title` }, title);
  return html("section", { id, "aria-labelledby": heading.id }, heading, lead && html("p", { class: "lead" }, lead));
}
