// SPDX-License-Identifier: Apache-2.0
// What crosses between devices, in the list and in the graph; and rows of comparisons and sweeps that show their splits.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { trainingPage, until, urlOf } from "./graph_fixture.mjs";
import { cells, launch, load, open, report } from "./support.mjs";

const { deviceCuts } = await load("src/cuts.ts");
const { pageOfRow } = await load("src/views.ts");
const { leftOutText } = await load("src/rows.ts");
const { bytes } = await load("src/format.ts");

let browser;
let comparison;
let sweep;
before(async () => {
  browser = await launch();
  comparison = report("compare", "unet-inference.json.gz", "--algorithms", "dp,greedy,scotch,free");
  sweep = report("sweep", "branch.json", "--vary", "memory=50,80,100,200");
});
after(() => browser.close());

const graphState = (page) => page.evaluate(() => ({ ...window.partita.graph }));
const still = (page) => until(page, () => window.partita?.graph.frames > 0 && !window.partita.graph.moving);
const small = trainingPage({ nodes: 120, stages: 4, samples: 4 });

// Tensors by "from to pass", by looking at every edge.
function crossing({ graph }) {
  const device = (node) => graph.pieces[graph.piece[node]].device;
  const found = new Map();
  graph.edgeFrom.forEach((from, edge) => {
    const to = graph.edgeTo[edge];
    if (device(from) === device(to)) return;
    const key = `${device(from)} ${device(to)} ${graph.backward.includes(from)}`;
    if (!found.has(key)) found.set(key, new Map());
    const tensors = found.get(key);
    tensors.set(from, [...(tensors.get(from) ?? []), edge]);
  });
  return found;
}

test("cuts are all the tensors that pass between two devices, each once", () => {
  for (const page of [small, trainingPage({ nodes: 240, stages: 6, samples: 2 })]) {
    const expected = crossing(page);
    const cuts = deviceCuts(page);
    assert.equal(cuts.length, expected.size);
    cuts.forEach((cut, i) => {
      const tensors = expected.get(`${cut.from} ${cut.to} ${cut.backward}`);
      assert.deepEqual(new Map(cut.tensors.map(({ node, edges }) => [node, edges])), tensors);
      const cost = [...tensors.values()].reduce((sum, [edge]) => sum + page.graph.edgeCost[edge], 0);
      assert.ok(Math.abs(cut.cost - cost) < 1e-9);
      if (i > 0) assert.ok(cut.cost <= cuts[i - 1].cost);
    });
  }
  // Edges that differ in cost are transfers of their own; what is not known of all has no size.
  const graph = {
    id: [1, 2, 3], name: ["a", "b", "c"], backward: [], piece: [0, 1, 1], pieces: [{ device: 0 }, { device: 1 }],
    edgeFrom: [0, 0], edgeTo: [1, 2], edgeCost: [2, 3], outputBytes: [8, null, null],
  };
  assert.deepEqual(deviceCuts({ graph }).map(({ cost, bytes: size }) => [cost, size]), [[5, 8]]);
  const [once] = deviceCuts({ graph: { ...graph, edgeCost: [2, 2], outputBytes: undefined } });
  assert.deepEqual([once.cost, once.bytes], [2, null]);
  assert.deepEqual(deviceCuts({ graph: { ...graph, piece: [-1, -1, -1], pieces: [] } }), []);
});

test("a pair of devices lists its tensors, and its edges stand out in the graph", async () => {
  const named = structuredClone(small);
  const first = deviceCuts(small)[0].tensors[0].node;
  const nodes = named.graph.id.length;
  named.graph.tensor = { words: ["", "hidden states"], of: Array.from({ length: nodes }, (_, node) => Number(node === first)) };
  named.graph.output = { words: ["fp16[4,8]"], of: Array(nodes).fill(0) };
  named.graph.outputBytes = Array(nodes).fill(4096);
  const { page, faults } = await open(browser, urlOf("cuts", named));
  await still(page);
  const cuts = deviceCuts(named);
  const head = page.locator("#cuts .cut-head").first();
  await head.focus();
  await page.keyboard.press("Enter");
  assert.equal(await head.getAttribute("aria-expanded"), "true");
  await still(page);
  const { cut, cutEdges } = await graphState(page);
  assert.deepEqual([cut, cutEdges], [0, cuts[0].tensors.flatMap(({ edges }) => edges).length]);
  const [titles, ...rows] = await cells(page, "#cut-0 table");
  assert.deepEqual(titles, ["tensor", "type", "size", "cost", "output of", "read by"]);
  assert.equal(rows.length, cuts[0].tensors.length);
  assert.deepEqual(rows[0].slice(0, 3), ["hidden states", "fp16[4,8]", bytes(4096)]);
  assert.equal(rows[0][4], named.graph.name[first]);
  assert.ok(rows[0][5].startsWith(named.graph.name[named.graph.edgeTo[cuts[0].tensors[0].edges[0]]]));
  assert.match(await page.textContent(".graph-cut"), new RegExp(`^${cuts[0].tensors.length} tensors? from accelerator ${cuts[0].from}`));

  // A tensor leads to its node, and the node's details to what else passes there.
  await page.click("#cut-0 tbody button");
  await still(page);
  assert.equal((await graphState(page)).selected, first);
  assert.equal(await page.getAttribute(`#cut-0 tr[data-node="${first}"]`, "class"), "pointed");
  await page.click(".graph-cut button:last-child");
  assert.equal((await graphState(page)).cut, null);
  assert.equal(await head.getAttribute("aria-expanded"), "false");
  await page.click('.graph-details [data-fact="crosses"] button');
  assert.notEqual((await graphState(page)).cut, null);
  assert.deepEqual(faults, []);
  await page.close();
});

