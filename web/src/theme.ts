// SPDX-License-Identifier: Apache-2.0
// Light or dark: as the system asks, until the reader chooses; paper is always light. The choice is kept where the
// browser allows it.
import type { Bus, Theme } from "./bus";
import { html } from "./dom";

const key = "partita-theme";

function chosen(): Theme | null {
  try {
    const stored = localStorage.getItem(key);
    return stored === "light" || stored === "dark" ? stored : null;
  } catch {
    return null; // some browsers have no storage for files
  }
}

function keep(theme: Theme): void {
  try {
    localStorage.setItem(key, theme);
  } catch {
    // then it holds until the page is closed
  }
}

// Sets the theme, and returns the button that switches it.
export function makeThemeToggle(bus: Bus): HTMLButtonElement {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const paper = matchMedia("print");
  const button = html("button", { type: "button", class: "theme-toggle" });
  let theme: Theme = "light";
  let choice = chosen();

  const apply = (): void => {
    theme = paper.matches ? "light" : (choice ?? (system.matches ? "dark" : "light"));
    document.documentElement.dataset["theme"] = theme;
    button.textContent = theme === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to ${theme === "dark" ? "light" : "dark"} colours`);
    bus.emit("theme", theme);
  };
  system.addEventListener("change", apply);
  paper.addEventListener("change", apply);
  button.addEventListener("click", () => {
    choice = theme === "dark" ? "light" : "dark";
    keep(choice);
    apply();
  });
  apply();
  return button;
}
