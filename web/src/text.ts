// Words in the reader's language, from the message files only.
//
// Numbers reach a message as formatted text (see `format.ts`), because the engine that draws
// figures for `stripewise export` has no `Intl`. Plurals are therefore chosen by text as well:
// `one` or `other` (`plural`), which is all that English and German need.

import { FluentBundle, FluentResource } from "@fluent/bundle";
import german from "../../crates/catalogue/messages/page.de.ftl";
import english from "../../crates/catalogue/messages/page.en.ftl";
import germanLive from "../../crates/catalogue/messages/live.de.ftl";
import englishLive from "../../crates/catalogue/messages/live.en.ftl";

export type Language = "en" | "de";

export const LANGUAGES: Language[] = ["en", "de"];

export type Arguments = Record<string, string>;

/** The words of one language. */
export interface Text {
  language: Language;
  /** Returns the message `id`, or the id itself if there is no such message. */
  say(id: string, args?: Arguments): string;
  /** Returns whether there is a message `id`. */
  has(id: string): boolean;
}

export const SOURCES: Record<Language, string> = {
  en: `${english}\n${englishLive}`,
  de: `${german}\n${germanLive}`,
};

function make(language: Language): Text {
  // Names from outside are isolated where they enter a sentence (`names.ts`); numbers need no
  // isolation.
  const bundle = new FluentBundle(language, { useIsolating: false });
  bundle.addResource(new FluentResource(SOURCES[language]));
  return {
    language,
    has: (id) => bundle.hasMessage(id),
    say(id, args = {}) {
      const pattern = bundle.getMessage(id)?.value;
      return pattern == null ? id : bundle.formatPattern(pattern, args, []);
    },
  };
}

const made = new Map<Language, Text>();

/** Returns the words of `language`. */
export function textOf(language: Language): Text {
  const text = made.get(language) ?? make(language);
  made.set(language, text);
  return text;
}

/** Returns `de` for German in any country, else `en`. */
export function languageOf(tag: string | null | undefined): Language {
  return /^de\b/i.test(tag ?? "") ? "de" : "en";
}

/** Returns the plural form of a count. */
export function plural(count: number): "one" | "other" {
  return count === 1 ? "one" : "other";
}