test("an arrow in the graph is found in the list", async () => {
  const data = trainingPage({ nodes: 2400, stages: 4, samples: 2 });
  const { page, faults } = await open(browser, urlOf("arrows", data));
  await page.$eval("#graph canvas", (element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
  await still(page);
  assert.equal((await graphState(page)).level, "pieces");
  const { pieces } = data.graph;
  const arrows = await page.evaluate(() => window.partita.graph.arrows());
  const box = await page.locator("#graph canvas").boundingBox();
  let found = 0;
  for (const arrow of arrows) {
    const [from, to] = [pieces[arrow.from], pieces[arrow.to]];
    if (from.device === to.device) continue;
    await page.mouse.move(box.x + arrow.x, box.y + arrow.y);
    const tip = await page.locator("#tip").textContent();
    if (!tip.startsWith(`accelerator ${from.device}${from.backward ? ", backward" : ""} to accelerator ${to.device}`)) continue; // covered
    await page.mouse.click(box.x + arrow.x, box.y + arrow.y);
    const { cut } = await graphState(page);
    const chosen = deviceCuts(data)[cut];
    assert.deepEqual([chosen.from, chosen.to, chosen.backward], [from.device, to.device, from.backward]);
    assert.equal(await page.getAttribute(`[data-cut="${cut}"] .cut-head`, "aria-expanded"), "true");
    if (++found === 2) break;
  }
  assert.equal(found, 2);
  assert.deepEqual(faults, []);
  await page.close();
});

test("a row of a comparison shows its split: loads, graph and all", async () => {
  const { data, url } = comparison;
  const { page, faults } = await open(browser, url);
  await still(page);
  assert.equal(await page.locator("#timeline").count(), 1);
  const own = await graphState(page);
  const row = data.comparison.runs.findIndex((run) => run.algorithm === "greedy");
  const split = data.splits[data.comparison.runs[row].split - 1];
  const button = page.getByRole("button", { name: "greedy", exact: true });
  assert.equal(await button.getAttribute("aria-pressed"), "false");
  await button.focus();
  await page.keyboard.press("Enter");
  await still(page);
  assert.equal(await button.getAttribute("aria-pressed"), "true");
  assert.equal(await page.locator("#comparison tr.shown").count(), 1);
  assert.match(await page.textContent(".shown-split"), /^The split of greedy, /);
  const loads = await cells(page, "#loads table");
  assert.equal(loads.length - 1, split.plan.loads.length);
  assert.notDeepEqual((await graphState(page)).colours, own.colours);
  assert.equal(await page.locator("#timeline").count(), 0);
  assert.equal(await page.locator(".contents a[href='#timeline']").count(), 0);

  // Anywhere in the row; sorted rows too; and one that breaks a rule.
  await page.click("#comparison thead button");
  assert.equal(await page.locator("#comparison tr.shown").count(), 1);
  await page.locator("#comparison tbody tr", { hasText: "scotch" }).locator("td").nth(3).click();
  await still(page);
  const run = data.comparison.runs.find(({ algorithm }) => algorithm === "scotch");
  assert.equal(run.legal, false);
  assert.ok((await page.textContent(".shown-split")).includes(run.fault));
  const { device } = data.splits[run.split - 1].graph;
  const { colours } = await graphState(page);
  assert.equal(new Set(device.map((each, node) => `${each} ${colours[node]}`)).size, new Set(device).size);
  await page.click(".theme-toggle");
  await page.getByRole("button", { name: "dp", exact: true }).click();
  await still(page);
  assert.equal(await page.locator("#timeline canvas").count(), 1);
  assert.deepEqual(faults, []);
  await page.close();
});

test("a point of a sweep shows its split, on a small and dark screen too", async () => {
  const { data, url } = sweep;
  const { page, faults } = await open(browser, url, { width: 390, height: 800, colorScheme: "dark" });
  const points = data.sweep.points.map((point, row) => ({ ...point, row })).filter(({ split }) => split !== null);
  assert.ok(points.length > 1);
  for (const { row, split, label } of points) {
    await page.locator("#sweep tbody tr").nth(row).click();
    await still(page);
    assert.match(await page.textContent(".shown-split"), new RegExp(`^The split with ${label} of memory`));
    const { plan, devices } = pageOfRow(data, row, split);
    assert.equal((await cells(page, "#loads table")).length - 1, plan.loads.length);
    assert.equal(devices[0].memory, data.sweep.points[row].parameter);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(overflow <= 0, `${label}: ${overflow} pixels too wide`);
  }
  await page.locator("#sweep .chart g.choice").first().click();
  assert.equal(await page.locator("#sweep tbody tr").nth(points[0].row).getAttribute("class"), "choice shown");
  assert.deepEqual(faults, []);
  await page.close();
});

test("rows whose split is not on the page cannot be chosen, and the page says which", async () => {
  const { data } = comparison;
  const without = structuredClone(data);
  without.comparison.runs.find(({ algorithm }) => algorithm === "greedy").split = null;
  const { page, faults } = await open(browser, urlOf("left-out", without));
  assert.equal(await page.getByRole("button", { name: "greedy", exact: true }).count(), 0);
  assert.match(await page.textContent("#comparison"), /the split of greedy is not on it\./);
  assert.deepEqual(faults, []);
  await page.close();
  assert.equal(leftOutText([]), "");
  const many = Array.from({ length: 15 }, (_, i) => `n${i}`);
  assert.match(leftOutText(many), /splits of n0, .*, n11 and 3 more are not/);
});
