// SPDX-License-Identifier: Apache-2.0
// The head of the report: what was asked, and the answer in large type.
import type { Page, PlanData, TimelineData } from "../data";
import { html, type Child } from "../dom";
import { counted, gap, seconds, time } from "../format";
import { facts, type Fact } from "./facts";
import { questionFacts, unitOf } from "./question";
import { unbroken } from "./section";
import { judgement, keepsPromise } from "./simulation";
import { enoughPoint, unitText } from "../sweep/points";

interface Answer {
  number: string; // in large type; empty where there is none
  unit: string;
  verdict: string;
  tone: "good" | "open" | "bad";
  facts: Fact[];
  note: string;
}

const verdicts: Record<PlanData["status"], readonly [verdict: string, tone: Answer["tone"]]> = {
  optimal: ["proved optimal", "good"],
  feasible: ["best found, not proved optimal", "open"],
  infeasible: ["no split can exist", "bad"],
  unknown: ["no split found within the limits", "open"],
};

function planAnswer(page: Page, plan: PlanData): Answer {
  const [verdict, tone] = verdicts[plan.status];
  const list: (Fact | null)[] = [
    plan.bound > 0 ? ["Lower bound", time(plan.bound), "on any split"] : null,
    // An optimal value may differ from its bound by rounding, which is not a gap.
    plan.value !== null && plan.bound > 0 ? ["Gap", gap(plan.status === "optimal" ? 0 : plan.gap)] : null,
    plan.seconds > 0 ? ["Search", seconds(plan.seconds)] : null,
  ];
  return {
    number: plan.value === null ? "" : time(plan.value),
    unit: unitOf(page.question),
    verdict,
    tone,
    facts: list.filter((fact): fact is Fact => fact !== null),
    note: plan.value === null ? plan.reason : plan.proof && `Proof: ${plan.proof}`,
  };
}

// The split is given: what counts is what the schedule makes of it.
function simulationAnswer(page: Page, timeline: TimelineData): Answer {
  const value = page.plan?.value ?? null;
  const list: (Fact | null)[] = [
    value === null ? null : ["The plan's value", time(value), page.question.objective],
    ["Schedule", timeline.schedule],
    ["Samples", String(timeline.samples)],
  ];
  return {
    number: time(timeline.timePerSample),
    unit: "per sample",
    verdict: judgement(timeline),
    tone: keepsPromise(timeline) ? "good" : "open",
    facts: list.filter((fact): fact is Fact => fact !== null),
    note: "", // the remark stands right below, in the section
  };
}

function comparisonAnswer(page: Page): Answer | null {
  const comparison = page.comparison;
  if (!comparison) return null;
  const ran = comparison.runs.filter((run) => run.outcome !== "not applicable" && run.outcome !== "interrupted");
  const winner = ran.find((run) => run.legal && run.value !== null && run.value === comparison.best);
  const proved = ran.some((run) => run.optimal && run.legal && run.value === comparison.best);
  return {
    number: comparison.best === null ? "" : time(comparison.best),
    unit: unitOf(page.question),
    verdict: winner ? `best of ${counted(ran.length, "algorithm")}` : "no algorithm found a legal split",
    tone: winner ? (proved ? "good" : "open") : "bad",
    facts: [],
    note: winner?.proof ? `${winner.algorithm}: ${winner.proof}` : "",
  };
}

function sweepAnswer(page: Page): Answer | null {
  const sweep = page.sweep;
  if (!sweep) return null;
  const enough = enoughPoint(sweep);
  if (!enough) return { number: "", unit: "", verdict: sweep.verdict, tone: "open", facts: [], note: "" };
  return {
    number: enough.label,
    unit: unitText(sweep, enough),
    verdict: "enough",
    tone: "good",
    facts: [
      ["Value there", time(enough.value), unitOf(page.question)],
      ["Points", String(sweep.points.length)],
    ],
    note: sweep.verdict,
  };
}

function answerOf(page: Page): Answer | null {
  if (page.command === "sweep") return sweepAnswer(page);
  if (page.command === "compare") return comparisonAnswer(page);
  if (page.command === "simulate" && page.timeline) return simulationAnswer(page, page.timeline);
  return page.plan ? planAnswer(page, page.plan) : null;
}

// The subject begins with the title, which stands above it.
function subject(page: Page): string {
  const prefix = `${page.title}: `;
  return page.subject.startsWith(prefix) ? page.subject.slice(prefix.length) : page.subject;
}

function showAnswer(answer: Answer): Child[] {
  const verdict = html("span", { class: `verdict ${answer.tone}` }, unbroken(answer.verdict));
  const headline = answer.number
    ? html(
        "p",
        { class: "headline" },
        html("strong", { id: "value" }, answer.number),
        " ",
        html("span", { class: "unit" }, answer.unit),
        " ",
        verdict,
      )
    : html("p", { class: "headline" }, verdict);
  return [
    html("div", { class: "answer" }, headline, answer.facts.length > 0 && facts(answer.facts)),
    answer.note && html("p", { class: "proof" }, answer.note),
  ];
}

export function header(page: Page, themeToggle: HTMLElement): HTMLElement {
  const answer = answerOf(page);
  const question = facts(questionFacts(page.question));
  question.classList.add("question");
  return html(
    "header",
    {},
    html(
      "div",
      { class: "masthead" },
      html("span", {}, html("b", {}, "Partita"), ` ${page.program.replace(/^partita /, "")} · ${page.command}`),
      themeToggle,
    ),
    html("h1", {}, page.title),
    html("p", { class: "subject" }, subject(page)),
    ...(answer ? showAnswer(answer) : []),
    question,
  );
}
