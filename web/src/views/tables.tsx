// Tables and sentences of an answer, as the terminal prints them.

import { useText } from "../context";
import type { Argument, Block, Message, Table } from "../generated";
import { argumentWords, type Text } from "../text";
import type { Table as Texts } from "../charts/figure";
import { DataTable } from "./data_table";
import type { Kind, ViewNamed } from "./kinds";
import { Quoted } from "./quoted";

export const blocksKind: Kind<ViewNamed<"blocks">> = {
  title: (_page, view, text) => text.tell(view.title),
  Component({ view }) {
    const text = useText();
    return (
      <>
        <h2>{text.tell(view.title)}</h2>
        {view.blocks.map((block, index) => (
          <One key={index} title={view.title} block={block} />
        ))}
      </>
    );
  },
};

function One({ title, block }: { title: Message; block: Block }) {
  const text = useText();
  if (block === "gap") return null;
  if ("sentence" in block) return (
      <p class="says">
        <Quoted words={block.sentence.parts.map((part) => argumentWords(part, text)).join(" ")} />
      </p>
    );
  if ("table" in block) return <DataTable caption={text.tell(title)} table={textsOf(block.table, text)} />;
  return null;
}

/** Returns a table of an answer as texts, without its bars. */
function textsOf(table: Table, text: Text): Texts {
  const words = (argument: Argument | null) => (argument === null ? "" : argumentWords(argument, text));
  const shown = table.columns.map((column, index) => ({ column, index })).filter(({ column }) => column.kind !== "bar");
  return {
    heads: shown.map(({ column }) => words(column.head)),
    rows: table.rows.map((row) => shown.map(({ index }) => words(row.cells[index]?.shown ?? null))),
  };
}
