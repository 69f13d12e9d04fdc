// SPDX-License-Identifier: Apache-2.0
// Numbers as the command line writes them, to the digit.

// toFixed and toExponential round a number that lies exactly between two others up; C rounds it to the even one.
// `exact` has this many digits more than `rounded`, enough to tell such a tie from a number next to one.
const moreDigits = 40;

function tiesToEven(rounded: string, exact: string): string {
  const kept = exact.slice(0, -moreDigits).replace(/\.$/, "");
  const isTie = /^50*$/.test(exact.slice(-moreDigits));
  return isTie && "02468".includes(kept.slice(-1)) ? kept : rounded;
}

// printf's %.{decimals}f, below 1e21.
export function fixed(value: number, decimals: number): string {
  if (value < 0) return "-" + fixed(-value, decimals);
  return tiesToEven(value.toFixed(decimals), value.toFixed(decimals + moreDigits));
}

// printf's %.{digits}g.
export function significant(value: number, digits = 6): string {
  if (!Number.isFinite(value)) return value > 0 ? "inf" : String(value);
  if (value === 0) return "0";
  if (value < 0) return "-" + significant(-value, digits);
  const [rounded = "", power = "0"] = value.toExponential(digits - 1).split("e");
  const exponent = Number(power);
  if (exponent >= -4 && exponent < digits) return withoutTrailingZeros(fixed(value, digits - 1 - exponent));
  const [exact = ""] = value.toExponential(digits - 1 + moreDigits).split("e");
  const size = String(Math.abs(exponent)).padStart(2, "0");
  return `${withoutTrailingZeros(tiesToEven(rounded, exact))}e${exponent < 0 ? "-" : "+"}${size}`;
}

function withoutTrailingZeros(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

// The unit of the page's times: "ms"; "" where nobody said. main.ts sets it once.
let unit = "";
export function useTimeUnit(name: string): void {
  unit = name;
}

// A number that is a time, with its unit: "1.82413 ms".
export function withUnit(number: string): string {
  return unit === "" ? number : `${number} ${unit}`;
}

// What the numbers below a title are: "cost [ms]", as time_heading in the program writes it.
export function titleWithUnit(title: string): string {
  return unit === "" ? title : `${title} [${unit}]`;
}

// For sentences above a table or a picture whose numbers stand alone: ", in ms".
export function inUnit(): string {
  return unit === "" ? "" : `, in ${unit}`;
}

const unitSeconds: Record<string, number> = { s: 1, ms: 1e-3, us: 1e-6, "\u00b5s": 1e-6, "\u03bcs": 1e-6, ns: 1e-9 };

// "548 samples/s"; "" where the unit says nothing about seconds.
export function rate(timePerSample: number): string {
  const length = timePerSample * (unitSeconds[unit] ?? 0);
  if (!(length > 0)) return "";
  const each = 1 / length;
  return `${each >= 99.95 && each < 1e9 ? fixed(each, 0) : significant(each, 3)} samples/s`;
}

// A single time.
export function time(value: number | null): string {
  return value === null ? "none" : withUnit(significant(value));
}

// printf's %.{decimals}e: exponents have two digits at least.
function exponential(value: number, decimals: number): string {
  return value.toExponential(decimals).replace(/e([+-])(\d)$/, "e$10$2");
}

// The times of one table share their decimals: enough for so many digits of the largest (TimeFormat in
// partita/check/text_table.cpp).
export function timeFormat(largest: number, digits = 6): (time: number) => string {
  const known = largest > 0 && Number.isFinite(largest);
  const beforePoint = known ? Math.floor(Math.log10(largest)) + 1 : digits;
  if (beforePoint < -6 || beforePoint > 15) return (value) => exponential(value, digits - 1);
  const decimals = Math.min(Math.max(digits - beforePoint, 0), 9);
  return (value) => fixed(value, decimals);
}

// human_bytes in partita/check/names.cpp; null is no limit.
export function bytes(value: number | null): string {
  if (value === null) return "unlimited";
  if (Math.abs(value) < 1024) return `${significant(value, 4)} B`;
  const units = ["KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  let rest = value / 1024;
  while (Math.abs(rest) >= 1023.95 && unit + 1 < units.length) {
    rest /= 1024;
    ++unit;
  }
  return `${fixed(rest, 1)} ${units[unit]}`;
}

// flops_text in partita/report/explain_text.cpp: "231 MFLOP".
export function flops(value: number): string {
  const units: [string, number][] = [["PFLOP", 1e15], ["TFLOP", 1e12], ["GFLOP", 1e9], ["MFLOP", 1e6], ["kFLOP", 1e3]];
  const [name, size] = units.find(([, least]) => value >= 0.9995 * least) ?? ["FLOP", 1];
  return `${significant(value / size, 3)} ${name}`;
}

// A share of one, for sentences: "90 %", "0.3 %". Never "100 %" of what is less, nor "0 %" of more than nothing.
export function percent(share: number): string {
  const hundredths = share * 100;
  if (share > 0 && hundredths < 0.1) return "< 0.1 %";
  if (share < 1 && hundredths > 99.9) return "> 99.9 %";
  const coarse = hundredths >= 9.95 && (hundredths <= 99 || share >= 1);
  return `${coarse ? fixed(hundredths, 0) : withoutTrailingZeros(fixed(hundredths, 1))} %`;
}

// A gap, as `percent` in app/partita/progress_view.cpp writes it.
export function gap(fraction: number): string {
  const hundredths = 100 * fraction;
  if (hundredths === 0) return "0 %";
  return `${hundredths >= 0.01 ? fixed(hundredths, 2) : significant(hundredths, 2)} %`;
}

// Wall time, as `seconds_text` in partita/report/compare_text.cpp writes it.
export function seconds(value: number): string {
  if (value < 0.0995) return `${significant(1000 * value, 2)} ms`;
  return `${fixed(value, value < 9.995 ? 2 : 1)} s`;
}

// "1 node", "1,512 nodes".
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${count === 1 ? noun : noun + "s"}`;
}
