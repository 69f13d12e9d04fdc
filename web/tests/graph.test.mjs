// SPDX-License-Identifier: Apache-2.0
// The graph view in a browser, through window.partita.graph (src/canvas/handle.ts) and what the page says in words.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { trainingPage, until, urlOf } from "./graph_fixture.mjs";
import { launch, open } from "./support.mjs";

const canvas = "#graph canvas";
const small = trainingPage({ nodes: 120, stages: 4, samples: 12 });
const large = trainingPage({ nodes: 8061, stages: 6, samples: 8 });
let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const state = (page) => page.evaluate(() => ({ ...window.partita.graph }));
const still = (page) => until(page, () => window.partita?.graph.frames > 0 && !window.partita.graph.moving);

// The canvas in the middle of the window, and the page at rest, so that the wheel is the canvas's.
async function shown(url, options) {
  const { page, faults } = await open(browser, url, options);
  await page.$eval(canvas, (element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
  await still(page);
  await page.waitForTimeout(400);
  const box = await page.locator(canvas).boundingBox();
  return { page, faults, box };
}
async function pointAt(page, box, node) {
  const place = await page.evaluate((index) => window.partita.graph.place(index), node);
  return [box.x + place.x, box.y + place.y];
}
async function withCtrl(page, act) {
  await page.keyboard.down("Control");
  await act();
  await page.keyboard.up("Control");
}
const fact = (page, name) => page.textContent(`.graph-details [data-fact="${name}"]`);

test("the wheel, the keys, the buttons and a double click zoom; dragging and arrows move; 0 fits", async () => {
  const { page, faults, box } = await shown(urlOf("small", small));
  const first = await state(page);
  const [x, y] = await pointAt(page, box, 40);
  await page.mouse.move(x, y);
  await withCtrl(page, () => page.mouse.wheel(0, -300));
  await until(page, (scale) => window.partita.graph.scale > 1.3 * scale, first.scale);
  const [keptX, keptY] = await pointAt(page, box, 40);
  assert.ok(Math.hypot(keptX - x, keptY - y) < 1, "what is under the pointer stays there");

  await page.mouse.down();
  await page.mouse.move(x + 50, y - 30, { steps: 4 });
  await page.mouse.up();
  const [draggedX, draggedY] = await pointAt(page, box, 40);
  assert.ok(Math.hypot(draggedX - x - 50, draggedY - y + 30) < 1.5);
  assert.equal((await state(page)).selected, null, "a drag is no click");

  await page.focus(canvas);
  const grown = async (act) => {
    const scale = (await state(page)).scale;
    await act();
    await still(page);
    return (await state(page)).scale / scale;
  };
  assert.ok((await grown(() => page.keyboard.press("+"))) > 1.2);
  assert.ok((await grown(() => page.keyboard.press("-"))) < 0.8);
  assert.ok((await grown(() => page.click("#graph .canvas-zoom button:nth-child(1)"))) > 1.2);
  assert.ok((await grown(() => page.click("#graph .canvas-zoom button:nth-child(2)"))) < 0.8);
  assert.ok((await grown(() => page.mouse.dblclick(box.x + 30, box.y + box.height - 30))) > 1.5);
  await page.focus(canvas);
  const [beforeX] = await pointAt(page, box, 40);
  await page.keyboard.press("ArrowRight");
  await still(page);
  assert.ok((await pointAt(page, box, 40))[0] < beforeX - 40);
  await page.keyboard.press("0");
  await still(page);
  assert.ok(Math.abs((await state(page)).scale / first.scale - 1) < 1e-6);
  assert.deepEqual(faults, []);
});

test("zooming out ends with the whole graph, and moving keeps some of it in sight", async () => {
  const { page, faults, box } = await shown(urlOf("small", small));
  const { least } = await state(page);
  await page.focus(canvas);
  await page.keyboard.press("+");
  await page.keyboard.press("+");
  await still(page);
  for (let i = 0; i < 30; ++i) await page.keyboard.press("ArrowRight");
  await still(page);
  const places = await page.evaluate((count) => Array.from({ length: count }, (_, i) => window.partita.graph.place(i)), small.graph.id.length);
  assert.ok(places.some(({ x, y }) => x > 0 && x < box.width && y > 0 && y < box.height), "no way leads out of the graph");
  await page.mouse.move(box.x + 40, box.y + 40);
  await withCtrl(page, async () => {
    for (let i = 0; i < 10; ++i) await page.mouse.wheel(0, 300);
  });
  await until(page, (scale) => Math.abs(window.partita.graph.scale / scale - 1) < 1e-9, least);
  for (let node = 0; node < small.graph.id.length; node += 7) {
    const [x, y] = await pointAt(page, box, node);
    assert.ok(x > box.x && x < box.x + box.width && y > box.y && y < box.y + box.height, "all of it is seen");
  }
  await page.click("#graph .canvas-zoom button:nth-child(2)");
  await still(page);
  assert.ok(Math.abs((await state(page)).scale / least - 1) < 1e-9);
  assert.deepEqual(faults, []);
});

test("the wheel scrolls the page, at its end too, until the graph is clicked", async () => {
  const { plan, timeline, ...rest } = small; // the graph is the last section
  assert.ok(plan && timeline);
  for (const end of [false, true]) {
    const { page } = await open(browser, urlOf("wheel", rest), { height: 600 });
    await still(page);
    await page.$eval(canvas, (element, last) => {
      const top = last ? 1e6 : element.getBoundingClientRect().top + scrollY - 300;
      scrollTo({ top, behavior: "instant" });
    }, end);
    await page.waitForTimeout(500);
    const { scale } = await state(page);
    const box = await page.locator(canvas).boundingBox();
    const [x, y] = [box.x + 200, Math.max(box.y, 0) + 60];
    await page.mouse.move(x, y);
    const top = await page.evaluate(() => scrollY);
    const hint = page.waitForSelector("#graph .canvas-hint.is-shown"); // it is there for a moment only
    await page.mouse.wheel(0, 200);
    assert.match(await (await hint).textContent(), /wheel zoom/);
    if (!end) await until(page, (before) => scrollY > before, top);
    await page.waitForTimeout(300);
    assert.equal((await state(page)).scale, scale);
  }
  const { page, box } = await shown(urlOf("small", small));
  const { scale } = await state(page);
  await page.mouse.click(box.x + 8, box.y + 8);
  await page.mouse.wheel(0, -300);
  await until(page, (before) => window.partita.graph.scale > 1.3 * before, scale);
  const zoomed = (await state(page)).scale;
  await page.mouse.move(box.x + 100, box.y - 20);
  await page.mouse.move(box.x + 100, box.y + 100);
  await page.mouse.wheel(0, -300);
  await page.waitForTimeout(200);
  assert.equal((await state(page)).scale, zoomed, "who has left it must click again");
});

test("one finger scrolls the page, two move the graph", async () => {
  const { page, faults } = await open(browser, urlOf("small", small), { width: 390, height: 844, touch: true });
  await page.$eval(canvas, (element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
  await still(page);
  const devtools = await page.context().newCDPSession(page);
  const box = await page.locator(canvas).boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const drag = async (fingers) => {
    const at = (dy) => fingers.map((dx, id) => ({ x: x + dx, y: y + dy, id }));
    await devtools.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: at(0) });
    for (let dy = -6; dy >= -60; dy -= 6) {
      await devtools.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(dy) });
      await page.waitForTimeout(16);
    }
    await devtools.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
    await page.waitForTimeout(300);
    const place = await page.evaluate(() => window.partita.graph.place(40));
    return { scroll: await page.evaluate(() => scrollY), ...place };
  };
  const before = { scroll: await page.evaluate(() => scrollY), ...(await page.evaluate(() => window.partita.graph.place(40))) };
  const one = await drag([0]);
  assert.ok(one.scroll > before.scroll + 20, `${before.scroll} to ${one.scroll}`);
  assert.deepEqual([one.x, one.y], [before.x, before.y]);
  await page.evaluate((top) => scrollTo({ top, behavior: "instant" }), before.scroll);
  await page.waitForTimeout(200);
  const two = await drag([-40, 40]);
  assert.equal(two.scroll, before.scroll);
  assert.ok(two.y < before.y - 30, `${before.y} to ${two.y}`);
  assert.deepEqual(faults, []);
});

