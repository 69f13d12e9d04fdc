// SPDX-License-Identifier: Apache-2.0
// The timeline view: what each device does when.
import type { Bus } from "../bus";
import type { Page } from "../data";
import { html } from "../dom";
import { counted, time } from "../format";

export function mountTimeline(host: HTMLElement, page: Page, bus: Bus): void {
  const timeline = page.timeline;
  if (!timeline) return;
  const line = html("p", {}, `${counted(timeline.samples, "sample")} in ${time(timeline.makespan)}`);
  bus.on("theme", (theme) => line.setAttribute("data-theme", theme));
  host.append(line);
}
