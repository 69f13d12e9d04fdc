// SPDX-License-Identifier: Apache-2.0
// The controls of the cursor: a slider over the whole run, and a button that lets it run by itself.
import { button } from "../canvas/controls";
import { html } from "../dom";
import { significant } from "../format";

const steps = 10000; // of the slider

export interface Player {
  element: HTMLElement;
  readonly playing: boolean;
  show(time: number): void; // moves the slider
  toggle(): void;
  stop(): void;
}

// `moveTo` is told where the reader puts the slider, `changed` that it has begun or stopped to play.
export function createPlayer(extent: number, moveTo: (time: number) => void, changed: () => void): Player {
  let playing = false;
  const play = button("Play (space)", "", () => toggle());
  play.classList.add("timeline-play");
  const slider = html("input", {
    type: "range", class: "timeline-slider", min: 0, max: steps, step: 1, value: 0, "aria-label": "Time",
  });
  slider.addEventListener("input", () => moveTo((Number(slider.value) / steps) * extent));

  function tell(): void {
    play.textContent = playing ? "Pause" : "Play";
    play.setAttribute("aria-label", playing ? "Pause (space)" : "Play (space)");
  }
  function set(value: boolean): void {
    if (playing === value) return;
    playing = value;
    tell();
    changed();
  }
  function toggle(): void {
    set(!playing);
  }
  tell();
  return {
    element: html("div", { class: "timeline-player" }, play, slider),
    get playing() {
      return playing;
    },
    show(time) {
      slider.value = String(Math.round((time / extent) * steps));
      slider.setAttribute("aria-valuetext", significant(time, 6));
    },
    toggle,
    stop: () => set(false),
  };
}
