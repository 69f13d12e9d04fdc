// SPDX-License-Identifier: Apache-2.0
// What the tests of the page share: reports by the real program, pages in a real browser, and tables as lists of texts.
// PARTITA names the program (default ../build/partita), PARTITA_CHROMIUM the browser.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { chromium } from "playwright-core";

export const web = resolve(dirname(fileURLToPath(import.meta.url)), "..");
export const examples = join(web, "..", "examples");
export const program = process.env.PARTITA ?? join(web, "..", "build", "partita");

// A folder of further workloads, where there is one.
export const workloads = [process.env.PARTITA_WORKLOADS, join(web, "..", "..", "shared", "workloads")].find(
  (folder) => folder && existsSync(folder),
);

const folder = mkdtempSync(join(tmpdir(), "partita-page-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
let reports = 0;

// Runs `partita COMMAND ARGUMENTS --report`: {text, plan, data, url, planFile}; the plan only for the command plan.
export function report(command, ...options) {
  const name = join(folder, String(++reports));
  const outputs = command === "plan" ? ["--output", `${name}.json`] : [];
  const text = execFileSync(program, [command, ...options, "--report", `${name}.html`, ...outputs], {
    cwd: examples,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, COLUMNS: "200" }, // room for every digit
  });
  const page = readFileSync(`${name}.html`, "utf8");
  const data = JSON.parse(page.match(/<script id="data" type="application\/json">(.*?)<\/script>/s)[1]);
  const plan = command === "plan" ? JSON.parse(readFileSync(`${name}.json`, "utf8")) : null;
  return { text, plan, data, url: pathToFileURL(`${name}.html`).href, planFile: `${name}.json` };
}

export function launch() {
  return chromium.launch({
    executablePath: process.env.PARTITA_CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

// Opens a page; `faults` collects what must not happen: errors, warnings, requests for anything but the page itself.
export async function open(browser, url, { width = 1280, height = 900, colorScheme = "light", touch = false } = {}) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme, hasTouch: touch, isMobile: touch });
  const faults = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("request", (request) => request.url() !== url && faults.push(`request: ${request.url()}`));
  await page.goto(url);
  return { page, faults };
}

// The cells of a table of the page, row by row, the header first.
export function cells(page, selector) {
  return page.$eval(selector, (table) =>
    [...table.querySelectorAll("tr")].map((row) => [...row.children].map((cell) => cell.textContent.trim())),
  );
}

// A table of the command line: the lines from one that starts with `first` on, cut where two spaces are.
export function printedTable(text, first) {
  const lines = text.split("\n");
  const begin = lines.findIndex((line) => line.trim().startsWith(first));
  const length = lines.slice(begin).findIndex((line) => !line.includes("  "));
  return lines.slice(begin, begin + length).map((line) => line.replace(/<-.*/, "").trim().split(/ {2,}/));
}

// A module of web/src, as Node can import it.
export async function load(source) {
  const bundled = await build({ absWorkingDir: web, entryPoints: [source], bundle: true, write: false, format: "esm" });
  return import(`data:text/javascript;base64,${Buffer.from(bundled.outputFiles[0].contents).toString("base64")}`);
}
