// Words in the reader's language, from the message files only, which the terminal has as well. Rust hands
// them over beside the page, so that no script changes with a sentence.
//
// Sentences come as messages: Rust names the entry and the values of its variables, rounded; `tell`
// renders them as `crates/catalogue/src/message.rs` does.
//
// Numbers reach a message as formatted text (see `format.ts`), because the engine that draws
// figures for `stripewise export` has no `Intl`. Plurals are therefore chosen by text as well:
// `one` or `other` (`plural`), which is all that English and German need.

import { FluentBundle, FluentResource } from "@fluent/bundle";
import { inWords } from "./format";
import type { Argument, Message } from "./generated";
import { inSentence } from "./names";

export type Language = "en" | "de";

export const LANGUAGES: Language[] = ["en", "de"];

export type Arguments = Record<string, string>;

/** The words of one language. */
export interface Text {
  language: Language;
  /** Returns the message `id`, or the id itself if there is no such message. */
  say(id: string, args?: Arguments): string;
  /** Returns a message of Rust's in words. */
  tell(message: Message): string;
  /** Returns a value of Rust's in words. */
  show(value: Argument): string;
  /** Returns whether there is a message `id`. */
  has(id: string): boolean;
}

/** The messages where there is no document. */
declare const messagesJson: string | undefined;

/** Returns the messages of a language. Throws an `Error` if they did not come with the page. */
function sourceOf(language: Language): string {
  const json = typeof document === "undefined" ? messagesJson : document.getElementById("messages")?.textContent;
  const sources = JSON.parse(json ?? "{}") as Partial<Record<Language, string>>;
  const source = sources[language];
  if (source === undefined) throw new Error(`the page has no messages in the language \`${language}\``);
  return source;
}

/** Stands for a backtick in a name (`crates/catalogue/src/words.rs`). */
export const NAME_TICK = "\ue060";

/** Returns a name whose backticks mark no code, unless they stand around all of it. */
function markedName(name: string): string {
  return /^`[^`]*`$/.test(name) ? name : name.replace(/`/g, NAME_TICK);
}

function make(language: Language): Text {
  // Names from outside are isolated where they enter a sentence (`names.ts`); numbers need no
  // isolation.
  const bundle = new FluentBundle(language, { useIsolating: false });
  // No line ends between a number and its per cent sign.
  bundle.addResource(new FluentResource(sourceOf(language).replace(/ %/g, "\u00a0%")));
  const text: Text = {
    language,
    has: (id) => bundle.hasMessage(id),
    show: (value) => argumentWords(value, text),
    say(id, args = {}) {
      const pattern = bundle.getMessage(id)?.value;
      return pattern == null ? id : bundle.formatPattern(pattern, args, []);
    },
    tell({ id, args = {}, is_sentence }) {
      const values: Arguments = {};
      for (const [name, value] of Object.entries(args)) {
        values[name] = "count" in value ? plural(value.count) : argumentWords(value, text);
        if ("count" in value) values[`${name}_text`] = String(value.count);
      }
      const words = text.say(id, values);
      return is_sentence ? capital(words) : words;
    },
  };
  return text;
}

/** Returns a message or a value with `clean` applied to each name in it. */
function withNames<T>(value: T, clean: (name: string) => string): T {
  const json = JSON.stringify(value, (key, part: unknown) => (key === "name" && typeof part === "string" ? clean(part) : part));
  return JSON.parse(json) as T;
}

/** Returns the same words where what stands between backticks is code: those of a name are `NAME_TICK`. */
export function marked(text: Text): Text {
  return {
    ...text,
    tell: (message) => text.tell(withNames(message, markedName)),
    show: (value) => text.show(withNames(value, markedName)),
  };
}

/** A name in a sentence has at most so many characters. */
const NAME_MAX = 200;

/** Returns a value of a message in words; a value that is a name has at most so many characters. */
export function argumentWords(value: Argument, text: Text, length = NAME_MAX): string {
  if ("name" in value) return inSentence(value.name, length);
  if ("digits" in value) return inWords(value.digits, text.language);
  if ("count" in value) return String(value.count);
  if ("message" in value) return text.tell(value.message);
  if ("quantity" in value) return `${inWords(value.quantity.digits, text.language)} ${value.quantity.unit}`.replace(/ /g, "\u00a0");
  if ("words" in value) return value.words.map((item) => argumentWords(item, text)).join(" ");
  const words = value.list.items.map((item) => argumentWords(item, text));
  const last = value.list.and && words.length > 1 ? words.pop() : undefined;
  return last === undefined ? words.join(", ") : text.say("list-and", { list: words.join(", "), last });
}

/** Returns words that begin with a capital. */
export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
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
export function plural(count: number): "zero" | "one" | "other" {
  return count === 0 ? "zero" : count === 1 ? "one" : "other";
}
