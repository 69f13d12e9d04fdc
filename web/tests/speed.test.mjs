// SPDX-License-Identifier: Apache-2.0
// How soon large pages are there, and how fast they are drawn. Nothing else should run beside these tests.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { trainingPage, until, urlOf } from "./graph_fixture.mjs";
import { launch, open } from "./support.mjs";

const graphCanvas = "#graph canvas";
const large = trainingPage({ nodes: 8061, stages: 6, samples: 8 });
let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const graphState = (page) => page.evaluate(() => ({ ...window.partita.graph }));
const state = (page) => page.evaluate(() => ({ ...window.partita.timeline }));
async function withCtrl(page, act) {
  await page.keyboard.down("Control");
  await act();
  await page.keyboard.up("Control");
}
async function shown(url) {
  const { page, faults } = await open(browser, url);
  await page.$eval("#timeline canvas", (element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
  await until(page, () => window.partita?.timeline.frames > 0);
  await page.waitForTimeout(400);
  return { page, faults };
}

test("8,061 nodes: there within two seconds, and panning keeps up", async (t) => {
  const url = urlOf("large", large);
  assert.ok(large.graph.edgeFrom.length > 12_000);
  const { page, faults } = await open(browser, url);
  await until(page, () => window.partita?.graph.frames > 0);
  const scale = (await graphState(page)).scale;
  await page.focus(graphCanvas);
  await page.keyboard.press("+");
  await until(page, (least) => window.partita.graph.scale > 1.01 * least, scale);
  const ready = await page.evaluate(() => performance.now());
  t.diagnostic(`from navigation to the answer to a key: ${ready.toFixed(0)} ms`);
  assert.ok(ready < 2000, `${ready} ms`);

  await page.$eval(graphCanvas, (element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
  await page.waitForTimeout(400);
  const box = await page.locator(graphCanvas).boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  while ((await graphState(page)).level === "pieces") {
    await withCtrl(page, () => page.mouse.wheel(0, -60));
    await page.waitForTimeout(60);
  }
  await page.evaluate(() => {
    window.frames_ = { drawing: [], between: [], last: performance.now(), seen: window.partita.graph.frames };
    const look = (now) => {
      const { frames_ } = window;
      if (window.partita.graph.frames !== frames_.seen) {
        frames_.seen = window.partita.graph.frames;
        frames_.drawing.push(window.partita.graph.frameTime);
        frames_.between.push(now - frames_.last);
      }
      frames_.last = now;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.mouse.down();
  for (let i = 0; i < 60; ++i) await page.mouse.move(x + 2 * i, y + i);
  await page.mouse.up();
  const { drawing, between } = await page.evaluate(() => window.frames_);
  const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
  t.diagnostic(`${drawing.length} frames while panning the dots: drawing ${median(drawing).toFixed(1)} ms, ` +
    `a frame every ${median(between).toFixed(1)} ms (medians)`);
  assert.ok(drawing.length > 5);
  assert.ok(median(drawing) < 100, `${median(drawing)} ms`);
  assert.deepEqual(faults, []);
});

test("20,000 intervals: what is narrower than a pixel is drawn together", async (t) => {
  const many = trainingPage({ nodes: 240, stages: 6, samples: 640 });
  assert.ok(many.timeline.start.length > 20_000);
  const { page, faults } = await shown(urlOf("many", many));
  await page.click("#timeline .canvas-zoom button:last-child");
  await until(page, (end) => window.partita.timeline.end === end, many.timeline.makespan);
  await page.waitForTimeout(100);
  const { drawn, frameTime } = await state(page);
  t.diagnostic(`${many.timeline.start.length} intervals: ${drawn} rectangles in ${frameTime.toFixed(1)} ms`);
  assert.ok(drawn < 6 * 1000, `${drawn} rectangles`);
  assert.ok(frameTime < 100, `${frameTime} ms`);
  assert.deepEqual(faults, []);
});

test("operators of a large graph: only what is in the window is drawn", async (t) => {
  const { page, faults } = await shown(urlOf("large", large));
  await page.focus("#timeline canvas");
  const compute = large.timeline.phase.indexOf("c", 30);
  const divided = () => page.evaluate((index) => window.partita.timeline.divided(index), compute);
  let most = 0;
  for (let i = 0; i < 40 && (await state(page)).end - (await state(page)).begin > 2; ++i) {
    await page.keyboard.press("+");
    await page.waitForTimeout(30);
    const { drawn, frameTime } = await state(page);
    most = Math.max(most, frameTime);
    assert.ok(drawn < 6 * 1000, `${drawn} rectangles`);
  }
  assert.ok(await divided());
  t.diagnostic(`the slowest frame on the way to operators: ${most.toFixed(1)} ms`);
  assert.ok(most < 100, `${most} ms`);
  assert.deepEqual(faults, []);
});
