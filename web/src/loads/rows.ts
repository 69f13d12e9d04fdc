// SPDX-License-Identifier: Apache-2.0
// The rows that bars and tables of loads share: one for each stage, named as on the command line
// (partita/check/describe.cpp). A stage that several devices share is one row, and its times are averages over all
// samples, so that rows can be compared.
import type { DeviceLoad, Page, PassData, PlanData, Question } from "../data";
import { isCopy, stageName } from "../devices";

export interface LoadRow {
  device: number; // the original, where the stage has copies
  label: string; // "accelerator 2", "gpu 0-2 x3"
  stage: number | null; // from 1; null where there is no pipeline
  pays: boolean; // for transfers: hosts do not
  isBottleneck: boolean;
  load: number; // this and all that follows: per sample of the stream
  forward: PassData;
  backward: PassData;
  sync: number;
  report: DeviceLoad;
}

export function passLoad(pass: PassData, transfers: Question["transfers"]): number {
  switch (transfers) {
    case "sum": return pass.compute + pass.in + pass.out;
    case "overlap": return Math.max(pass.compute, pass.in + pass.out);
    case "duplex": return Math.max(pass.compute, pass.in, pass.out);
  }
}

function shared(pass: PassData, sharing: number): PassData {
  return { compute: pass.compute / sharing, in: pass.in / sharing, out: pass.out / sharing };
}

// In pipeline order where there is one.
export function loadRows(page: Page, plan: PlanData): LoadRow[] {
  const bottleneck = plan.loads.find((load) => load.device === plan.bottleneck);
  const slowest = bottleneck && isCopy(bottleneck) ? bottleneck.copyOf : plan.bottleneck;
  return plan.loads.filter((load) => !isCopy(load)).map((report) => ({
    device: report.device,
    label: stageName(page, report.device),
    stage: plan.order.includes(report.device) ? plan.order.indexOf(report.device) + 1 : null,
    pays: page.devices[report.device]?.kind !== "host",
    isBottleneck: report.device === slowest,
    load: report.load,
    forward: shared(report.forward, report.sharing),
    backward: shared(report.backward, report.sharing),
    sync: report.sync,
    report,
  }));
}
