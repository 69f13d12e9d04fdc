// SPDX-License-Identifier: Apache-2.0
// What the page claims: of which splits, in which unit, on whose word, and what must be known before it is believed.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { trainingPage, until, urlOf } from "./graph_fixture.mjs";
import { launch, open, report } from "./support.mjs";

const made = trainingPage({ nodes: 60, stages: 3, samples: 12 });
const folder = mkdtempSync(join(tmpdir(), "partita-claims-"));
let browser;
before(async () => (browser = await launch()));
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await browser.close();
});

const text = async (page, selector) => (await page.textContent(selector)).replaceAll("\u00a0", " ");
const planPage = (change) => {
  const data = structuredClone(made);
  data.command = "plan";
  change(data);
  return data;
};
async function shown(name, data) {
  const { page, faults } = await open(browser, urlOf(name, data));
  assert.deepEqual(faults, []);
  return page;
}

test("a bound names the splits it holds for, in the head and wherever it is drawn", async () => {
  for (const [shape, claim, bound] of [
    ["staged", "optimal among staged splits", "no staged split is below it"],
    ["contiguous", "optimal among contiguous splits", "no contiguous split is below it"],
    ["free", "optimal among all splits", "no split is below it"],
  ]) {
    const page = await shown("shape", planPage((data) => {
      data.question.shape = shape;
      data.convergence = [{ seconds: 0.1, value: data.plan.value, bound: 1 }, { seconds: 1, value: data.plan.value, bound: data.plan.value }];
    }));
    assert.equal(await text(page, ".verdict"), claim);
    assert.ok((await text(page, "header .answer .facts")).includes(bound));
    const lead = await text(page, "#convergence .lead");
    assert.ok(lead.includes(shape === "free" ? "on any split" : `on any of the ${shape} splits`), lead);
    assert.ok(!(await text(page, "main")).includes(shape === "free" ? "staged split" : "on any split"));
    await page.close();
  }
});

test("sweeps name the splits too", async () => {
  const { url } = report("sweep", "branch.json", "--vary", "accelerators=1..3");
  const { page } = await open(browser, url);
  assert.match(await text(page, "#sweep .lead"), /no staged split is below it there.*optimal among staged splits/);
  await page.close();
});