test("two fingers zoom, and what is between them stays there", async () => {
  const { page, faults, box } = await shown(urlOf("small", small));
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: 2 });
  const first = await state(page);
  const [x, y] = await pointAt(page, box, 40);
  const touch = (type, span) => devtools.send("Input.dispatchTouchEvent", {
    type, touchPoints: span === null ? [] : [{ x: x - span, y, id: 0 }, { x: x + span, y, id: 1 }],
  });
  await touch("touchStart", 40);
  for (let span = 44; span <= 80; span += 4) await touch("touchMove", span);
  await touch("touchEnd", null);
  await until(page, (scale) => window.partita.graph.scale > 1.7 * scale, first.scale);
  const [keptX, keptY] = await pointAt(page, box, 40);
  assert.ok(Math.hypot(keptX - x, keptY - y) < 6);
  assert.deepEqual(faults, []);
});

test("search finds nodes by name and id, goes to them, and shows what they cost", async () => {
  const { page, faults } = await shown(urlOf("small", small));
  const { graph } = small;
  const wanted = graph.name.indexOf("block1/layer3/conv2");
  await page.fill(".graph-search-text", "layer3/conv");
  assert.equal((await state(page)).hits, graph.name.filter((name) => name.includes("layer3/conv")).length);
  await page.fill(".graph-search-text", "BLOCK1/layer3/conv2");
  assert.match(await page.textContent(".graph-search-count"), /^2 hits$/); // and its backward node
  await page.press(".graph-search-text", "Enter");
  await still(page);
  assert.equal((await state(page)).selected, wanted);
  assert.equal((await state(page)).level, "boxes");
  await page.press(".graph-search-text", "Enter");
  assert.equal((await state(page)).selected, graph.name.indexOf("bw/block1/layer3/conv2"));
  await page.press(".graph-search-text", "Shift+Enter");
  assert.equal((await state(page)).selected, wanted);
  assert.equal(await page.textContent(".graph-search-count"), "1 of 2");
  await page.fill(".graph-search-text", String(graph.id[77]));
  await page.press(".graph-search-text", "Enter");
  assert.equal((await state(page)).selected, 77);
  await page.fill(".graph-search-text", "no such node");
  assert.equal(await page.textContent(".graph-search-count"), "no hits");
  assert.deepEqual(faults, []);
});

