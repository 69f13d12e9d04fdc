// SPDX-License-Identifier: Apache-2.0
// Several algorithms on one question, as partita/report/compare_text.cpp tables them, with ratios as bars.
import { optimalText } from "../claims";
import type { ComparisonData, Page } from "../data";
import { html, type Child } from "../dom";
import { fixed, gap, inUnit, seconds, timeFormat, titleWithUnit } from "../format";
import { leftOutText, type Rows } from "../rows";
import { section } from "./section";
import { table, type Column } from "../table";

type Run = ComparisonData["runs"][number];

const breadth: Record<string, number> = { staged: 0, contiguous: 1, free: 2 };

// Of all splits of the shape that was asked for.
function isProvedBest(page: Page, run: Run): boolean {
  const asked = breadth[page.question.shape] ?? 0;
  return run.optimal && run.legal && (run.boundShape === null || asked <= (breadth[run.boundShape] ?? 0));
}

// What the other columns do not say.
function remark(page: Page, run: Run): string {
  const list: string[] = [];
  if (run.fault) list.push(run.fault);
  if (run.outcome === "infeasible") list.push(`proved: no split; ${run.reason}`);
  if (run.outcome === "no split") list.push(`no split; ${run.reason}`);
  if (run.outcome === "interrupted") list.push("interrupted before it began");
  if (run.baseline && run.proof && run.outcome === "split") list.push(run.proof);
  if (isProvedBest(page, run)) list.push(optimalText(page.question, false));
  else if (run.optimal && run.boundShape) list.push(`best of all ${run.boundShape} splits`);
  return list.join("; ");
}

function ratioBar(run: Run, largest: number): Child {
  if (run.ratio === null) return "-";
  const kind = !run.legal ? "illegal" : run.ratio <= 1 + 1e-9 ? "best" : "other";
  // From 1 on, so that what is worse than the best is what one sees.
  const excess = Math.max(0, run.ratio - 1) / Math.max(largest - 1, 1e-9);
  return html(
    "span",
    { class: `ratio ${kind}` },
    html("span", {}, fixed(run.ratio, 3)),
    html("i", { style: `width:${(100 * excess).toFixed(1)}%` }),
  );
}

function leftOut(runs: readonly Run[]): string {
  const byReason = new Map<string, string[]>();
  for (const run of runs.filter((each) => each.outcome === "not applicable")) {
    byReason.set(run.reason, [...(byReason.get(run.reason) ?? []), run.algorithm]);
  }
  return [...byReason].map(([reason, names]) => `${names.join(", ")} (${reason})`).join("; ");
}

function runGap(run: Run): number {
  return run.optimal ? 0 : run.value !== null && run.value > 0 ? (run.value - run.bound) / run.value : 0;
}

export function comparisonSection(page: Page, rows: Rows): HTMLElement | null {
  const comparison = page.comparison;
  if (!comparison) return null;
  const runs = comparison.runs.filter((run) => run.outcome !== "not applicable");
  const values = runs.flatMap((run) => (run.value === null ? [] : [run.value]));
  const format = timeFormat(comparison.best ?? Math.max(0, ...values));
  const largest = Math.max(1, ...runs.flatMap((run) => (run.legal && run.ratio !== null ? [run.ratio] : [])));
  const valueText = (run: Run): string => {
    if (run.outcome !== "split") return "-";
    return run.value === null ? "inf" : format(run.value);
  };
  const hasBound = (run: Run) => run.bound > 0;
  const place = (run: Run) => comparison.runs.indexOf(run);
  const columns: (Column<Run> | false)[] = [
    {
      title: "algorithm",
      words: true,
      order: (run) => run.algorithm,
      cell: (run) =>
        html("span", {}, rows.button(place(run), run.algorithm), run.baseline && html("small", { class: "tag" }, "baseline")),
    },
    { title: titleWithUnit("value"), cell: valueText, order: (run) => run.value },
    { title: "ratio to the best", words: true, cell: (run) => ratioBar(run, largest), order: (run) => run.ratio },
    {
      title: "time",
      cell: (run) => (run.outcome === "interrupted" ? "-" : seconds(run.seconds)),
      order: (run) => run.seconds,
    },
    {
      title: "bound",
      cell: (run) => (hasBound(run) ? format(run.bound) : "-"),
      order: (run) => (hasBound(run) ? run.bound : null),
    },
    {
      title: "gap",
      cell: (run) => (hasBound(run) && run.outcome === "split" ? gap(runGap(run)) : "-"),
      order: (run) => (hasBound(run) ? runGap(run) : null),
    },
    page.question.objective !== "latency" && {
      title: "shape",
      words: true,
      cell: (run) => run.shape ?? "-",
      order: (run) => run.shape,
    },
    {
      title: "remarks",
      words: true,
      wide: true,
      cell: (run) =>
        html(
          "span",
          {},
          run.outcome === "split" && !run.legal && html("b", { class: "illegal" }, "illegal "),
          remark(page, run),
        ),
    },
  ];
  const part = section(
    "comparison",
    "Algorithms",
    `Every split is measured for the question that was asked${inUnit()}, whatever its algorithm had in mind.` +
      (rows.several ? " Choose one to see its split below." : ""),
  );
  part.append(
    table(
      runs,
      columns.filter((column): column is Column<Run> => column !== false),
      {
        label: "Algorithms compared",
        onRow: (run, element) => rows.bind(place(run), element),
        rowClass: (run) =>
          run.outcome !== "split" ? "faint" : !run.legal ? "broken" : isProvedBest(page, run) ? "proved" : "",
      },
    ),
  );
  const missing = leftOutText(runs.filter((run) => run.outcome === "split" && run.split == null).map((run) => run.algorithm));
  if (missing && rows.any) part.append(html("p", { class: "note" }, missing));
  const rest = leftOut(comparison.runs);
  if (rest) part.append(html("p", { class: "note" }, `Not run: ${rest}.`));
  return part;
}
