// SPDX-License-Identifier: Apache-2.0
// The question in words.
import type { Question } from "../data";
import type { Fact } from "./facts";

const objectives: Record<Question["objective"], string> = {
  "max-load": "the busiest device decides",
  gpipe: "largest forward plus largest backward load",
  latency: "the time of one sample",
};
const shapes: Record<Question["shape"], string> = {
  staged: "a pipeline of stages",
  contiguous: "no path leaves a device and comes back",
  free: "any assignment",
};
const transfers: Record<Question["transfers"], string> = {
  sum: "add to computing",
  overlap: "run beside computing",
  duplex: "read, compute and write at once",
};
const memory: Record<Question["memoryModel"], string> = {
  flat: "the sizes of the nodes",
  "1f1b": "activations of all samples in flight",
  gpipe: "activations of all microbatches",
};

export function questionFacts(question: Question): Fact[] {
  const isLatency = question.objective === "latency";
  const list: (Fact | null)[] = [
    ["Objective", question.objective, objectives[question.objective]],
    isLatency ? null : ["Splits", question.shape, shapes[question.shape]],
    isLatency ? null : ["Transfers", question.transfers, transfers[question.transfers]],
    ["Passes", question.training ? "training" : "inference", question.training ? "forward and backward" : "forward"],
    ["Memory", question.memoryModel, memory[question.memoryModel]],
  ];
  return list.filter((fact): fact is Fact => fact !== null);
}

// What a value is a time of.
export function unitOf(question: Question): string {
  return question.objective === "latency" ? "latency" : "per sample";
}