test("a click on a node shows its costs, and its neighbours can be followed", async () => {
  const { page, faults, box } = await shown(urlOf("small", small));
  const { graph } = small;
  const node = graph.edgeFrom.find((from, edge) => {
    const [a, b] = [graph.pieces[graph.piece[from]], graph.pieces[graph.piece[graph.edgeTo[edge]]]];
    return a.device !== b.device && !a.backward;
  });
  await page.mouse.click(...(await pointAt(page, box, node)));
  assert.equal((await state(page)).selected, node);
  assert.equal(await page.textContent(".graph-details h3"), graph.name[node]);
  assert.equal(await fact(page, "id"), String(graph.id[node]));
  const own = graph.pieces[graph.piece[node]].device;
  assert.equal(await fact(page, "device"), small.devices[own].name);
  assert.equal(await fact(page, "pass"), "forward");
  assert.equal(Number(await fact(page, "time-0")), graph.time[0][node]);
  const host = graph.time[1][node];
  assert.equal(await fact(page, "time-1"), host === null ? "cannot run there" : String(host));
  assert.equal(await fact(page, "memory"), `${(graph.memory[node] / 2 ** 20).toFixed(1)} MiB`);
  assert.equal(Number(await fact(page, "output")), graph.edgeCost[graph.edgeFrom.indexOf(node)]);
  const readers = graph.edgeTo.filter((_, edge) => graph.edgeFrom[edge] === node);
  for (const reader of readers) {
    const device = graph.pieces[graph.piece[reader]].device;
    if (device !== own) assert.ok((await fact(page, "crosses")).includes(`goes to`));
    if (device !== own) assert.ok((await fact(page, "crosses")).includes(small.devices[device].name));
  }
  assert.match(await page.textContent("#graph [role=status]"), new RegExp(graph.name[node]));

  const links = page.locator(".graph-details section:last-of-type .graph-link");
  assert.equal(await links.count(), new Set(readers).size);
  await links.first().click();
  await still(page);
  assert.equal((await state(page)).selected, readers[0]);
  await page.click(".graph-details header button");
  assert.equal((await state(page)).selected, null);
  assert.ok(await page.locator(".graph-details").isHidden());
  assert.deepEqual(faults, []);
});

