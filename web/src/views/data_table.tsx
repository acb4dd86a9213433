// A table of formatted texts, paged if it is long.

import { useState } from "preact/hooks";
import type { Table } from "../charts/figure";
import { Pager } from "./pager";

const ROWS = 100;

export function DataTable({ caption, table }: { caption: string; table: Table }) {
  const [wanted, setPage] = useState(0);
  const pages = Math.max(1, Math.ceil(table.rows.length / ROWS));
  const page = Math.min(wanted, pages - 1);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {table.heads.map((head, index) => (
              <th key={index} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.slice(page * ROWS, (page + 1) * ROWS).map((row, index) => (
            <tr key={index}>
              {row.map((value, column) => (
                <td key={column} dir="auto">
                  {value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <Pager page={page} pages={pages} onPage={setPage} />
    </div>
  );
}
