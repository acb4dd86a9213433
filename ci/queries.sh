#!/usr/bin/env bash
# Runs the queries of docs/history-fleet.md on folders that the program wrote: with DuckDB, polars and pandas,
# which are installed into a temporary folder. `make soak` calls it. STRIPEWISE names the program.
set -euo pipefail

program=${STRIPEWISE:-target/release/stripewise}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if ! python3 -m venv "$folder/venv" ||
    ! "$folder/venv/bin/pip" install --quiet --only-binary :all: duckdb polars pandas pyarrow; then
    echo "SKIPPED: queries of other programs: python3-venv, duckdb, polars, pandas or pyarrow cannot be installed"
    exit 0
fi

store=$folder/store.db
for host in 1 2; do
    "$program" run --world model --device sata-ssd --workload randread:4K --quiet --store "$store" >/dev/null
    "$program" rename "$host" --tag "host=web$host" --quiet --store "$store"
done
"$program" export 1 2 --rows sketches --partition-by date,host -o "$folder/sketches" --store "$store"
"$program" export 1 2 --partition-by date,host -o "$folder/runs" --store "$store"
"$program" import export "$folder/runs" --quiet --store "$folder/back.db" >/dev/null

# The blocks of the page, with this folder in place of that of the page.
block() {
    awk -v fence="\`\`\`$1" '$0 == fence { inside = 1; next } /^```/ { inside = 0 } inside' docs/history-fleet.md |
        sed "s|/srv/sketches|$folder/sketches|"
}
{
    echo "import duckdb, polars as pl, pandas as pd"
    echo "rows = duckdb.sql('''$(block sql)''').fetchall()"
    echo "assert sorted(row[0] for row in rows) == ['web1', 'web2'], rows"
    block python | sed 's|^pl\.|of_polars = pl.|; s|^pd\.|of_pandas = pd.|'
    echo "assert len(of_polars) == 2 and len(of_pandas) == 2, (of_polars, of_pandas)"
    echo "assert sorted(of_pandas) == sorted(row[3] for row in rows), (of_pandas, rows)"
    echo "print('duckdb, polars and pandas read', len(rows), 'sketches')"
} >"$folder/queries.py"
"$folder/venv/bin/python" "$folder/queries.py"
