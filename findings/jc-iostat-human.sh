#!/usr/bin/env bash
# jc 1.26.1 reads the disks of `iostat -h` as processors, and ends with 0.
#
# Guess before the run: `-h` of sysstat puts the name of the device last, so the word that tells
# jc where a table of devices begins is not the first of its line.
# Seen: the row of each device is an entry of type "cpu": 159.13 transfers a second come out as
# "percent_user": 159.13, and no entry names a device. `iostat` without -h is read rightly.
# Versions: jc 1.26.1 (PyPI), sysstat 12.6.1-1 (Debian 12; only for its format, shown below).
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet jc==1.26.1

# `LC_ALL=C iostat -h`, and `LC_ALL=C iostat` of the same counters.
cat >"$scratch/human" <<'TABLE'
Linux 6.1.0 (host) 	11/28/26 	_x86_64_	(2 CPU)

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          53.7%    4.6%   11.7%    0.5%    0.2%   29.3%

      tps    kB_read/s    kB_wrtn/s    kB_dscd/s    kB_read    kB_wrtn    kB_dscd Device
   159.13         3.9M         7.8M      1003.7k       1.6G       3.3G     428.2M sda

TABLE
cat >"$scratch/plain" <<'TABLE'
Linux 6.1.0 (host) 	11/28/26 	_x86_64_	(2 CPU)

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
          53.65    4.62   11.68    0.49    0.21   29.35

Device             tps    kB_read/s    kB_wrtn/s    kB_dscd/s    kB_read    kB_wrtn    kB_dscd
sda             159.13      3954.86      7997.40      1002.72    1729737    3429036     438560

TABLE
"$scratch/venv/bin/jc" --iostat <"$scratch/human" >"$scratch/human.json"
"$scratch/venv/bin/jc" --iostat <"$scratch/plain" >"$scratch/plain.json"
cat "$scratch/human.json" "$scratch/plain.json"
python3 - "$scratch/human.json" "$scratch/plain.json" <<'CHECK'
import json, sys
human, plain = (json.load(open(path)) for path in sys.argv[1:])
assert [row["type"] for row in plain] == ["cpu", "device"], plain
assert all(row["type"] == "cpu" for row in human), human
assert any(row["percent_user"] == 159.13 for row in human), human
print("as seen: no device, and a processor that is 159.13 % busy")
CHECK
