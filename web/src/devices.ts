// SPDX-License-Identifier: Apache-2.0
// What devices are called, and in which order they come: in every view as in the table of loads. Where several devices
// share a stage, one of them is the original, the others run copies of it, and the stage is named after all of them.
import type { DeviceLoad, Page } from "./data";

export function isCopy(load: DeviceLoad): boolean {
  return load.copyOf !== null && load.copyOf !== load.device;
}

// "0,3-5" of numbers in rising order; a long list is cut.
export function rangesText(numbers: readonly number[]): string {
  const rangesShown = 8;
  const ranges: string[] = [];
  let first = 0;
  numbers.forEach((number, i) => {
    if (numbers[i + 1] === number + 1) return;
    ranges.push(first === i ? `${number}` : `${numbers[first]}-${number}`);
    first = i + 1;
  });
  return ranges.length > rangesShown ? ranges.slice(0, rangesShown).join(",") + ",..." : ranges.join(",");
}

// What a device is called among those of its class.
function numberInClass(page: Page, device: number): number {
  const own = page.devices[device]?.class;
  return page.devices.slice(0, device).filter((other) => other.class === own).length;
}

interface Roster {
  sharers: Map<number, number[]>; // by original, where it has copies: it and they, ascending
  original: Map<number, number>; // of each copy
  place: Map<number, number>; // of each device in the table
}

const rosters = new WeakMap<Page, Roster>();

function rosterOf(page: Page): Roster {
  const known = rosters.get(page);
  if (known !== undefined) return known;
  const roster: Roster = { sharers: new Map(), original: new Map(), place: new Map() };
  (page.plan?.loads ?? []).forEach((load, place) => {
    roster.place.set(load.device, place);
    if (!isCopy(load) || load.copyOf === null) return;
    roster.original.set(load.device, load.copyOf);
    roster.sharers.set(load.copyOf, [...(roster.sharers.get(load.copyOf) ?? [load.copyOf]), load.device]);
  });
  for (const devices of roster.sharers.values()) devices.sort((a, b) => a - b);
  rosters.set(page, roster);
  return roster;
}

// The device that stands for the stage: itself, but for a copy.
export function originalOf(page: Page, device: number): number {
  return rosterOf(page).original.get(device) ?? device;
}

// "accelerator 2"; where its stage has copies "gpu 0-2 x3", as on the command line (partita/check/describe.cpp).
export function stageName(page: Page, device: number): string {
  const sharers = rosterOf(page).sharers.get(originalOf(page, device));
  if (sharers === undefined) return page.devices[device]?.name ?? (device < 0 ? "no device" : `device ${device}`);
  const numbers = sharers.map((each) => numberInClass(page, each));
  return `${page.classes[page.devices[device]?.class ?? 0]} ${rangesText(numbers)} x${numbers.length}`;
}

// "copy 2 of 3"; "" where the device has its stage for itself.
export function copyText(page: Page, device: number): string {
  const sharers = rosterOf(page).sharers.get(originalOf(page, device));
  return sharers === undefined ? "" : `copy ${sharers.indexOf(device) + 1} of ${sharers.length}`;
}

// As in the table; those that are not in it come last, by number.
export function inOrder(page: Page, devices: readonly number[]): number[] {
  const { place } = rosterOf(page);
  return [...devices].sort((a, b) => (place.get(a) ?? Infinity) - (place.get(b) ?? Infinity) || a - b);
}
