// SPDX-License-Identifier: Apache-2.0
// What a bound says, and of which splits: a staged question is answered for staged splits only, and a free one may do
// better.
import type { PlanData, Question } from "./data";

// "staged splits", "splits": those that the question asks for.
export function splitsAsked(question: Question): string {
  const isNarrow = question.objective !== "latency" && question.shape !== "free";
  return isNarrow ? `${question.shape} splits` : "splits";
}

// "no staged split is below it".
export function boundText(question: Question, unverified: boolean): string {
  if (unverified) return "a foreign solver's word, not verified";
  return `no ${splitsAsked(question).replace(/s$/, "")} is below it`;
}

// "optimal among staged splits", "optimal among all splits".
export function optimalText(question: Question, unverified: boolean): string {
  const asked = splitsAsked(question);
  const among = `optimal among ${asked === "splits" ? "all splits" : asked}`;
  return unverified ? `${among} by a foreign solver's word, not verified` : among;
}

// What a status claims, in words.
export function statusText(question: Question, status: PlanData["status"], unverified: boolean): string {
  switch (status) {
    case "optimal": return optimalText(question, unverified);
    case "feasible": return "best found, not proved optimal";
    case "infeasible": return `no ${splitsAsked(question).replace(/s$/, "")} can exist`;
    case "unknown": return "no split found within the limits";
  }
}
