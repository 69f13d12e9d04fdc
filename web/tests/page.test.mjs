// SPDX-License-Identifier: Apache-2.0
// How the page behaves: colours, small screens, the keyboard, and a page without data.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch, open, report, web } from "./support.mjs";

let browser;
let reports;
before(async () => {
  browser = await launch();
  reports = {
    inference: report("plan", "bert-large-inference.json.gz"),
    training: report("plan", "transformer-training.json", "--memory", "12GiB", "--memory-model", "1f1b"),
    latency: report("plan", "with-host.json", "--objective", "latency"),
    comparison: report("compare", "unet-inference.json.gz", "--algorithms", "dp,greedy,scotch,free"),
    sweep: report("sweep", "branch.json", "--vary", "memory=50,80,100,200"),
  };
});
after(() => browser.close());

const themeOf = (page) => page.evaluate(() => document.documentElement.dataset.theme);
const brightness = (page) =>
  page.evaluate(() => {
    const [red, green, blue] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
    return (red + green + blue) / 3;
  });

test("light and dark: as the system asks, and as the reader chooses", async () => {
  for (const [asked, other] of [
    ["light", "dark"],
    ["dark", "light"],
  ]) {
    const { page, faults } = await open(browser, reports.inference.url, { colorScheme: asked });
    assert.equal(await themeOf(page), asked);
    assert.equal((await brightness(page)) > 128, asked === "light");
    await page.click(".theme-toggle");
    assert.equal(await themeOf(page), other);
    assert.equal((await brightness(page)) > 128, other === "light");
    await page.click(".theme-toggle");
    assert.equal(await themeOf(page), asked);
    assert.deepEqual(faults, []);
    await page.close();
  }
});

test("the page follows the system while it is open", async () => {
  const { page } = await open(browser, reports.inference.url, { colorScheme: "light" });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForSelector('html[data-theme="dark"]');
  await page.close();
});

test("no screen is too small: nothing but tables scrolls sideways", async () => {
  for (const [name, { url }] of Object.entries(reports)) {
    for (const width of [320, 390, 768, 1920]) {
      const { page, faults } = await open(browser, url, { width, height: 800 });
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${name} at ${width}: ${overflow} pixels too wide`);
      assert.deepEqual(faults, []);
      await page.close();
    }
  }
});

test("the keyboard reaches what the pointer does", async () => {
  const { page, faults } = await open(browser, reports.inference.url);
  const row = page.locator("#loads .bars li").nth(1);
  await row.locator("button").focus();
  const note = page.locator("#tip");
  assert.ok(await note.isVisible());
  assert.match(await note.textContent(), /accelerator 1.*load.*compute.*in.*out/s);
  await page.keyboard.press("Escape");
  assert.ok(!(await note.isVisible()));
  await row.hover();
  assert.ok(await note.isVisible());
  assert.deepEqual(faults, []);
  await page.close();
});

test("bars are as long as the loads they show", async () => {
  const { data, url } = reports.inference;
  const { page } = await open(browser, url);
  const ends = await page.$$eval("#loads .bars li", (rows) =>
    rows.map((row) => {
      const box = row.querySelector(".bar").getBoundingClientRect();
      const last = Math.max(...[...row.querySelectorAll(".segment")].map((part) => part.getBoundingClientRect().right));
      return {
        length: last - box.left,
        line: row.querySelector(".mark.value").getBoundingClientRect().left + 1 - box.left,
      };
    }),
  );
  data.plan.loads.forEach((load, i) => {
    const expected = (load.load / data.plan.value) * ends[i].line;
    assert.ok(Math.abs(ends[i].length - expected) < 1.5, `${load.device}: ${ends[i].length}, expected ${expected}`);
  });
  await page.close();
});

test("paper is light, and has no button", async () => {
  const { page } = await open(browser, reports.training.url, { colorScheme: "dark" });
  await page.emulateMedia({ media: "print" });
  await page.waitForSelector('html[data-theme="light"]');
  assert.ok(!(await page.isVisible(".theme-toggle")));
  assert.ok(await page.isVisible("#loads table"));
  await page.close();
});

test("a name is text, whatever it holds", async () => {
  const { data } = reports.inference;
  const { page, faults } = await open(browser, pathToFileURL(join(web, "dist", "page.html")).href);
  await page.evaluate(
    (json) => {
      document.getElementById("data").textContent = json;
      document.getElementById("page").replaceChildren();
      const program = [...document.scripts].pop();
      const again = document.createElement("script");
      again.textContent = program.textContent;
      document.body.append(again);
    },
    JSON.stringify({ ...data, title: "<img src=x onerror=alert(1)>", subject: "</script><b>bold</b>" }),
  );
  assert.equal(await page.textContent("h1"), "<img src=x onerror=alert(1)>");
  assert.equal(await page.locator(".subject b").count(), 0);
  assert.deepEqual(faults, []);
  await page.close();
});

test("a page without data says so", async () => {
  const { page, faults } = await open(browser, pathToFileURL(join(web, "dist", "page.html")).href);
  assert.match(await page.textContent("main"), /no data/);
  assert.deepEqual(faults, []);
  await page.close();
});
