// SPDX-License-Identifier: Apache-2.0
// Colours: a hue is a device, a grey is what a device does; and devices can be told apart, also by readers who see red
// and green alike. Distances are those of OKLab; how others see is the model of [Machado-TVCG'09] at full strength.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { load, web } from "./support.mjs";

const { deviceColours } = await load("src/colours.ts");

const eyes = {
  usual: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
  tritanopia: [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
};

function linear(colour) {
  return [1, 3, 5].map((at) => {
    const value = parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
}

function oklab([r, g, b]) {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function seen(colour, matrix) {
  const light = linear(colour);
  return oklab(matrix.map((row) => Math.max(0, row[0] * light[0] + row[1] * light[1] + row[2] * light[2])));
}
const distance = (a, b, matrix) => {
  const [first, second] = [seen(a, matrix), seen(b, matrix)];
  return Math.hypot(...first.map((value, i) => value - second[i]));
};
const chroma = (colour) => Math.hypot(...oklab(linear(colour)).slice(1));

// By theme: what the style sheet says of the things that devices do.
function marks() {
  const sheet = readFileSync(join(web, "src", "style", "theme.css"), "utf8");
  return sheet.split(':root[data-theme="dark"]').map((theme) =>
    Object.fromEntries(
      ["compute", "compute-2", "in", "in-stripe", "out", "out-stripe"].map((name) => [
        name,
        theme.match(new RegExp(`--${name}: (#[0-9a-f]{6});`))[1],
      ]),
    ),
  );
}

test("the page and the pictures of the program have the same colours of devices", () => {
  const source = readFileSync(join(web, "..", "partita", "report", "svg.cpp"), "utf8");
  assert.deepEqual(source.match(/"#[0-9a-f]{6}"/g).map((text) => text.slice(1, -1)), [...deviceColours]);
});

test("any two devices can be told apart, neighbours easily, whatever the eyes", () => {
  for (const [name, matrix] of Object.entries(eyes)) {
    deviceColours.forEach((colour, i) => {
      deviceColours.slice(0, i).forEach((other) => {
        assert.ok(distance(colour, other, matrix) > 0.05, `${name}: ${colour} and ${other}`);
      });
      const next = deviceColours[(i + 1) % deviceColours.length];
      assert.ok(distance(colour, next, matrix) > 0.1, `${name}: ${colour} beside ${next}`);
    });
  }
});

test("what a device does is grey, and no device is", () => {
  for (const colour of deviceColours) assert.ok(chroma(colour) > 0.08, colour);
  for (const theme of marks()) {
    for (const colour of Object.values(theme)) assert.ok(chroma(colour) < 0.025, colour);
    // Told apart by lightness alone where a bar is too narrow for its hatch.
    const { compute, in: reading, out, "compute-2": backward } = theme;
    for (const [a, b] of [[compute, reading], [compute, out], [reading, out], [compute, backward]])
      assert.ok(distance(a, b, eyes.usual) > 0.12, `${a} and ${b}`);
    assert.ok(distance(theme["in-stripe"], reading, eyes.usual) > 0.2);
    assert.ok(distance(theme["out-stripe"], out, eyes.usual) > 0.2);
  }
});