test("the legend marks a device, and the bottleneck's cuts lead to their nodes", async () => {
  const { page, faults } = await shown(urlOf("small", small));
  await page.click('.graph-legend [data-device="2"]');
  assert.equal((await state(page)).device, 2);
  assert.equal(await page.getAttribute('.graph-legend [data-device="2"]', "aria-pressed"), "true");
  await still(page);
  assert.equal((await state(page)).level, "boxes", "its nodes can be read");
  // Pointing at another device shows that one, for as long as it lasts.
  await page.hover('#loads .bars [data-device="1"]');
  assert.equal((await state(page)).device, 1);
  assert.equal((await state(page)).marked, 2);
  await page.hover("h1");
  assert.equal((await state(page)).device, 2);
  await page.click('.graph-legend [data-device="2"]');
  assert.equal((await state(page)).device, null);

  const cut = small.plan.cuts[0];
  await page.getByRole("button", { name: small.graph.name[cut.node], exact: true }).first().click();
  await still(page);
  assert.equal((await state(page)).selected, cut.node);
  assert.deepEqual(faults, []);
});

test("chips and search bring what they name into sight, near enough to be read", async () => {
  const { page, faults } = await open(browser, urlOf("large", large), { height: 500 });
  await still(page);
  const seen = async (node) => {
    await still(page);
    await page.waitForTimeout(100);
    assert.ok((await state(page)).scale >= 60);
    const box = await page.locator(canvas).boundingBox();
    const [x, y] = await pointAt(page, box, node);
    assert.ok(x > box.x && x < box.x + box.width && y > Math.max(0, box.y) && y < Math.min(500, box.y + box.height), `${x}, ${y}`);
  };
  const device = 4;
  const piece = large.graph.pieces.findIndex((each) => each.device === device);
  await page.click(`.graph-legend [data-device="${device}"]`);
  await seen(large.graph.piece.indexOf(piece));
  await page.fill(".graph-search-text", "block3/layer7/concat");
  await page.press(".graph-search-text", "Enter");
  await seen((await state(page)).selected);
  assert.deepEqual(faults, []);
});

test("what a node computes and how large its output is, where the file says so", async () => {
  const data = structuredClone(small);
  data.graph.op = { words: ["", "aten.mm"], of: data.graph.name.map((_, node) => (node === 7 ? 1 : 0)) };
  data.graph.outputBytes = data.graph.name.map((_, node) => (node === 7 ? 3 * 2 ** 20 : null));
  const { page, faults } = await shown(urlOf("op", data));
  await page.fill(".graph-search-text", "aten.mm");
  await page.press(".graph-search-text", "Enter");
  assert.equal((await state(page)).selected, 7);
  assert.equal(await fact(page, "op"), "aten.mm");
  assert.equal(await fact(page, "bytes"), "3.0 MiB");
  await page.fill(".graph-search-text", String(data.graph.id[8]));
  await page.press(".graph-search-text", "Enter");
  assert.equal(await page.locator('.graph-details [data-fact="op"]').count(), 0);
  assert.deepEqual(faults, []);
});

