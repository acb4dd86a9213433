#!/usr/bin/env bash
# Records pairs as ci/pairs.sh does, but of a real md on modelled disks, in a guest of the lab.
#
#   ci/pairs-lab.sh SEED FIRST LAST FOLDER [OPTION...]     options of `lab shell`: --kernel, --cache
#
# Each pair has a guest of its own, in virtual time: other programs do not move a result. A pair that is there
# is kept. Only causes that lie in the kernel, its settings or the array are judged so: the disks are ours.
set -euo pipefail
[ $# -ge 4 ] || { sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2; exit 2; }
here=$(dirname "$0")
seed=$1 first=$2 last=$3 folder=$4
shift 4
program=${STRIPEWISE:-$here/../target/debug/stripewise}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/disks.toml" <<'STUDY'
# The first disk is what the shell builds; the others are free.
[stack.one]
devices = { slow-sata = 1 }
filesystem = "none"
[stack.all]
devices = { slow-sata = 7 }
array   = { level = "raid0", chunk = "64K" }
filesystem = "none"
[workload]
pattern    = "randread"
block_size = "4K"
size       = "96M"
STUDY
lost=0
mkdir -p "$folder"
for number in $(seq "$first" "$last"); do
    there=("$folder/$seed-$number-md-"*/truth.toml)
    [ ! -e "${there[0]}" ] || continue
    {
        echo "cat > /tmp/pairs.sh <<'SCRIPT_ENDS'"
        cat "$here/pairs.sh"
        echo SCRIPT_ENDS
        echo "bash /tmp/pairs.sh $seed $number $number /tmp/out"
        # Split, so that the echo of this line is no marker.
        echo "cd /tmp/out && tar cf - . | gzip -9 | base64 > /tmp/sent; echo PAIRS''_BEGIN; cat /tmp/sent; echo PAIRS''_END"
        echo exit
    } >"$work/input"
    "$program" lab shell "$work/disks.toml" --stack one --profiles "$here/../studies" --clock virtual "$@" \
        <"$work/input" >"$work/output" 2>"$work/errors" || true
    if tr -d '\r' <"$work/output" | sed -n '/^PAIRS_BEGIN/,/^PAIRS_END/{//!p}' | base64 -d 2>/dev/null |
        tar xzf - -C "$folder" 2>/dev/null; then
        grep -a 'ratio = ' "$work/output" | tail -n 1 >&2
    else
        { tail -n 5 "$work/errors"; tail -n 20 "$work/output"; } >&2
        lost=$((lost + 1))
    fi
done
[ "$lost" -eq 0 ]
