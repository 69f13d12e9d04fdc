// SPDX-License-Identifier: Apache-2.0
// A load in one sentence: "Accelerator 5 spends 90 % of 1.82413 computing; 10 % reading 1 tensor from accelerator 4."
import type { Cut, Page, PlanData } from "../data";
import { inOrder, stageName } from "../devices";
import { counted, percent, time } from "../format";
import type { LoadRow } from "./rows";

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function listed(items: readonly string[]): string {
  const shown = items.length > 4 ? [...items.slice(0, 3), `${items.length - 3} other devices`] : items;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown[shown.length - 1]}`;
}

// "1 tensor from accelerator 4"; the list of cuts may be cut short, and then the number is left out.
function tensors(page: Page, plan: PlanData, direction: Cut["direction"]): string {
  const cuts = plan.cuts.filter((cut) => cut.direction === direction);
  const devices = inOrder(page, [...new Set(cuts.flatMap((cut) => cut.devices))]);
  const names = listed(devices.map((device) => stageName(page, device)));
  const count = plan.cutsLeftOut.count > 0 ? "tensors" : counted(cuts.length, "tensor");
  const preposition = direction === "in" ? "from" : "to";
  return cuts.length > 0 ? `${count} ${preposition} ${names}` : "tensors";
}

export function explain(page: Page, plan: PlanData, row: LoadRow): string {
  const compute = row.forward.compute + row.backward.compute;
  const incoming = row.forward.in + row.backward.in;
  const outgoing = row.forward.out + row.backward.out;
  const reading = `reading ${tensors(page, plan, "in")}`;
  const writing = `writing ${tensors(page, plan, "out")}`;
  const name = capital(row.label);
  if (page.question.transfers === "sum") {
    const parts: string[] = [];
    if (incoming > 0) parts.push(`${percent(incoming / row.load)} ${reading}`);
    if (outgoing > 0) parts.push(`${percent(outgoing / row.load)} ${writing}`);
    if (row.sync > 0) parts.push(`${percent(row.sync / row.load)} exchanging weights with its copies`);
    const rest = parts.length > 0 ? `; ${parts.join("; ")}` : "";
    const bare =
      incoming + outgoing > 0 ? ` Without its transfers it would take ${time(row.load - incoming - outgoing)}.` : "";
    return `${name} spends ${percent(compute / row.load)} of ${time(row.load)} computing${rest}.${bare}`;
  }
  const beside = [
    incoming > 0 ? `${time(incoming)} ${reading}` : "",
    outgoing > 0 ? `${time(outgoing)} ${writing}` : "",
  ]
    .filter(Boolean)
    .join(" and ");
  const hides =
    page.question.transfers === "overlap" ? incoming + outgoing < compute : Math.max(incoming, outgoing) < compute;
  const verdict = hides ? "Computing is what takes longest" : "Its transfers are what takes longest";
  const transfers = beside && `, and beside it spends ${beside}`;
  return `${name} computes for ${time(compute)}${transfers}. ${verdict}; the load is ${time(row.load)}.`;
}