// Families and layers by turns, and what one node is made of.
function costed() {
  const data = structuredClone(small);
  const { graph } = data;
  const of = graph.name.map((_, node) => node % 3);
  data.timeUnit = "ms";
  data.costSources = "calibrated 87 % of the time, default 13 %";
  graph.family = { words: ["elementwise", "matrix product", "view"], of };
  graph.source = { words: ["", "calibrated"], of: graph.name.map((_, node) => (node === 7 ? 1 : 0)) };
  graph.output = { words: ["", "fp16[1,64,56,56]"], of: graph.name.map((_, node) => (node === 7 ? 1 : 0)) };
  graph.flops = graph.name.map((_, node) => (node === 7 ? 231e6 : null));
  graph.movedBytes = graph.name.map((_, node) => (node === 7 ? 2 ** 21 : null));
  graph.layer = graph.name.map((_, node) => (node < 5 ? null : Math.floor(node / 10)));
  return data;
}

test("what a node's times are made of and come from, in the details and in the tip", async () => {
  const { page, faults, box } = await shown(urlOf("costed", costed()));
  assert.equal(await page.textContent("#cost-sources"), "Costs: calibrated 87\u00a0% of the time, default 13\u00a0%");
  await page.fill(".graph-search-text", String(small.graph.id[7]));
  await page.press(".graph-search-text", "Enter");
  await still(page);
  assert.equal(await fact(page, "shape"), "fp16[1,64,56,56]");
  assert.equal(await fact(page, "family"), "matrix product");
  assert.equal(await fact(page, "flops"), "231 MFLOP");
  assert.equal(await fact(page, "moved"), "2.0 MiB");
  assert.equal(await fact(page, "layer"), "0");
  assert.equal(await fact(page, "source"), "calibrated");
  assert.match(await fact(page, "time-0"), / ms$/);
  await page.mouse.move(...(await pointAt(page, box, 7)));
  await until(page, () => document.querySelector(".tip")?.textContent.includes("fp16[1,64,56,56]"));
  assert.match(await page.textContent(".tip"), /ms, calibrated/);
  await page.fill(".graph-search-text", String(small.graph.id[8]));
  await page.press(".graph-search-text", "Enter");
  assert.equal(await fact(page, "source"), "given");
  assert.deepEqual(faults, []);
});

test("nodes are coloured by device, by time or by family, and the key says what colours mean", async () => {
  const { page, faults } = await shown(urlOf("colours", costed()));
  const colours = async () => (await state(page)).colours;
  const byDevice = await colours();
  assert.ok(await page.locator(".graph-key").isHidden());

  await page.selectOption(".graph-choice", "time");
  const byTime = await colours();
  const times = small.graph.piece.map((_, node) => small.graph.time[0][node]);
  const [longest, shortest] = [Math.max(...times), Math.min(...times)].map((time) => times.indexOf(time));
  assert.notEqual(byTime[longest], byTime[shortest]);
  assert.equal(byTime[longest], "#4b0f35", "the end of the ramp");
  const inOrder = times.map((_, node) => node).sort((a, b) => times[a] - times[b]);
  const light = (colour) => [1, 3, 5].reduce((sum, at) => sum + parseInt(colour.slice(at, at + 2), 16), 0);
  inOrder.slice(1).forEach((node, i) => assert.ok(light(byTime[node]) <= light(byTime[inOrder[i]]), "the longer the darker"));
  assert.match(await page.textContent(".graph-ramp-labels"), /^0 ms.* ms$/);
  assert.match(await page.getAttribute(canvas, "aria-label"), /coloured by time/);

  await page.selectOption(".graph-choice", "family");
  const byFamily = await colours();
  assert.equal(byFamily[0], byFamily[3]);
  assert.notEqual(byFamily[0], byFamily[1]);
  const key = await page.locator(".graph-family").allTextContents();
  assert.equal(key.length, 3);
  assert.ok(key.every((text) => /^(elementwise|matrix product|view)\d+(\.\d)? % of the time$/.test(text)), key.join());

  await page.selectOption(".graph-choice", "device");
  assert.deepEqual(await colours(), byDevice);
  assert.deepEqual(faults, []);
});

