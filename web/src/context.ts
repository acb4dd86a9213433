// The reader's choices: language and colours. They apply to the whole page, and to the next visit
// if the browser stores them (a file opened from disk often may not store anything).

import { useEffect, useReducer } from "preact/hooks";
import { THEMES, type Theme, type ThemeName } from "./charts/theme";
import { languageOf, textOf, type Language, type Text } from "./text";

export type ThemeChoice = "auto" | ThemeName;

const LANGUAGE_KEY = "stripewise-language";
const THEME_KEY = "stripewise-theme";

const state: { language: Language; theme: ThemeChoice } = { language: "en", theme: "auto" };
const listeners = new Set<() => void>();

function changed(): void {
  apply();
  for (const listener of listeners) listener();
}

function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function store(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Not stored; the page works without it.
  }
}

function apply(): void {
  const root = document.documentElement;
  root.lang = state.language;
  root.dataset.theme = themeName();
}

function prefersDark(): MediaQueryList {
  return matchMedia("(prefers-color-scheme: dark)");
}

function themeName(): ThemeName {
  return state.theme === "auto" ? (prefersDark().matches ? "dark" : "light") : state.theme;
}

/** Reads the stored choices, or the defaults of the page and the browser. */
export function begin(): void {
  const asked = document.documentElement.dataset.language;
  state.language = languageOf(asked || stored(LANGUAGE_KEY) || navigator.language);
  const theme = stored(THEME_KEY);
  state.theme = theme === "light" || theme === "dark" ? theme : "auto";
  prefersDark().addEventListener("change", changed);
  apply();
}

export function chooseLanguage(language: Language): void {
  state.language = language;
  store(LANGUAGE_KEY, language);
  changed();
}

export function chooseTheme(theme: ThemeChoice): void {
  state.theme = theme;
  store(THEME_KEY, theme);
  changed();
}

function useState(): typeof state {
  const [, again] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const listener = () => again(undefined as never);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return state;
}

/** Returns the words in the reader's language. */
export function useText(): Text {
  return textOf(useState().language);
}

/** Returns the colours of figures. */
export function useTheme(): Theme {
  useState();
  return THEMES[themeName()];
}

/** Returns the reader's choices, for the controls that change them. */
export function useChoices(): { language: Language; theme: ThemeChoice } {
  return useState();
}
