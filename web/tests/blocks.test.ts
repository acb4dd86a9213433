// The failure: a page with a script and one without show different things of one answer. Rust wrote
// blocks of every kind, and how it draws them; ours must have the same elements, classes and words.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Fragment, type ComponentChildren, type VNode } from "preact";

import { textOf } from "../src/text";
import { drawn } from "../src/views/blocks";
import { blocks, html } from "./golden/blocks";

function escaped(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
}

/** Returns elements as HTML, with their classes and paths. */
function written(node: ComponentChildren): string {
  if (node === null || node === undefined || typeof node === "boolean") return "";
  if (Array.isArray(node)) return node.map(written).join("");
  if (typeof node !== "object") return escaped(String(node));
  const { type, props } = node as VNode<{ class?: string; d?: string; children?: ComponentChildren }>;
  const inner = written(props.children);
  if (type === Fragment) return inner;
  const attribute = (name: "class" | "d") => (props[name] === undefined ? "" : ` ${name}="${props[name]}"`);
  return `<${String(type)}${attribute("class")}${attribute("d")}>${inner}</${String(type)}>`;
}

/** Returns what Rust wrote, in English, without other attributes and with our rank of headings. */
function normal(html: string): string {
  return html
    .replace(/<(span|text) class="say" lang="de"[^>]*>.*?<\/\1>/g, "")
    .replace(/<span class="say" lang="en">(.*?)<\/span>/g, "$1")
    .replace(/<text class="say"/g, "<text")
    .replace(/ (?!class=|d=)[a-zA-Z-]+="[^"]*"/g, "")
    .replace(/<path([^>]*)\/>/g, "<path$1></path>")
    .replace(/(<\/?)h[23]>/g, "$1h4>")
    .replace(/\n/g, "")
    .replace(/&quot;/g, '"');
}

test("both pages draw the same blocks", () => {
  const ours = written(drawn(blocks, textOf("en"))).replace(/\n/g, "").replace(/\u00a0/g, " ");
  assert.equal(ours, normal(html));
  assert.match(ours, /&lt;b&gt;/, "names stay text");
});

test("both languages have words for each message in blocks", () => {
  const german = written(drawn(blocks, textOf("de")));
  assert.doesNotMatch(german, />(machine|facts|view|column)-[a-z-]+</);
  assert.notEqual(german, written(drawn(blocks, textOf("en"))));
});
