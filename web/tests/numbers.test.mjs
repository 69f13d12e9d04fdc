// SPDX-License-Identifier: Apache-2.0
// The numbers on the page are those of the program: of its table, digit by digit, and of its plan.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { cells, launch, load, open, printedTable, report, workloads } from "./support.mjs";

const { significant, bytes } = await load("src/format.ts");
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

const questions = [
  ["bert-large-inference.json.gz"],
  ["unet-training.json.gz"],
  ["unet-training.json.gz", "--transfers", "overlap"],
  ["tiny-training.json", "--objective", "gpipe", "--time-limit", "5"],
  ["with-host.json"],
  ["unet-inference.json.gz", "--platform", "platforms/mixed.json"],
  ["unet-inference.json.gz", "--shape", "free", "--time-limit", "1"],
  ["transformer-training.json", "--platform", "platforms/two-servers.json", "--replicate", "3"],
  [
    "transformer-training.json",
    "--replicate",
    "3",
    "--sync-bandwidth",
    "1e9",
    "--memory",
    "12GiB",
    "--memory-model",
    "1f1b",
  ],
  ["transformer-training.json", "--memory", "12GiB", "--memory-model", "gpipe", "--microbatches", "8", "--recompute"],
  ["with-host.json", "--objective", "latency"],
  ["unet-inference.json.gz", "--objective", "latency", "--time-limit", "2"],
];
if (workloads && existsSync(join(workloads, "h200"))) {
  const measured = readdirSync(join(workloads, "h200"))
    .filter((name) => /\.json(\.gz)?$/.test(name))
    .sort()
    .slice(0, 2);
  for (const name of measured) questions.push([join(workloads, "h200", name), "--time-limit", "2"]);
}

// The page's table of loads has the columns of the program's; the page marks the bottleneck by style.
async function sameLoads(page, text) {
  const printed = printedTable(text, text.includes("stage ") ? "stage" : "device");
  assert.deepEqual(await cells(page, "#loads table"), printed);
}

