// SPDX-License-Identifier: Apache-2.0
// What every lane does at the cursor's time, in words and numbers: the timeline for those who do not see the picture,
// and the exact values for those who do. Rows are made once; moving the cursor only changes their text.
import { swatch } from "../canvas/controls";
import type { Page } from "../data";
import { copyText } from "../devices";
import { html } from "../dom";
import { bytes, counted, significant, titleWithUnit, withUnit } from "../format";
import { operatorAt, operatorsIn, type Operators } from "./operators";
import { inFlightAt, intervalAt, memoryIndexAt, phaseOf, type Phase, type TimelineModel } from "./model";

const verbs: Record<Phase, string> = { i: "reads", c: "computes", o: "writes", s: "synchronises" };

export interface Table {
  element: HTMLElement;
  show(time: number): void;
}

function copyNote(page: Page, device: number): HTMLElement | null {
  const copy = copyText(page, device);
  return copy ? html("small", { class: "timeline-copy" }, copy) : null;
}

// A click on an operator selects its node. `what` tells the table from another one. Without memory there are no columns
// of it.
export function createTable(
  page: Page, model: TimelineModel, operators: Operators | null, select: (node: number) => void, what = "",
): Table {
  const { data } = model;
  const caption = html("caption", {});
  const body = html("tbody", {});
  const memoryOf = new Map(data.memory.map((memory) => [memory.device, memory]));
  const rows = model.lanes.map((lane, i) => {
    const cell = (part: string): HTMLTableCellElement => html("td", { "data-part": part });
    const [does, sample, until] = [cell("does"), cell("sample"), cell("until")];
    const running = html("button", { type: "button", class: "node", title: "show in the graph", hidden: true });
    let node: number | null = null;
    running.addEventListener("click", () => node !== null && select(node));
    const run = (value: number | null, note = ""): void => {
      if (value === null && node === null) return;
      node = value;
      running.hidden = value === null;
      running.textContent = value === null ? "" : operators!.name(value) + note;
    };
    const operator = operators === null ? null : html("td", { "data-part": "operator" }, running);
    const head = html("th", { scope: "row" }, swatch(lane.device), lane.name, copyNote(page, lane.device));
    const row = html("tr", {}, head, does, operator, sample, until);
    // What belongs to the device stands once, beside the first of its lanes.
    const isFirst = i === 0 || model.lanes[i - 1]!.device !== lane.device;
    const lanes = model.lanes.filter((other) => other.device === lane.device).length;
    const [held, memory] = isFirst && memoryOf.size > 0 ? [cell("in-flight"), cell("memory")] : [null, null];
    if (held !== null && memory !== null) {
      held.rowSpan = memory.rowSpan = lanes;
      row.append(held, memory);
    }
    body.append(row);
    return { lane, row, does, run, sample, until, held, memory };
  });
  const columns = ["Lane", "does", ...(operators === null ? [] : ["operator"]), "sample", titleWithUnit("until"), ...(memoryOf.size > 0 ? ["in flight", "memory"] : [])];
  const head = html("thead", {}, html("tr", {}, ...columns.map((name) => html("th", { scope: "col", "data-part": name }, name))));
  const table = html("table", { class: "timeline-table" }, caption, head, body);

  function show(time: number): void {
    caption.textContent = `${what ? `${what}, at` : "At"} ${withUnit(significant(time, 6))}: ${counted(inFlightAt(model, time), "sample")} in flight`;
    for (const { lane, row, does, run, sample, until, held, memory } of rows) {
      const interval = intervalAt(model, lane, time);
      row.classList.toggle("is-idle", interval === null);
      if (interval === null) {
        does.textContent = "idle";
        sample.textContent = until.textContent = "";
        run(null);
      } else {
        const backward = page.question.training && data.pieces[data.piece[interval]!]!.backward;
        does.textContent = verbs[phaseOf(data, interval)] + (backward ? ", backward" : "");
        sample.textContent = String(data.sample[interval]);
        until.textContent = significant(data.finish[interval]!, 6);
        const at = operatorsIn(data, operators, interval);
        const [start, finish] = [data.start[interval]!, data.finish[interval]!];
        const index = at === null ? 0 : operatorAt(at, (time - start) / (finish - start));
        if (at === null) run(null);
        else run(operators!.node(at, index), operators!.again(at, index) ? " (again)" : "");
      }
      const columns = memoryOf.get(lane.device);
      if (held === null || memory === null || columns === undefined) continue;
      const at = memoryIndexAt(columns, time);
      held.textContent = at < 0 ? "0" : String(columns.inFlight[at]);
      memory.textContent = at < 0 ? "" : bytes(columns.bytes[at]!);
    }
  }

  return { element: html("div", { class: "timeline-table-frame" }, table), show };
}
