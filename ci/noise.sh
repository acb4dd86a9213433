#!/usr/bin/env bash
# Records runs of fio that do the same thing again and again: what `explain` must not name a cause for.
#
#   ci/noise.sh RUNS FOLDER >crates/diagnose/tests/noise.txt     RUNS runs of each load in FOLDER, in turn
#
# Prints a line for each run: its load, its bandwidth, and the mean, the deviation and the number of the
# bandwidths that fio took over time. Needs fio, python3, and 64 MiB in FOLDER.
set -euo pipefail
[ $# -eq 2 ] || { sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2; exit 2; }
runs=$1 file=$2/noise.file
trap 'rm -f "$file"' EXIT
loads=("randread psync" "randwrite psync" "write psync" "randwrite-fsync psync")
echo "# Made by ci/noise.sh $runs FOLDER, $(fio --version), Linux $(uname -r | cut -d- -f1)"
echo "# load bw_bytes bw_mean bw_dev bw_samples"
for ((run = 0; run < runs; run++)); do
    for load in "${loads[@]}"; do
        read -r name engine <<<"$load"
        options=(--rw="${name%-fsync}" --bs=4k)
        [ "$name" != write ] || options=(--rw=write --bs=1m)
        [ "${name%-fsync}" = "$name" ] || options+=(--fsync=1)
        fio --name=noise --filename="$file" --size=64m --direct=1 --ioengine="$engine" --time_based \
            --runtime=3 --randseed="$((run + 1))" "${options[@]}" --output-format=json |
            python3 -c 'import json, sys
job = json.load(sys.stdin)["jobs"][0]
side = job["read"] if job["read"]["total_ios"] else job["write"]
print(sys.argv[1], side["bw_bytes"], round(side["bw_mean"], 1), round(side["bw_dev"], 1), side["bw_samples"])' "$name"
    done
done
