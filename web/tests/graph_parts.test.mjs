// SPDX-License-Identifier: Apache-2.0
// The parts of the graph view that draw nothing, against answers that are computed in another way.
import assert from "node:assert/strict";
import { test } from "node:test";
import { trainingPage } from "./graph_fixture.mjs";
import { load } from "./support.mjs";

const { atBeginning, fitted, flight, keptOver, toScreenX, toScreenY, toWorldX, toWorldY, zoomed } = await load("src/graph/viewport.ts");
const { Grid } = await load("src/graph/grid.ts");
const { graphModel } = await load("src/graph/model.ts");
const { levelsAt, mainLevel } = await load("src/graph/scene.ts");
const { matches } = await load("src/graph/search.ts");

const size = { width: 900, height: 500 };
const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-9 * Math.max(1, Math.abs(b)), `${a} is not ${b}`);

test("zooming keeps what is under the pointer", () => {
  const before = { x: 12, y: -3, scale: 7 };
  const box = { left: 0, top: -40, right: 300, bottom: 60 };
  const after = zoomed(before, size, 2.5, 130, 410, box, fitted(box, size, 36, 64));
  near(after.scale, 17.5);
  near(toWorldX(after, size, 130), toWorldX(before, size, 130));
  near(toWorldY(after, size, 410), toWorldY(before, size, 410));
});

test("zooming out ends where all is seen, and goes there smoothly", () => {
  const box = { left: 0, top: 0, right: 300, bottom: 100 };
  const whole = fitted(box, size, 36, 64);
  let view = { x: 290, y: 5, scale: 3 * whole.scale };
  for (let i = 0; i < 100; ++i) {
    const next = zoomed(view, size, 0.97, 10, 10, box, whole);
    assert.ok(Math.hypot(next.x - view.x, next.y - view.y) * next.scale < 60, "no jump");
    view = next;
  }
  assert.equal(view.scale, whole.scale);
  assert.ok(Math.hypot(view.x - whole.x, view.y - whole.y) * view.scale < 1);
  const kept = keptOver({ x: 400, y: -7, scale: 2 }, box);
  assert.deepEqual([kept.x, kept.y], [300, 0]);
});

test("where a box begins is seen, if all of it would be too small to read", () => {
  const small = { left: 100, top: 10, right: 104, bottom: 14 };
  assert.deepEqual(atBeginning(small, size, 40, 50, false), { scale: 50, x: 102, y: 12 });
  const wide = { left: 100, top: 10, right: 400, bottom: 90 };
  const [left, right] = [false, true].map((fromRight) => atBeginning(wide, size, 40, 50, fromRight));
  near(toScreenX(left, size, 100), 40);
  near(toScreenX(right, size, 400), 860);
  near(toScreenY(left, size, 10), 40);
});

test("a fitted box touches the margin, and a small one is not blown up", () => {
  const box = { left: 10, top: 20, right: 110, bottom: 30 };
  const view = fitted(box, size, 40, 64);
  near(toScreenX(view, size, 10), 40);
  near(toScreenX(view, size, 110), 860);
  near(toScreenY(view, size, 25), 250);
  assert.equal(fitted({ left: 0, top: 0, right: 1, bottom: 1 }, size, 40, 64).scale, 64);
});

test("a flight begins and ends where it should, and zooms out in between where the way is long", () => {
  const from = { x: 0, y: 0, scale: 40 };
  const to = { x: 500, y: 100, scale: 90 };
  const way = flight(from, to, size);
  near(way.at(0).scale, 40);
  near(way.at(0).x, 0);
  assert.deepEqual(way.at(1), to);
  const last = way.at(1 - 1e-9);
  assert.ok(Math.abs(last.x - 500) < 1e-3 && Math.abs(last.scale - 90) < 1e-3);
  assert.ok(way.at(0.5).scale < 20);
  near(flight(from, { ...from, scale: 10 }, size).at(0.5).scale, 20);
});

test("the grid finds what a look at every point finds", () => {
  let state = 3;
  const random = () => (state = (Math.imul(state, 48271) >>> 0) % 2147483647) / 2147483647;
  const x = Array.from({ length: 500 }, () => random() * 300);
  const y = Array.from({ length: 500 }, () => random() * random() * 80);
  const grid = new Grid(x, y);
  for (let round = 0; round < 200; ++round) {
    const [left, top] = [random() * 340 - 20, random() * 100 - 10];
    const box = { left, top, right: left + random() * 60, bottom: top + random() * 30 };
    const found = [];
    grid.inside(box, (point) => found.push(point));
    const inside = (i) => x[i] >= box.left && x[i] <= box.right && y[i] >= box.top && y[i] <= box.bottom;
    assert.deepEqual(found.sort((a, b) => a - b), x.map((_, i) => i).filter(inside));
    const distances = x.map((_, i) =>
      Math.max(Math.abs(x[i] - left), Math.abs(y[i] - top)) <= 15 ? Math.hypot(x[i] - left, y[i] - top) : Infinity);
    const least = Math.min(...distances);
    assert.equal(grid.nearest(left, top, 15), least === Infinity ? null : distances.indexOf(least));
  }
  assert.equal(new Grid([], []).nearest(0, 0, 5), null);
});

test("links between pieces count each output once, and cost nothing on one device", () => {
  const page = trainingPage({ nodes: 240, stages: 4, samples: 2 });
  const { graph } = page;
  const model = graphModel(page, graph);
  const outputs = new Map();
  graph.edgeFrom.forEach((from, edge) => {
    const [a, b] = [graph.piece[from], graph.piece[graph.edgeTo[edge]]];
    if (a === b) return;
    const key = `${a}-${b}`;
    if (!outputs.has(key)) outputs.set(key, new Map());
    outputs.get(key).set(from, graph.pieces[a].device === graph.pieces[b].device ? 0 : graph.edgeCost[edge]);
  });
  assert.equal(model.links.length, outputs.size);
  for (const link of model.links) {
    const expected = outputs.get(`${link.from}-${link.to}`);
    assert.equal(link.outputs, expected.size);
    near(link.cost, [...expected.values()].reduce((a, b) => a + b, 0));
  }
});

test("search finds parts of names and ids, and what is equal first", () => {
  const data = { id: [7, 70, 12, 5], name: ["Conv", "relu", "conv2", "7"] };
  assert.deepEqual(matches(data, "conv"), [0, 2]);
  assert.deepEqual(matches(data, "CONV2 "), [2]);
  assert.deepEqual(matches(data, "7"), [0, 3, 1]);
  assert.deepEqual(matches(data, "  "), []);
});

test("levels follow the scale, and the first look is never between two", () => {
  const level = (scale, fit, pieces = true) => mainLevel(levelsAt(scale, fit, pieces));
  assert.deepEqual([1, 10, 50].map((scale) => level(scale, 1)), ["pieces", "dots", "boxes"]);
  assert.equal(level(1, 1, false), "dots");
  for (let fit = 0.5; fit < 60; fit += 0.1) {
    const { pieces } = levelsAt(fit, fit, true);
    assert.ok(pieces === 0 || pieces === 1, `fitted at ${fit}`);
  }
});
