#!/usr/bin/env bash
# genfio of fio 3.33 promises 4 seconds for a job file that it writes to take 24.
#
# Guess before the run: the estimate is runtime x steps, but the file has a ramp_time of 5 seconds, which
# fio adds to the runtime of each step.
# Seen: "Estimated Time = 4 seconds" for two modes and two block sizes with -r 1; fio takes 24
# seconds and a little. The shorter the runtime, the larger the error: 500 % at 1 second.
# Version: genfio and fio 3.33-3 (Debian 12's package fio, unpacked, not installed; it needs the
# libraries that the package names).
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get download --quiet fio=3.33-3 >/dev/null
dpkg-deb --extract fio_*.deb fio
bin=$scratch/fio/usr/bin
bash "$bin/genfio" -d "$scratch/a,$scratch/b" -z 4m -b 4k,128k -r 1 -p -m read,randwrite >said
job=$(ls ./*.fio)
grep -e 'Estimated' said
grep -e ramp_time -e runtime "$job"
began=$SECONDS
"$bin/fio" --minimal "$job" >/dev/null
took=$((SECONDS - began))
echo "took $took seconds"
grep -q 'Estimated Time = 4 seconds' said
grep -qx 'ramp_time=5' "$job"
[ "$took" -ge 24 ]
echo "as seen: 6 times as long"
