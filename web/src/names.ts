// Names from outside (studies, stacks, devices, processes), made safe for a sentence or a chart.
// They may contain anything: markup, control characters, marks that turn the reading direction, ten
// thousand letters. Markup is harmless, because nothing here is ever parsed as HTML.

const CONTROL = /[\u0000-\u001f\u007f-\u009f]+/g;
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/;

/** Returns `text` without control characters and without marks of direction. */
export function clean(text: string): string {
  return text.replace(CONTROL, " ").replace(DIRECTION, "").trim();
}

/** Returns `text` with at most `length` characters; a longer text loses its middle. */
export function shorten(text: string, length: number): string {
  const characters = text.length > length ? Array.from(text) : [];
  if (characters.length <= length) return text;
  const head = Math.ceil((length - 1) * 0.6);
  const tail = length - 1 - head;
  return `${characters.slice(0, head).join("")}…${tail > 0 ? characters.slice(-tail).join("") : ""}`;
}

/** Returns a name for a chart or a list: clean, and of at most `length` characters. */
export function label(name: string, length = 28): string {
  // The chart library reads `{style|text}` in tooltips; a word joiner behind the brace stops it.
  return isolated(shorten(clean(name), length).replace(/\{/g, "{\u2060"));
}

/** Returns a name for a sentence; a right-to-left name cannot reorder the words around it. */
export function inSentence(name: string, length = 80): string {
  return isolated(shorten(clean(name), length));
}

function isolated(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}
