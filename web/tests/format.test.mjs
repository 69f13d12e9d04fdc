// SPDX-License-Identifier: Apache-2.0
// Numbers are written as the program writes them: the C library rounds ties to even, JavaScript does not.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { load } from "./support.mjs";

const format = await load("src/format.ts");

// Python's % formats as C does.
function printf(cases) {
  const script = "import json, sys\nprint(json.dumps([f % x for f, x in json.load(sys.stdin)]))";
  return JSON.parse(execFileSync("python3", ["-c", script], { input: JSON.stringify(cases), encoding: "utf8" }));
}

// A fixed sequence of numbers of all sizes, and numbers that lie between two others.
function numbers() {
  const list = [
    0, 0.5, 1.25, 2.5, 12.5, 1023.95, 100000.5, 100001.5, 999999.5, 0.1, 1e-5, 1e6, 1.5e21, 2.25, 0.0001, 0.00009999995,
  ];
  let state = 12345;
  for (let i = 0; i < 3000; ++i) {
    state = (state * 1103515245 + 12345) % 2147483648;
    const size = 10 ** ((state % 19) - 7);
    list.push((state / 2147483648) * size, Math.round(state / 1024) / 16, Math.round(state / 65536) / 64);
  }
  return list;
}

test("fixed and significant are printf's %f and %g", () => {
  const values = numbers();
  for (const digits of [1, 3, 6, 7]) {
    const expected = printf(values.map((value) => [`%.${digits}g`, value]));
    values.forEach((value, i) =>
      assert.equal(format.significant(value, digits), expected[i], `%.${digits}g of ${value}`),
    );
  }
  for (const decimals of [0, 1, 4, 9]) {
    const below = values.filter((value) => value < 1e20);
    const expected = printf(below.map((value) => [`%.${decimals}f`, value]));
    below.forEach((value, i) => assert.equal(format.fixed(value, decimals), expected[i], `%.${decimals}f of ${value}`));
  }
});

test("operations are written as plan --explain writes them", () => {
  const cases = { 0: "0 FLOP", 2: "2 FLOP", 999.6e6: "1 GFLOP", 231211008: "231 MFLOP", 8.17e9: "8.17 GFLOP", 2e15: "2 PFLOP" };
  for (const [value, text] of Object.entries(cases)) assert.equal(format.flops(Number(value)), text);
});

test("times of a table share their decimals", () => {
  assert.equal(format.timeFormat(1.82413)(0.327089), "0.32709");
  assert.equal(format.timeFormat(40)(2), "2.0000");
  assert.equal(format.timeFormat(20.529, 5)(7), "7.000");
  assert.equal(format.timeFormat(0)(0), "0");
  assert.equal(format.timeFormat(3e-200)(3e-200), "3.00000e-200");
  assert.equal(format.timeFormat(3e-8)(3e-8), "3.00000e-08");
  assert.equal(format.timeFormat(12345678)(12345678), "12345678");
});

test("bytes have units", () => {
  assert.equal(format.bytes(0), "0 B");
  assert.equal(format.bytes(45), "45 B");
  assert.equal(format.bytes(164368384), "156.8 MiB");
  assert.equal(format.bytes(1024 * 1023.96), "1.0 MiB");
  assert.equal(format.bytes(1.25 * 2 ** 30), "1.2 GiB");
  assert.equal(format.bytes(null), "unlimited");
});

test("a share is never rounded to all or nothing", () => {
  assert.equal(format.percent(0), "0 %");
  assert.equal(format.percent(0.0000001), "< 0.1 %");
  assert.equal(format.percent(0.034), "3.4 %");
  assert.equal(format.percent(0.904), "90 %");
  assert.equal(format.percent(0.993), "99.3 %");
  assert.equal(format.percent(0.99999), "> 99.9 %");
  assert.equal(format.percent(1), "100 %");
});

test("gaps are as on the command line", () => {
  assert.equal(format.gap(0), "0 %");
  assert.equal(format.gap(0.000076), "0.0076 %");
  assert.equal(format.gap(0.0002), "0.02 %");
  assert.equal(format.gap(0.3956), "39.56 %");
});
