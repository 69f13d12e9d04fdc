// SPDX-License-Identifier: Apache-2.0
// The head of the report: what was asked, and the answer in large type.
import type { Page } from "../data";
import { html } from "../dom";

export function header(page: Page, themeToggle: HTMLElement): HTMLElement {
  return html("header", {},
    html("div", { class: "masthead" }, html("span", {}, page.program), themeToggle),
    html("h1", {}, page.title),
    html("p", { class: "subject" }, page.subject));
}
