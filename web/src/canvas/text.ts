// SPDX-License-Identifier: Apache-2.0
// Text that fits. Widths are measured once for each font and character: exact enough, and far faster than the canvas.

const widths = new Map<string, Map<string, number>>();

export function textWidth(context: CanvasRenderingContext2D, text: string): number {
  let known = widths.get(context.font);
  if (known === undefined) widths.set(context.font, (known = new Map()));
  let sum = 0;
  for (const character of text) {
    let width = known.get(character);
    if (width === undefined) known.set(character, (width = context.measureText(character).width));
    sum += width;
  }
  return sum;
}

// The text, or as much of its beginning as has room, with an ellipsis; "" where nothing would be left.
export function shortened(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (textWidth(context, text) <= room) return text;
  let end = text.length;
  while (end > 0 && textWidth(context, text.slice(0, end) + "…") > room) --end;
  return end === 0 ? "" : text.slice(0, end).trimEnd() + "…";
}

// "accelerator 2", "accelerator 2: compute" where there is no room for it: "A2", "A2: compute".
export function initials(name: string): string {
  const [word, ...rest] = name.split(" ");
  return (word ?? "").slice(0, 1).toUpperCase() + rest.join(" ");
}

// The beginning of a text that has room, at least a character.
function headOf(context: CanvasRenderingContext2D, text: string, room: number): string {
  let end = text.length;
  while (end > 1 && textWidth(context, text.slice(0, end)) > room) --end;
  return text.slice(0, end);
}

// Up to `most` lines, broken behind the separators of names where that is possible. The end of a name tells more than
// its beginning, so what has no room is cut at the front.
export function wrapped(context: CanvasRenderingContext2D, text: string, room: number, most: number): string[] {
  const lines: string[] = [];
  for (const part of text.match(/[^/._:\-\s]*[/._:\-\s]?/g) ?? []) {
    const last = lines[lines.length - 1];
    if (last !== undefined && textWidth(context, last + part) <= room) lines[lines.length - 1] = last + part;
    else
      for (let rest = part; rest !== ""; rest = rest.slice(lines[lines.length - 1]!.length))
        lines.push(headOf(context, rest, room));
  }
  const kept = lines.slice(-most);
  if (kept.length < lines.length) kept[0] = "…" + kept[0]!;
  return kept.map((line) => shortened(context, line, room));
}

export function roundedBox(
  context: CanvasRenderingContext2D, left: number, top: number, width: number, height: number, radius: number,
): void {
  const r = Math.min(radius, width / 2, height / 2);
  context.beginPath();
  context.moveTo(left + r, top);
  context.arcTo(left + width, top, left + width, top + height, r);
  context.arcTo(left + width, top + height, left, top + height, r);
  context.arcTo(left, top + height, left, top, r);
  context.arcTo(left, top, left + width, top, r);
  context.closePath();
}
