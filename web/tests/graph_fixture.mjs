// SPDX-License-Identifier: Apache-2.0
// Pages made up for the tests of the graph and the timeline: a network trained on a pipeline of devices under 1F1B,
// of any size, the same in every run. All numbers are multiples of 1/64, so that sums are exact.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { web } from "./support.mjs";

const folder = mkdtempSync(join(tmpdir(), "partita-canvas-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

// The address of web/dist/page.html with these data in it.
export function urlOf(name, data) {
  const place = '<script id="data" type="application/json">null</script>';
  const page = readFileSync(join(web, "dist", "page.html"), "utf8");
  if (!page.includes(place)) throw new Error("web/dist/page.html has no place for data");
  const text = JSON.stringify(data).replace(/</g, "\\u003c");
  const file = join(folder, `${name}.html`);
  writeFileSync(file, page.replace(place, () => place.replace("null", () => text)));
  return pathToFileURL(file).href;
}

// Calls `act` with the page's window.partita until it returns something true.
export function until(page, act, argument) {
  return page.waitForFunction(act, argument, { timeout: 10_000 });
}

const cellSize = 6; // nodes in a cell: two branches, joined; the cells form a chain, with skips between them
const columnLines = 40; // lines of a box before it starts a new column

function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const parts = (random, most) => (1 + Math.floor(random() * most * 64)) / 64;

function forwardGraph(count, random) {
  const edges = [];
  for (let node = 1; node < count; ++node) {
    const place = node % cellSize;
    const cell = node - place;
    if (place === 0) edges.push([node - 1, node]);
    else if (place === 1 || place === 3) edges.push([cell, node]);
    else if (place === 5) edges.push([cell + 2, node], [cell + 4, node]);
    else edges.push([node - 1, node]);
    if (place === 5 && cell >= 3 * cellSize && random() < 0.6) edges.push([cell - 2 * cellSize - 1, node]);
  }
  return edges;
}

const operators = ["norm", "conv1", "relu1", "conv2", "relu2", "concat"];
const nameOf = (node) =>
  `block${1 + Math.floor(node / (cellSize * 40))}/layer${1 + Math.floor(node / cellSize) % 40}/${operators[node % cellSize]}`;

// Boxes for pieces that hold runs of nodes: lines of up to two nodes, folded into columns.
function placeInBox(nodes, left, top, x, y) {
  const linesOfCell = [0, 1, 2, 1, 2, 3];
  let line = 0;
  nodes.forEach((node, i) => {
    const place = i % cellSize;
    const pair = place === 1 || place === 2 ? -1 : place === 3 || place === 4 ? 1 : 0;
    const at = Math.floor(i / cellSize) * 4 + linesOfCell[place];
    line = Math.max(line, at);
    const column = Math.floor(at / columnLines);
    x[node] = left + 2 + column * 4.5 + (pair === 0 ? 0.75 : pair === -1 ? 0 : 1.5);
    y[node] = top + 2.5 + (at % columnLines) * 1.6;
  });
  const columns = Math.floor(line / columnLines) + 1;
  return { width: columns * 4.5 + 1, height: Math.min(line + 1, columnLines) * 1.6 + 3 };
}

function simulate(pieces, stages, samples) {
  const rows = [];
  const clock = Array(stages).fill(0);
  const done = new Map();
  const programs = Array.from({ length: stages }, (_, stage) => {
    const ahead = Math.min(stages - stage, samples);
    const program = [];
    for (let s = 0; s < ahead; ++s) program.push([false, s]);
    for (let s = 0; s < samples; ++s) {
      program.push([true, s]);
      if (s + ahead < samples) program.push([false, s + ahead]);
    }
    return program;
  });
  for (let moved = true; moved; ) {
    moved = false;
    for (let stage = 0; stage < stages; ++stage) {
      while (programs[stage].length > 0) {
        const [backward, sample] = programs[stage][0];
        const before = backward
          ? stage === stages - 1 ? `f${stage}/${sample}` : `b${stage + 1}/${sample}`
          : stage === 0 ? "" : `f${stage - 1}/${sample}`;
        if (before !== "" && !done.has(before)) break;
        programs[stage].shift();
        moved = true;
        const number = backward ? 2 * stages - 1 - stage : stage;
        const piece = pieces[number];
        let time = Math.max(clock[stage], before === "" ? 0 : done.get(before));
        for (const [phase, length] of [["i", piece.in], ["c", piece.compute], ["o", piece.out]]) {
          if (length === 0) continue;
          rows.push({ lane: stage, piece: number, phase, sample, start: time, finish: time + length });
          time += length;
        }
        clock[stage] = time;
        done.set(`${backward ? "b" : "f"}${stage}/${sample}`, time);
      }
    }
  }
  rows.sort((a, b) => a.start - b.start || a.lane - b.lane);
  return rows;
}

function memoryOf(rows, device, base, each) {
  const first = new Map(), last = new Map();
  for (const row of rows) {
    if (row.lane !== device) continue;
    if (!first.has(row.sample)) first.set(row.sample, row.start);
    last.set(row.sample, Math.max(row.finish, last.get(row.sample) ?? 0));
  }
  const events = [...[...first.values()].map((t) => [t, 1]), ...[...last.values()].map((t) => [t, -1])];
  events.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const out = { device, time: [0], inFlight: [0], bytes: [base] };
  let held = 0;
  for (const [time, change] of events) {
    held += change;
    if (time === out.time.at(-1)) {
      out.inFlight[out.time.length - 1] = held;
      out.bytes[out.time.length - 1] = base + held * each;
      continue;
    }
    out.time.push(time);
    out.inFlight.push(held);
    out.bytes.push(base + held * each);
  }
  return out;
}

// A page of the command simulate: `nodes` nodes, half of them backward, on `stages` accelerators.
export function trainingPage({ nodes, stages, samples }) {
  const random = randomFrom(7);
  const forward = Math.ceil(nodes / 2);
  const edges = forwardGraph(forward, random);
  const mirror = (node) => nodes - 1 - node;
  const skipsBack = edges.filter(([, to]) => mirror(to) >= forward).map(([from, to]) => [mirror(to), mirror(from)]);
  const kept = [];
  for (let node = 0; node < forward; node += 2) if (mirror(node) >= forward) kept.push([node, mirror(node)]);
  const all = [...edges, ...skipsBack, ...kept].filter(([from, to]) => from < to);

  const name = [], time = [[], []], memory = [], output = [];
  for (let node = 0; node < nodes; ++node) {
    name.push(node < forward ? nameOf(node) : `bw/${nameOf(mirror(node))}`);
    const cost = parts(random, 0.5);
    time[0].push(cost);
    time[1].push(node % 97 === 5 ? null : cost * 32);
    memory.push(2 ** 20 + Math.floor(random() * 2 ** 24));
    output.push(parts(random, node % cellSize === cellSize - 1 ? nodes / stages / 64 : 0.25));
  }

  const cells = Math.ceil(forward / cellSize);
  const stageOf = (node) => Math.floor((Math.floor((node < forward ? node : mirror(node)) / cellSize) * stages) / cells);
  const piece = Array.from({ length: nodes }, (_, node) =>
    node < forward ? stageOf(node) : 2 * stages - 1 - stageOf(node));
  const x = Array(nodes).fill(0), y = Array(nodes).fill(0);
  const members = Array.from({ length: 2 * stages }, () => []);
  piece.forEach((number, node) => members[number].push(node));
  const pieces = [];
  let left = 0, rowHeight = 0, bottom = 0;
  const lefts = [];
  for (let number = 0; number < 2 * stages; ++number) {
    const backward = number >= stages;
    const stage = backward ? 2 * stages - 1 - number : number;
    if (backward && number === stages) bottom = rowHeight + 6;
    const at = backward ? lefts[stage] : left;
    const box = placeInBox(members[number], at, backward ? bottom : 0, x, y);
    if (!backward) {
      lefts.push(left);
      left += box.width + 6;
      rowHeight = Math.max(rowHeight, box.height);
    }
    const entering = new Set(), leaving = new Set(), after = new Set();
    for (const [from, to] of all) {
      if (piece[to] === number && piece[from] !== number) after.add(piece[from]);
      if (stageOf(from) === stageOf(to)) continue;
      if (piece[to] === number) entering.add(from);
      if (piece[from] === number) leaving.add(from);
    }
    const sum = (set) => [...set].reduce((total, node) => total + output[node], 0);
    pieces.push({
      device: stage, backward, nodes: members[number].length,
      compute: members[number].reduce((total, node) => total + time[0][node], 0),
      in: sum(entering), out: sum(leaving),
      left: at, top: backward ? bottom : 0, ...box, after: [...after].sort((a, b) => a - b),
    });
  }

  const rows = simulate(pieces, stages, samples);
  const makespan = Math.max(...rows.map((row) => row.finish));
  const loads = Array.from({ length: stages }, (_, device) => {
    const [f, b] = [pieces[device], pieces[2 * stages - 1 - device]];
    const pass = ({ compute, in: entering, out }) => ({ compute, in: entering, out });
    return {
      device, load: f.compute + f.in + f.out + b.compute + b.in + b.out, forward: pass(f), backward: pass(b), sync: 0,
      sharing: 1, copyOf: null, recomputes: false, memory: 2 ** 33, memoryItems: null, nodes: f.nodes + b.nodes,
    };
  });
  const value = Math.max(...loads.map((load) => load.load));
  const busiest = loads.findIndex((load) => load.load === value);
  const cuts = [];
  for (const [from, to] of all) {
    if (stageOf(from) === stageOf(to) || cuts.some((cut) => cut.node === from)) continue;
    if (stageOf(to) === busiest)
      cuts.push({ node: from, direction: "in", cost: output[from], devices: [stageOf(from)], backward: from >= forward });
  }
  cuts.sort((a, b) => b.cost - a.cost);
  return {
    version: 2, program: "partita 0.1.0", command: "simulate", title: `made-up-${nodes}`,
    subject: `made-up-${nodes}: ${nodes} nodes, ${all.length} edges; ${stages} accelerators of 16 GiB, 1 host`,
    timeUnit: "", warnings: [], costSources: "",
    question: { objective: "max-load", shape: "staged", transfers: "sum", training: true, memoryModel: "1f1b" },
    classes: ["accelerator", "host"],
    devices: [
      ...Array.from({ length: stages }, (_, i) => ({ name: `accelerator ${i}`, kind: "accelerator", class: 0, memory: 2 ** 34 })),
      { name: "host 0", kind: "host", class: 1, memory: null },
    ],
    graph: {
      id: Array.from({ length: nodes }, (_, node) => node + 1000), name, time, memory,
      backward: Array.from({ length: nodes - forward }, (_, i) => forward + i), piece, x, y,
      width: left, height: bottom + rowHeight,
      edgeFrom: all.map(([from]) => from), edgeTo: all.map(([, to]) => to), edgeCost: all.map(([from]) => output[from]),
      pieces,
    },
    plan: {
      status: "optimal", value, bound: value, gap: 0, proof: "search", unverified: false, reason: "", seconds: 1.5, bottleneck: busiest,
      order: Array.from({ length: stages }, (_, i) => i), loads, cuts: cuts.slice(0, 50),
      cutsLeftOut: { count: 0, cost: 0 }, hostCores: null,
    },
    timeline: {
      schedule: "1f1b", samples, recorded: samples, microbatches: 0, timePerSample: value, steady: true, formula: value,
      remark: "", makespan, latency: makespan / samples,
      warmUpEnd: Math.max(...rows.filter((row) => row.sample === 0).map((row) => row.finish)),
      drainBegin: Math.min(...rows.filter((row) => row.sample === samples - 1).map((row) => row.start)),
      lanes: Array.from({ length: stages }, (_, device) => ({ device, name: `accelerator ${device}` })),
      lane: rows.map((row) => row.lane), piece: rows.map((row) => row.piece),
      phase: rows.map((row) => row.phase).join(""), sample: rows.map((row) => row.sample),
      start: rows.map((row) => row.start), finish: rows.map((row) => row.finish),
      pieces: pieces.map(({ device, backward, nodes: count }) => ({ device, backward, nodes: count })),
      operators: {
        begin: members.reduce((begins, nodes) => [...begins, begins.at(-1) + nodes.length], [0]),
        node: members.flat(),
      },
      use: Array.from({ length: stages }, (_, device) => ({
        device, compute: 0.8, in: 0.05, out: 0.05, sync: 0, busy: 0.9, samples, mostInFlight: stages - device, peakMemory: 2 ** 33,
      })),
      memory: Array.from({ length: stages }, (_, device) => memoryOf(rows, device, 2 ** 32, 2 ** 29)),
    },
  };
}
