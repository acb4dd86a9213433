# Makes the small files of other programs that crates/export/tests/it/columns.rs reads: `python make.py .`
# with duckdb, pandas, polars and pyarrow.
import datetime, decimal, sys
import duckdb, pandas as pd, polars as pl, pyarrow as pa, pyarrow.parquet as pq
out = sys.argv[1]
hosts = [f"web{i % 3}" for i in range(6)]
days = [datetime.date(2026, 11, 1 + i // 3) for i in range(6)]
times = [datetime.datetime(2026, 11, 1 + i // 3, 3, i) for i in range(6)]
values = [100.5, None, 102.5, 103.5, 104.5, 105.5]
counts = [1, 2, 3, 4, 5, 2**63 + 6]
frame = pd.DataFrame({"host": hosts, "date": days, "time": times, "value": values})
frame.to_parquet(f"{out}/pandas.parquet", index=False)
pl.DataFrame({"host": pl.Series(hosts, dtype=pl.Categorical), "date": days, "time": times, "value": values,
    "count": pl.Series(counts, dtype=pl.UInt64)}).write_parquet(f"{out}/polars.parquet")
duckdb.sql(f"COPY (SELECT host, date::DATE AS date, time, value::DECIMAL(20,2) AS value, (value * 10)::DECIMAL(8,1) AS small FROM frame) TO '{out}/duckdb.parquet' (FORMAT parquet)")
duckdb.sql(f"COPY (SELECT host, value FROM frame) TO '{out}/duckdb-brotli.parquet' (FORMAT parquet, COMPRESSION brotli)")
table = pa.table({"host": pa.array(hosts).dictionary_encode(), "date": days,
    "time": pa.array(times, pa.timestamp("ns", tz="UTC")), "value": pa.array(values, pa.float32())})
for packing in ["gzip", "zstd", "none", "lz4"]:
    pq.write_table(table, f"{out}/arrow-{packing}.parquet", compression=packing, data_page_version="2.0" if packing == "zstd" else "1.0")
pq.write_table(pa.table({"host": hosts, "time": pa.array(times, pa.timestamp("us")), "value": [[1.0]] * 6}), f"{out}/arrow-odd.parquet", use_deprecated_int96_timestamps=True)
