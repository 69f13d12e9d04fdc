// SPDX-License-Identifier: Apache-2.0
// The head of the report: what was asked, and the answer in large type.
import { boundText, statusText } from "../claims";
import type { MeasuredData, Page, PlanData, TimelineData } from "../data";
import { html, type Child } from "../dom";
import { counted, gap, rate, seconds, significant, time, withUnit } from "../format";
import { facts, type Fact } from "./facts";
import { againstPrediction, farOff } from "./measured";
import { questionFacts, unitOf } from "./question";
import { unbroken } from "./section";
import { judgement, keepsPromise } from "./simulation";
import { enoughPoint, unitText as countedText } from "../sweep/points";

interface Answer {
  number: string; // in large type; empty where there is none
  unit: string;
  verdict: string;
  tone: "good" | "open" | "bad";
  facts: Fact[];
  caution: string; // what the number does not say
  notes: string[]; // below it, "" for nothing
}

const tones: Record<PlanData["status"], Answer["tone"]> = {
  optimal: "good",
  feasible: "open",
  infeasible: "bad",
  unknown: "open",
};

// "ms per sample · 548 samples/s", "ms latency".
function unitText(page: Page, value: number | null): string {
  const unit = withUnit("").trimStart();
  const what = [unit, unitOf(page.question)].filter(Boolean).join(" ");
  const speed = value !== null && page.question.objective !== "latency" ? rate(value) : "";
  return speed ? `${what} \u00b7 ${speed}` : what;
}

// The value is a promise; where the page's own simulation breaks it, the head says so.
function cautionOf(page: Page, plan: PlanData): string {
  const timeline = page.timeline;
  if (!timeline || plan.value === null || keepsPromise(timeline, plan.value)) return "";
  const reason = timeline.remark || `${time(timeline.timePerSample)} per sample instead of ${time(plan.value)}`;
  const schedule = `Simulated as ${timeline.schedule}`;
  if (!timeline.steady) return `${schedule}: ${reason}.`;
  const slower = timeline.timePerSample > plan.value;
  return `${schedule}, it ${slower ? "does not keep this pace" : "is faster than this"}: ${reason}.`;
}

// Plain words first, the technical ones behind them.
function proofText(plan: PlanData): string {
  if (plan.value === null) return plan.reason;
  if (!plan.proof || plan.bound <= 0) return "";
  const proof = plan.plainProof && plan.plainProof !== plan.proof ? `${plan.plainProof} (${plan.proof})` : plan.proof;
  return `${plan.status === "optimal" && !plan.unverified ? "Proof" : "Lower bound by"}: ${proof}`;
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function planAnswer(page: Page, plan: PlanData): Answer {
  const list: (Fact | null)[] = [
    plan.bound > 0 ? ["Lower bound", time(plan.bound), boundText(page.question, plan.unverified)] : null,
    // An optimal value may differ from its bound by rounding, which is not a gap.
    plan.value !== null && plan.bound > 0 ? ["Gap", gap(plan.status === "optimal" ? 0 : plan.gap)] : null,
    plan.seconds > 0 ? ["Search", seconds(plan.seconds)] : null,
  ];
  return {
    number: plan.value === null ? "" : significant(plan.value),
    unit: unitText(page, plan.value),
    verdict: statusText(page.question, plan.status, plan.unverified),
    tone: plan.unverified ? "open" : tones[plan.status],
    facts: list.filter((fact): fact is Fact => fact !== null),
    caution: cautionOf(page, plan),
    notes: [plan.speedUp, plan.loneBottleneckText].flatMap((text) => (text ? [sentence(text)] : [])).concat(proofText(plan)),
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
    number: significant(timeline.timePerSample),
    unit: unitText(page, timeline.timePerSample),
    verdict: judgement(timeline),
    tone: keepsPromise(timeline, timeline.formula) ? "good" : "open",
    facts: list.filter((fact): fact is Fact => fact !== null),
    caution: "",
    notes: [], // the remark stands right below, in the section
  };
}

// What counts is what the run took, and how far that is from the prediction.
function measuredAnswer(page: Page, { timeline, stream }: MeasuredData): Answer {
  const predicted = page.timeline?.timePerSample ?? null;
  const error = stream.find(({ what }) => what === "time per sample")?.error ?? null;
  return {
    number: significant(timeline.timePerSample),
    unit: unitText(page, timeline.timePerSample),
    verdict: error === null ? "measured" : againstPrediction(error),
    tone: error !== null && Math.abs(error) <= farOff ? "good" : "open",
    facts: [
      ["Predicted", predicted === null ? "" : time(predicted), page.timeline?.schedule ?? ""],
      ["Samples", String(timeline.samples), "measured"],
    ],
    caution: "",
    notes: [],
  };
}

function comparisonAnswer(page: Page): Answer | null {
  const comparison = page.comparison;
  if (!comparison) return null;
  const ran = comparison.runs.filter((run) => run.outcome !== "not applicable" && run.outcome !== "interrupted");
  const winner = ran.find((run) => run.legal && run.value !== null && run.value === comparison.best);
  const proved = ran.some((run) => run.optimal && run.legal && run.value === comparison.best);
  return {
    number: comparison.best === null ? "" : significant(comparison.best),
    unit: unitText(page, comparison.best),
    verdict: winner ? `best of ${counted(ran.length, "algorithm")}` : "no algorithm found a legal split",
    tone: winner ? (proved ? "good" : "open") : "bad",
    facts: [],
    caution: "",
    notes: [winner?.proof ? `${winner.algorithm}: ${winner.proof}` : ""],
  };
}

function sweepAnswer(page: Page): Answer | null {
  const sweep = page.sweep;
  if (!sweep) return null;
  const enough = enoughPoint(sweep);
  const nothing = { number: "", unit: "", facts: [], caution: "", notes: [] };
  if (!enough) return { ...nothing, verdict: sweep.verdict, tone: "open" };
  return {
    number: enough.label,
    unit: countedText(sweep, enough),
    verdict: "enough",
    tone: "good",
    facts: [
      ["Value there", time(enough.value), unitOf(page.question)],
      ["Points", String(sweep.points.length)],
    ],
    caution: "",
    notes: [sweep.verdict],
  };
}

function answerOf(page: Page): Answer | null {
  if (page.command === "sweep") return sweepAnswer(page);
  if (page.command === "compare") return comparisonAnswer(page);
  if (page.measured) return measuredAnswer(page, page.measured);
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
    answer.caution && html("p", { class: "caution" }, unbroken(answer.caution)),
    ...answer.notes.map((note) => note && html("p", { class: "proof" }, unbroken(note))),
  ];
}

// What to know before the numbers are believed.
function warnings(page: Page): HTMLElement | null {
  if (page.warnings.length === 0) return null;
  const lines = page.warnings.map((line) => html("li", {}, line));
  return html("ul", { class: "warnings", "aria-label": "Warnings" }, ...lines);
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
    page.costSources && html("p", { class: "subject", id: "cost-sources" }, unbroken(`Costs: ${page.costSources}`)),
    warnings(page),
    ...(answer ? showAnswer(answer) : []),
    question,
  );
}
