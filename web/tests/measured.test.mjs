// SPDX-License-Identifier: Apache-2.0
// A real run beside its prediction: the numbers of the command line, and two timelines that move as one.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { until } from "./graph_fixture.mjs";
import { cells, examples, launch, load, open, printedTable, program, report } from "./support.mjs";

const { errorText, againstPrediction } = await load("src/sections/measured.ts");
const { createClock } = await load("src/timeline/clock.ts");

const folder = mkdtempSync(join(tmpdir(), "partita-measured-"));
let browser;
let made;
before(async () => {
  browser = await launch();
  const { planFile } = report("plan", "transformer-training.json");
  const trace = join(folder, "trace.json");
  execFileSync(program, ["simulate", planFile, "-q", "--samples", "40", "--trace", trace], { cwd: examples });
  // A run that takes a quarter longer all over.
  const run = JSON.parse(readFileSync(trace, "utf8"));
  for (const event of run.traceEvents) {
    if (event.ts !== undefined) event.ts *= 1.25;
    if (event.dur !== undefined) event.dur *= 1.25;
  }
  writeFileSync(trace, JSON.stringify(run));
  made = report("simulate", planFile, "--measured", trace);
});
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
});

const handles = (page) => page.evaluate(() => ({ above: { ...window.partita.timeline }, below: { ...window.partita.measured } }));
async function shown(options) {
  const { page, faults } = await open(browser, made.url, options);
  await page.$eval("#timeline", (element) => element.scrollIntoView({ block: "start", behavior: "instant" }));
  await until(page, () => window.partita?.measured?.frames > 0);
  await page.waitForTimeout(300);
  return { page, faults, canvases: await page.locator("#timeline canvas").all() };
}

test("errors in words", () => {
  assert.deepEqual([0, 0.0003, 0.0652, -0.031, 12.34567, null].map(errorText), ["0.0 %", "0.0 %", "+6.5 %", "-3.1 %", "+1235 %", "-"]);
  assert.equal(againstPrediction(0.0652), "6.5 % longer than predicted");
  assert.equal(againstPrediction(-0.0652), "6.5 % shorter than predicted");
  assert.equal(againstPrediction(-0.0001), "as predicted");
});

test("a clock keeps its span in the run and the cursor in sight, and tells who listens", () => {
  const clock = createClock(100, 1, { begin: 0, end: 20 }, 5);
  const told = [];
  clock.onCursor(() => told.push(`cursor ${clock.cursor}`));
  clock.onChange(() => told.push(`${clock.span.begin}-${clock.span.end}`));
  clock.moveCursor(50);
  clock.pan(1000);
  clock.zoom(2, 100);
  clock.fit();
  clock.moveCursor(-3);
  clock.point(4);
  clock.point(4);
  assert.deepEqual(told, ["cursor 50", "40-60", "80-100", "90-100", "0-100", "cursor 0", "0-100", "0-100"]);
  assert.equal(clock.sample, 4);
});

test("the table is that of the command line, and the head says how far off it was", async () => {
  const { page, faults } = await open(browser, made.url);
  const printed = printedTable(made.text, "stage  device         per sample");
  const table = await cells(page, "#measured table");
  let [stage, device] = ["", ""];
  const filled = table.map((row) => {
    [stage, device] = [row[0] || stage, row[1] || device];
    return [stage, device, ...row.slice(2, 6)];
  });
  assert.deepEqual(filled, printed);
  assert.ok(filled.slice(1).every((row) => row[5] === "+25.0 %"));
  assert.match(await page.textContent("header"), /25\.0\s% longer than predicted/);
  assert.match(await page.textContent("#measured .facts"), /predicted [\d.]+.*: \+25\.0 %/);
  assert.deepEqual(faults, []);
});

test("two timelines have one scale, one cursor and one window", async () => {
  const { page, faults, canvases } = await shown();
  assert.equal(canvases.length, 2);
  const [above, below] = [await canvases[0].boundingBox(), await canvases[1].boundingBox()];
  assert.ok(above.y + above.height <= below.y && above.x === below.x && above.width === below.width);
  // The same interval is a quarter further from the beginning below.
  const place = (which, interval) => page.evaluate(([name, i]) => window.partita[name].place(i), [which, interval]);
  const [zero, first, slow] = [await place("timeline", 0), await place("timeline", 20), await place("measured", 20)];
  const origin = zero.x - (zero.x - (await place("measured", 0)).x) / (1 - 1.25);
  assert.ok(Math.abs((slow.x - origin) / (first.x - origin) - 1.25) < 0.01);

  await page.mouse.move(below.x + 500, below.y + 80);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -400);
  await page.keyboard.up("Control");
  await page.waitForTimeout(100);
  const zoomed = await handles(page);
  assert.ok(zoomed.above.begin > 0 && zoomed.above.begin === zoomed.below.begin && zoomed.above.end === zoomed.below.end);
  await canvases[1].focus();
  await page.keyboard.press("ArrowRight");
  const moved = await handles(page);
  assert.ok(moved.above.cursor > 0 && moved.above.cursor === moved.below.cursor);
  const captions = await page.$$eval(".timeline-table caption", (list) => list.map((caption) => caption.textContent));
  assert.ok(captions[0].startsWith("Predicted, at") && captions[1].startsWith("Measured, at"));
  assert.equal(captions[0].split(":")[0].slice("Predicted".length), captions[1].split(":")[0].slice("Measured".length));

  // A sample that is pointed at below stands out above too.
  await page.keyboard.press("0");
  const at = await place("measured", 20);
  await page.mouse.move(below.x + at.x, below.y + at.y);
  assert.equal((await handles(page)).above.sample, made.data.measured.timeline.sample[20]);
  assert.deepEqual(faults, []);
});

test("it fits a narrow window, in the dark", async () => {
  const { page, faults } = await shown({ width: 400, height: 900, colorScheme: "dark" });
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  assert.deepEqual(faults, []);
});
