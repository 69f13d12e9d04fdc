// SPDX-License-Identifier: Apache-2.0
// Makes one page of src/: style and script inside it, and a place for the data.
//   node build.mjs [FILE]    writes FILE, by default dist/page.html
// The same sources give the same bytes: nothing in the page depends on the time, the folder or the machine.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2] ? resolve(process.argv[2]) : join(root, "dist", "page.html");

const bundled = await build({
  absWorkingDir: root,
  entryPoints: { script: "src/main.ts", style: "src/style/page.css" },
  outdir: "out",
  bundle: true,
  write: false,
  minify: true,
  charset: "utf8",
  lineLimit: 160, // so that a change shows as a change of some lines
  target: "es2020",
  format: "iife",
  legalComments: "none",
  logLevel: "warning",
});

const output = (ending) => bundled.outputFiles.find((file) => file.path.endsWith(ending)).text.trim();
let page = await readFile(join(root, "src", "page.html"), "utf8");
for (const [place, text] of [["/*style*/", output(".css")], ["/*script*/", output(".js")]]) {
  if (page.split(place).length !== 2) throw new Error(`src/page.html must hold ${place} once`);
  page = page.replace(place, () => text);
}
await mkdir(dirname(target), { recursive: true });
await writeFile(target, page);
console.log(`${target}: ${(page.length / 1024).toFixed(1)} KiB`);