test("a foreign solver's word is called that, and never a proof", async () => {
  const page = await shown("word", planPage((data) => (data.plan.unverified = true)));
  assert.match(await text(page, ".verdict.open"), /by a foreign solver's word, not verified/);
  assert.ok(!(await text(page, "header")).includes("Proof:"));
  await page.close();
});

test("a value that the page's own simulation does not reach is not left alone", async () => {
  const kept = await shown("kept", planPage(() => {}));
  assert.equal(await kept.locator(".caution").count(), 0);
  await kept.close();
  const broken = await shown("broken", planPage((data) => {
    Object.assign(data.plan, { value: 19, bound: 19 });
    Object.assign(data.timeline, {
      timePerSample: 20.33, formula: 19, remark: "20.33 per sample is 1.33 (7%) above the formula's 19: a reason",
    });
  }));
  const caution = await text(broken, "header .caution");
  assert.equal(caution, "Simulated as 1f1b, it does not keep this pace: 20.33 per sample is 1.33 (7%) above the formula's 19: a reason.");
  await broken.close();
});

test("warnings stand before the numbers, and the flat memory model is called an underestimate", async () => {
  const page = await shown("warned", planPage((data) => {
    data.warnings = ["one <b>odd</b> thing", "another one"];
    data.question.memoryModel = "flat";
  }));
  assert.deepEqual(await page.$$eval(".warnings li", (lines) => lines.map((line) => line.textContent)), ["one <b>odd</b> thing", "another one"]);
  assert.ok(await page.evaluate(() =>
    document.querySelector(".warnings").compareDocumentPosition(document.getElementById("value")) & Node.DOCUMENT_POSITION_FOLLOWING));
  for (const part of ["#memory", "#simulation"]) assert.match(await text(page, part), /An underestimate: up to 3 samples are in flight/);
  await page.close();
  const counted = await shown("counted", planPage(() => {}));
  assert.equal(await counted.locator(".doubt").count(), 0);
  await counted.close();
});

test("times have their unit where one is known, and samples per second with it", async () => {
  const page = await shown("unit", planPage((data) => {
    data.timeUnit = "ms";
    Object.assign(data.plan, { value: 1.824, bound: 1.5, status: "feasible" });
  }));
  assert.equal(await text(page, ".headline .unit"), "ms per sample \u00b7 548 samples/s");
  assert.match(await text(page, "header .answer .facts"), /1\.5 ms/);
  assert.match(await text(page, "#loads .bars .number"), / ms$/);
  assert.match(await text(page, "#bottleneck .lead"), /of [\d.]+ ms computing/);
  assert.match(await text(page, "#simulation .facts"), /Time per sample[\d.]+ ms/);
  assert.match(await text(page, ".timeline-table caption"), /^At [\d.]+ ms:/);
  await page.close();
  const unknown = await shown("unknown", planPage(() => {}));
  assert.equal(await text(unknown, ".headline .unit"), "per sample");
  await unknown.close();
});

test("stages have the table's order everywhere, and copies are shown as such", async () => {
  const data = planPage(({ plan, devices, classes, timeline }) => {
    plan.order = [2, 0, 1];
    plan.loads = plan.order.map((device) => plan.loads.find((load) => load.device === device));
    // Stage 1, on device 2, has a copy on a device of its own.
    devices.splice(3, 0, { ...devices[2], name: "accelerator 3" });
    assert.equal(classes[0], "accelerator");
    plan.loads[0].sharing = 2;
    plan.loads.splice(1, 0, { ...plan.loads[0], device: 3, copyOf: 2 });
    timeline.lanes.push({ device: 3, name: "accelerator 3" });
    timeline.use.push({ ...timeline.use[2], device: 3 });
  });
  const page = await shown("order", data);
  const names = (selector) => page.$$eval(selector, (list) => list.map((each) => each.textContent.replace("bottleneck", "")));
  const stages = ["accelerator 2-3 x2", "accelerator 0", "accelerator 1"];
  assert.deepEqual(await names("#loads .bars .device"), stages);
  assert.deepEqual(await names("#memory .bars .device"), stages);
  assert.deepEqual(await names(".graph-legend-entry"), stages);
  const lanes = ["accelerator 2copy 1 of 2", "accelerator 3copy 2 of 2", "accelerator 0", "accelerator 1"];
  assert.deepEqual(await names(".timeline-table tbody th"), lanes);
  const colours = await page.$$eval(".timeline-table tbody th .swatch", (list) => list.map((each) => each.style.background));
  assert.equal(colours[0], colours[1]);
  assert.notEqual(colours[0], colours[2]);
  await page.close();
});

test("names from a file cannot run, break out, or hide what they hold", async () => {
  const hostile = "</script><img src=x onerror=alert(1)>\u202egpj.exe\u2066\u200b\u0007\u001b[31m\nline";
  const node = (id) => ({ id, name: `${hostile}${id}`, cpuLatency: 3, fpgaLatency: 1, size: 1, supportedOnFpga: 1, isBackwardNode: 0, colorClass: null });
  const file = join(folder, "hostile.json");
  writeFileSync(file, JSON.stringify({
    name: hostile, maxSizePerFPGA: 100, maxFPGAs: 2, maxCPUs: 1,
    nodes: [node(1), node(2), node(3)],
    edges: [{ sourceId: 1, destId: 2, cost: 0.5 }, { sourceId: 2, destId: 3, cost: 0.5 }],
  }));
  const { url } = report("plan", file);
  const { page, faults } = await open(browser, url);
  const dialogs = [];
  page.on("dialog", (dialog) => dialogs.push(dialog.message()));
  await until(page, () => window.partita?.graph.frames > 0);
  await page.fill(".graph-search-text", "onerror");
  await page.press(".graph-search-text", "Enter");
  const name = await text(page, ".graph-details h3");
  assert.ok(name.includes("</script><img src=x onerror=alert(1)>\\u202egpj.exe\\u2066\\u200b\\x07\\x1b[31m\\nline"), name);
  const all = await page.evaluate(() => [document.title, document.body.innerHTML].join());
  assert.ok(!/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f]/.test(all));
  assert.equal(await page.locator("img").count(), 0);
  assert.deepEqual([dialogs, faults], [[], []]);
  await page.close();
});