async function sameMemory(page, text) {
  const begin = text.search(/^memory \(/m);
  if (begin < 0) return;
  const printed = printedTable(text.slice(begin), text.slice(begin).includes("stage ") ? "stage" : "device");
  // A limit that all devices share stands above the printed table, and in a column of the page's.
  const shown = await cells(page, "#memory table");
  const limit = shown[0].indexOf("limit");
  const shared = limit >= 0 && !printed[0].includes("limit");
  assert.deepEqual(shared ? shown.map((row) => row.filter((_, column) => column !== limit)) : shown, printed);
}

async function samePlan(page, plan) {
  assert.equal(await page.textContent("#value"), significant(plan.value));
  const facts = await page.$$eval("header .answer dt", (names) =>
    Object.fromEntries(names.map((name) => [name.textContent, name.nextElementSibling.firstChild.textContent])),
  );
  assert.equal(facts["Lower bound"].split(" ")[0], significant(plan.bound));
  if (plan.status === "optimal") assert.equal(facts["Gap"], "0 %");
  const optimal = /^optimal among (staged|contiguous|all) splits$/;
  assert.match(await page.textContent(".verdict"), plan.status === "optimal" ? optimal : /not proved/);
  // Memory bars: every device that holds something, with its bytes and its limit.
  for (const device of plan.devices.filter((each) => each.memory_limit !== null && each.nodes.length > 0)) {
    const row = await page.$$eval("#memory .bars li", (rows) => rows.map((each) => each.textContent));
    const expected = `${bytes(device.memory)} of ${bytes(device.memory_limit)}`;
    assert.ok(
      row.some((each) => each.includes(expected)),
      `${device.name}: ${expected}`,
    );
  }
}

for (const question of questions) {
  test(`plan ${question.map((word) => word.split("/").pop()).join(" ")}`, async () => {
    const { text, plan, url } = report("plan", ...question);
    const { page, faults } = await open(browser, url);
    await sameLoads(page, text);
    await sameMemory(page, text);
    await samePlan(page, plan);
    assert.deepEqual(faults, []);
    await page.close();
  });
}

test("the bottleneck is explained by what it moves", async () => {
  const { plan, data, url } = report("plan", "bert-large-inference.json.gz");
  const { page, faults } = await open(browser, url);
  const slowest = plan.devices.reduce((a, b) => (b.load > a.load ? b : a));
  assert.match(await page.textContent("#bottleneck h2"), new RegExp(`Why ${slowest.name} is the bottleneck`));
  const share = Math.round((100 * slowest.compute) / slowest.load);
  const sentence = (await page.textContent("#bottleneck .lead")).replaceAll("\u00a0", " ");
  assert.match(sentence, new RegExp(`spends ${share} % of ${significant(slowest.load)}( \\w+)? computing`));
  const moved = data.plan.cuts.reduce((sum, cut) => sum + cut.cost, 0) + data.plan.cutsLeftOut.cost;
  assert.ok(Math.abs(moved - slowest.in - slowest.out) < 1e-9, "the cuts add up to what the bottleneck pays");
  await page.click("#bottleneck button.node");
  assert.deepEqual(faults, []);
  await page.close();
});

test("compare: the runs of the table, sorted when asked", async () => {
  const { data, url } = report("compare", "branch.json", "--time-limit", "1", "--no-times");
  const { page, faults } = await open(browser, url);
  const rows = (await cells(page, "#comparison table")).slice(1);
  const runs = data.comparison.runs.filter((run) => run.outcome !== "not applicable");
  assert.equal(rows.length, runs.length);
  runs.forEach((run, i) => assert.ok(rows[i][0].startsWith(run.algorithm)));
  const head = page.locator("#comparison th button", { hasText: /^value/ });
  const order = async () =>
    (await cells(page, "#comparison table"))
      .slice(1)
      .map((row) => Number(row[1]))
      .filter(Number.isFinite);
  await head.click();
  const rising = await order();
  assert.deepEqual(
    rising,
    [...rising].sort((a, b) => a - b),
  );
  await head.press("Enter");
  assert.deepEqual(
    await order(),
    [...rising].sort((a, b) => b - a),
  );
  assert.deepEqual(faults, []);
  await page.close();
});

test("sweep: the table of the command line, and the point that is enough", async () => {
  const { text, data, url } = report(
    "sweep",
    "unet-inference.json.gz",
    "--vary",
    "accelerators=4..8",
    "--time-limit",
    "5",
  );
  const { page, faults } = await open(browser, url);
  assert.deepEqual(await cells(page, "#sweep table"), printedTable(text, "accelerators "));
  assert.equal(await page.textContent("#value"), data.sweep.points[data.sweep.enough].label);
  assert.equal((await page.textContent(".proof")).replaceAll("\u00a0", " "), data.sweep.verdict);
  assert.equal(await page.locator("#sweep .dot").count(), data.sweep.points.length);
  assert.deepEqual(faults, []);
  await page.close();
});

test("simulate: what the command line measures, whether or not the schedule keeps the plan's promise", async () => {
  const { planFile } = report("plan", "unet-training.json.gz");
  for (const schedule of ["1f1b", "gpipe"]) {
    const { text, data, url } = report("simulate", "unet-training.json.gz", planFile, "--schedule", schedule);
    const { page, faults } = await open(browser, url);
    const shown = (await cells(page, "#simulation table")).map((row) => row.slice(0, -1)); // without the bars
    assert.deepEqual(shown, printedTable(text, "stage"));
    const measured = await page.$$eval("#simulation .facts dt", (names) =>
      Object.fromEntries(names.map((name) => [name.textContent, name.nextElementSibling.firstChild.textContent])),
    );
    assert.equal(measured["Time per sample"].split(" ")[0], text.match(/time per sample +(\S+)/)[1]);
    assert.equal(measured["Drain"].split(" ")[0], text.match(/drain +(\S+)/)[1]);
    if (data.timeline.remark) assert.ok((await page.textContent("#simulation .lead")).includes(data.timeline.remark));
    assert.deepEqual(faults, []);
    await page.close();
  }
});