test("far away, colours of nodes need nodes: pieces come back with the devices", async () => {
  const { page, faults } = await shown(urlOf("large", large));
  assert.equal((await state(page)).level, "pieces");
  await page.selectOption(".graph-choice", "time");
  await still(page);
  assert.equal((await state(page)).level, "dots");
  assert.equal(await page.locator('.graph-choice option[value="family"]').count(), 0, "no family is known");
  assert.equal(await page.locator(".graph-layers").count(), 0, "no layer is known");
  await page.selectOption(".graph-choice", "device");
  assert.equal((await state(page)).level, "pieces");
  assert.deepEqual(faults, []);
});

test("layers have grounds where the reader asks for them", async () => {
  const { page, faults } = await shown(urlOf("layers", costed()));
  const picture = () => page.$eval(canvas, (element) => element.toDataURL());
  const plain = await picture();
  await page.check(".graph-layers");
  await until(page, () => window.partita.graph.grouped);
  await page.waitForTimeout(100);
  assert.notEqual(await picture(), plain);
  await page.uncheck(".graph-layers");
  await page.waitForTimeout(100);
  assert.equal(await picture(), plain);
  assert.deepEqual(faults, []);
});

test("of many cuts the most expensive ones are shown, and all when asked for", async () => {
  const cuts = Array.from({ length: 30 }, (_, node) => ({ ...small.plan.cuts[0], node, cost: 1 / (1 + node) }));
  const { page, faults } = await open(browser, urlOf("cuts", { ...small, plan: { ...small.plan, cuts } }));
  const rows = page.locator("#bottleneck table").first().locator("tbody tr");
  assert.equal(await rows.count(), 8);
  await page.click("#bottleneck button.more");
  assert.equal(await rows.count(), cuts.length);
  assert.equal(await page.locator("#bottleneck button.more").count(), 0);
  assert.deepEqual(faults, []);
});

test("a large graph begins with its pieces, and shows nodes and names as the reader comes nearer", async () => {
  const { page, faults, box } = await shown(urlOf("large", large), { colorScheme: "dark" });
  assert.equal((await state(page)).level, "pieces");
  const piece = large.graph.pieces[1];
  const [x, y] = await pointAt(page, box, large.graph.piece.indexOf(1));
  await page.mouse.move(x, y);
  assert.match(await page.textContent(".tip"), new RegExp(`accelerator 1.*${piece.nodes}`));
  await page.mouse.dblclick(x, y);
  await still(page);
  assert.equal((await state(page)).level, "dots");
  await page.fill(".graph-search-text", "block3/layer7/concat");
  await page.press(".graph-search-text", "Enter");
  await still(page);
  assert.equal((await state(page)).level, "boxes");
  await page.click("#graph .canvas-zoom button:last-child");
  await still(page);
  assert.equal((await state(page)).level, "pieces");
  assert.deepEqual(faults, []);
});

test("a graph without a split has no pieces and no devices, but all its nodes", async () => {
  const { plan, timeline, ...rest } = structuredClone(small);
  assert.ok(plan && timeline);
  Object.assign(rest.graph, { pieces: [], piece: rest.graph.piece.map(() => -1) });
  const { page, faults, box } = await shown(urlOf("without", rest));
  assert.equal((await state(page)).level, "dots");
  assert.ok(await page.locator(".graph-legend").isHidden());
  await page.fill(".graph-search-text", "block1/layer2/norm");
  await page.press(".graph-search-text", "Enter");
  await still(page);
  assert.equal(await fact(page, "device"), "no device");
  assert.equal(await page.locator('.graph-details [data-fact="crosses"]').count(), 0);
  assert.deepEqual(faults, []);
});
