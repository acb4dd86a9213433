#!/usr/bin/env bash
# fio2gnuplot of fio 3.33 gives half the bandwidth of a mixed load, without a word.
#
# Guess before the run: in a log of bandwidth, fio writes a line for reads and one for writes in each
# window, told apart by the third column. A reader that averages the lines gives the mean of the two
# directions, where the disk moved their sum.
# Seen: reads and writes held to 300 a second each of 4 KiB, which fio's own result calls 1200 and
# 1200 KiB/s, are an average of about 1200, and no output of the tool names a direction.
# Versions: fio and fio2gnuplot 3.33-3 (Debian 12's package fio, unpacked, not installed; it
# needs the libraries that the package names).
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get download --quiet fio=3.33-3 >/dev/null
dpkg-deb --extract fio_*.deb fio
bin=$scratch/fio/usr/bin
"$bin/fio" --name=mixed --filename=data --size=8m --rw=randrw --bs=4k --ioengine=psync --runtime=5 \
    --time_based --rate_iops=300,300 --write_bw_log=mixed --log_avg_msec=500 --output-format=json \
    --output=result.json
python3 "$bin/fio2gnuplot" -p 'mixed_bw*.log' -o drawn >said
cat mixed_bw.global
python3 - <<'CHECK'
import glob, json
job = json.load(open("result.json"))["jobs"][0]
moved = job["read"]["bw"] + job["write"]["bw"]
lines = [float(line.split(",")[1]) for name in glob.glob("mixed_bw*.log") for line in open(name)]
values = dict(line.strip().split("=") for line in open("mixed_bw.global"))
average = float(values["avg"])
print(f"fio: {moved} KiB/s in both directions; fio2gnuplot: {average}")
assert abs(average - sum(lines) / len(lines)) < 0.01, (average, lines)
assert average < 0.7 * moved, (average, moved)
print("as seen: the mean of reads and writes, not what was moved")
CHECK
