// SPDX-License-Identifier: Apache-2.0
// The timeline: what it says about a moment is what the intervals say, and it can be moved in every way.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { trainingPage, until, urlOf } from "./graph_fixture.mjs";
import { launch, load, open } from "./support.mjs";

const { timelineModel, intervalAt, inFlightAt, memoryIndexAt } = await load("src/timeline/model.ts");
const { isDivided, operatorAt, operatorsOf } = await load("src/timeline/operators.ts");
const { ticks, zoomedSpan, moved, toX } = await load("src/timeline/span.ts");

const canvas = "#timeline canvas";
const small = trainingPage({ nodes: 120, stages: 4, samples: 12 });
const { timeline } = small;
let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const state = (page) => page.evaluate(() => ({ ...window.partita.timeline }));
async function shown(url) {
  const { page, faults } = await open(browser, url);
  await page.$eval(canvas, (element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
  await until(page, () => window.partita?.timeline.frames > 0);
  await page.waitForTimeout(400);
  return { page, faults, box: await page.locator(canvas).boundingBox() };
}

// By looking at every interval.
function doneBy(lane, time) {
  return timeline.start.findIndex((start, i) => timeline.lane[i] === lane && start <= time && time < timeline.finish[i]);
}
function inFlight(time) {
  const samples = new Set(timeline.sample);
  return [...samples].filter((sample) => {
    const own = timeline.sample.map((other, i) => (other === sample ? i : -1)).filter((i) => i >= 0);
    return Math.min(...own.map((i) => timeline.start[i])) <= time && time < Math.max(...own.map((i) => timeline.finish[i]));
  }).length;
}

test("looking up a time is the same as looking at every interval", () => {
  const model = timelineModel(timeline, [0, 1, 2, 3, 4, 5]);
  const times = [...timeline.start.slice(0, 60), ...timeline.finish.slice(0, 60)];
  for (let i = 0; i < 200; ++i) times.push((i / 200) * timeline.makespan);
  for (const time of times) {
    model.lanes.forEach((lane, i) => assert.equal(intervalAt(model, lane, time) ?? -1, doneBy(i, time)));
    assert.equal(inFlightAt(model, time), inFlight(time));
  }
  const memory = { device: 0, time: [1, 2, 5], inFlight: [1, 2, 0], bytes: [10, 20, 0] };
  assert.deepEqual([0, 1, 4.9, 5, 9].map((time) => memoryIndexAt(memory, time)), [-1, 0, 1, 2, 2]);
});

test("spans stay inside the run, keep the time under the pointer, and have round ticks", () => {
  const track = { left: 100, right: 900 };
  const span = zoomedSpan({ begin: 0, end: 100 }, 4, 30, 100, 0.1);
  assert.equal(span.end - span.begin, 25);
  assert.ok(Math.abs(toX(span, track, 30) - toX({ begin: 0, end: 100 }, track, 30)) < 1e-9);
  assert.deepEqual(zoomedSpan(span, 1e-9, 30, 100, 0.1), { begin: 0, end: 100 });
  assert.ok(Math.abs(zoomedSpan(span, 1e9, 30, 100, 0.1).end - zoomedSpan(span, 1e9, 30, 100, 0.1).begin - 0.1) < 1e-9);
  assert.deepEqual(moved({ begin: 10, end: 20 }, 500, 100), { begin: 90, end: 100 });
  assert.deepEqual(moved({ begin: 10, end: 20 }, -500, 100), { begin: 0, end: 10 });
  assert.deepEqual(ticks({ begin: 0, end: 100 }, track, 80), [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
  assert.deepEqual(ticks({ begin: 3, end: 43 }, track, 170), [10, 20, 30, 40]);
});

// The operator of a block at a time, by adding up the times of its nodes.
function runs(interval, time) {
  if (timeline.phase[interval] !== "c") return "";
  const { begin, node } = timeline.operators;
  const piece = timeline.piece[interval];
  const nodes = node.slice(begin[piece], begin[piece + 1]);
  const times = nodes.map((each) => small.graph.time[0][each]);
  const scale = (timeline.finish[interval] - timeline.start[interval]) / times.reduce((a, b) => a + b, 0);
  let end = timeline.start[interval];
  const index = times.findIndex((each) => (end += each * scale) > time + 1e-9);
  return small.graph.name[nodes[index < 0 ? nodes.length - 1 : index]];
}

async function agrees(page) {
  const { cursor } = await state(page);
  const rows = await page.$$eval(".timeline-table tbody tr", (list) =>
    list.map((row) => [...row.children].map((cell) => cell.textContent)));
  const verbs = { i: "reads", c: "computes", o: "writes", s: "synchronises" };
  rows.forEach(([name, does, operator, sample, , held, memory], lane) => {
    assert.equal(name, timeline.lanes[lane].name);
    const interval = doneBy(lane, cursor);
    if (interval < 0) {
      assert.deepEqual([does, operator, sample], ["idle", "", ""]);
    } else {
      const backward = timeline.pieces[timeline.piece[interval]].backward ? ", backward" : "";
      assert.deepEqual([does, sample], [verbs[timeline.phase[interval]] + backward, String(timeline.sample[interval])]);
      assert.equal(operator, runs(interval, cursor));
    }
    const columns = timeline.memory[timeline.lanes[lane].device];
    const at = columns.time.filter((time) => time <= cursor).length - 1;
    assert.equal(held, String(columns.inFlight[at]));
    assert.equal(memory, `${(columns.bytes[at] / 2 ** 30).toFixed(1)} GiB`);
  });
  const count = inFlight(cursor);
  assert.ok((await page.textContent(".timeline-table caption")).endsWith(`${count} ${count === 1 ? "sample" : "samples"} in flight`));
  return cursor;
}

test("the cursor moves by key, slider, drag and click, and the table says what happens there", async () => {
  const { page, faults, box } = await shown(urlOf("timeline", small));
  const first = await agrees(page);
  await page.focus(canvas);
  await page.keyboard.press("ArrowRight");
  const second = await agrees(page);
  assert.ok(second > first);
  await page.keyboard.press("Shift+ArrowLeft");
  assert.ok((await agrees(page)) < first);
  await page.keyboard.press("Home");
  assert.equal(await agrees(page), 0);

  await page.focus(".timeline-slider");
  await page.keyboard.press("PageUp");
  assert.ok((await agrees(page)) > 0);

  // Along the axis, to the middle of interval 30.
  const { x } = await page.evaluate(() => window.partita.timeline.place(30));
  await page.mouse.move(box.x + x - 60, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + x, box.y + 10, { steps: 5 });
  await page.mouse.up();
  const dragged = await agrees(page);
  assert.ok(timeline.start[30] < dragged && dragged < timeline.finish[30]);
  assert.deepEqual(faults, []);
});

test("the wheel zooms around the pointer, dragging moves, the button fits", async () => {
  const { page, faults, box } = await shown(urlOf("timeline", small));
  const whole = await state(page);
  const before = await page.evaluate(() => window.partita.timeline.place(40));
  await page.mouse.move(box.x + before.x, box.y + 40);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -400);
  await page.keyboard.up("Control");
  await until(page, (length) => window.partita.timeline.end - window.partita.timeline.begin < 0.7 * length, whole.end - whole.begin);
  const kept = await page.evaluate(() => window.partita.timeline.place(40));
  assert.ok(Math.abs(kept.x - before.x) < 1);
  const zoomed = await state(page);
  await page.mouse.move(box.x + 400, box.y + box.height - 30);
  await page.mouse.down();
  await page.mouse.move(box.x + 330, box.y + box.height - 30, { steps: 5 });
  await page.mouse.up();
  const dragged = await state(page);
  assert.ok(dragged.begin > zoomed.begin);
  assert.ok(Math.abs(dragged.end - dragged.begin - (zoomed.end - zoomed.begin)) < 1e-6);
  await page.click("#timeline .canvas-zoom button:last-child");
  const fitted = await state(page);
  assert.deepEqual([fitted.begin, fitted.end], [0, timeline.makespan]);
  assert.deepEqual(faults, []);
});

test("pointing at an interval tells about it, a click marks its device in the graph too", async () => {
  const { page, faults, box } = await shown(urlOf("timeline", small));
  const place = await page.evaluate(() => window.partita.timeline.place(20));
  await page.mouse.move(box.x + place.x, box.y + place.y);
  assert.equal((await state(page)).hovered, 20);
  assert.ok((await page.textContent(".tip")).includes(`sample ${timeline.sample[20]}`));
  await page.mouse.click(box.x + place.x, box.y + place.y);
  const device = timeline.lanes[timeline.lane[20]].device;
  assert.equal(await page.evaluate(() => window.partita.graph.device), device);
  assert.deepEqual(faults, []);
});

test("it plays, and pauses where it is", async () => {
  const { page, faults } = await shown(urlOf("timeline", small));
  const { cursor } = await state(page);
  await page.click(".timeline-play");
  await until(page, (time) => window.partita.timeline.cursor > time, cursor);
  await page.click(".timeline-play");
  const paused = await state(page);
  assert.equal(paused.playing, false);
  await page.waitForTimeout(150);
  assert.equal((await state(page)).cursor, paused.cursor);
  await agrees(page);
  assert.deepEqual(faults, []);
});

test("operators fill their block, in the order in which they run", () => {
  const operators = operatorsOf(small);
  const { begin, node } = timeline.operators;
  timeline.pieces.forEach((piece, number) => {
    const at = operators.of(number);
    const nodes = node.slice(begin[number], begin[number + 1]);
    const times = nodes.map((each) => small.graph.time[0][each]);
    const total = times.reduce((a, b) => a + b, 0);
    assert.equal(total, small.graph.pieces[number].compute);
    let done = 0;
    nodes.forEach((each, i) => {
      assert.equal(operators.node(at, i), each);
      const middle = (done + times[i] / 2) / total;
      assert.equal(operatorAt(at, middle), i);
      done += times[i];
      assert.ok(Math.abs(at.ends[i] - done / total) < 1e-12);
    });
    assert.equal(at.ends.at(-1), 1);
    assert.ok(isDivided(at, 3 * nodes.length) && !isDivided(at, nodes.length));
  });
  assert.equal(operators.shortest, Math.min(...small.graph.time[0]));
  // A share of a node's time, and a piece that takes none.
  const half = { ...small, timeline: { ...timeline, operators: { ...timeline.operators, share: node.map((_, i) => (i === 0 ? 0 : 1)) } } };
  assert.equal(operatorsOf(half).of(0).ends[0], 0);
  assert.equal(operatorsOf({ ...half, timeline: { ...timeline, operators: { ...timeline.operators, share: node.map(() => 0) } } }).of(0), null);
  assert.equal(operatorsOf({ ...small, timeline: { ...timeline, operators: undefined } }), null);
});

test("from near, a block is divided into operators, which tell about themselves and lead to the graph", async () => {
  const { page, faults, box } = await shown(urlOf("timeline", small));
  const interval = timeline.phase.indexOf("c", 40);
  const divided = () => page.evaluate((index) => window.partita.timeline.divided(index), interval);
  assert.equal(await divided(), false);
  const { x, y } = await page.evaluate((index) => window.partita.timeline.place(index), interval);
  await page.mouse.move(box.x + x, box.y + y);
  assert.match(await page.textContent(".tip"), /^sample /);
  for (let i = 0; i < 12 && !(await divided()); ++i) {
    await page.keyboard.down("Control");
    await page.mouse.wheel(0, -400);
    await page.keyboard.up("Control");
    await page.waitForTimeout(60);
  }
  assert.equal(await divided(), true);
  const { drawn } = await state(page);
  assert.ok(drawn > 5 && drawn < 6000, `${drawn} rectangles`);
  // The middle of the block stays under the pointer.
  await page.mouse.move(box.x + x + 1, box.y + y);
  await page.mouse.move(box.x + x, box.y + y);
  const name = runs(interval, (timeline.start[interval] + timeline.finish[interval]) / 2);
  assert.ok((await page.textContent(".tip")).startsWith(name));
  await page.mouse.click(box.x + x, box.y + y);
  assert.equal(await page.evaluate(() => window.partita.graph.selected), small.graph.name.indexOf(name));

  // The same by keyboard: the table names the operator at the cursor.
  await page.locator('.timeline-table [data-part="operator"] button:not([hidden])').first().focus();
  await page.keyboard.press("Enter");
  const selected = await page.evaluate(() => window.partita.graph.selected);
  assert.equal(small.graph.name[selected], await page.locator('.timeline-table [data-part="operator"] button:not([hidden])').first().textContent());
  await agrees(page);
  assert.deepEqual(faults, []);
});
