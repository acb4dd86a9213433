#!/usr/bin/env bash
# Counts the instructions that the engine takes for the cases of its benchmark (callgrind), and fails if a
# case takes more than 3 % more than crates/sim/benches/instructions.txt says: a rule that a question does
# not use must cost nothing. A count does not depend on how busy the machine is, but on the compiler.
#
#   ci/instructions.sh
#
# UPDATE_EXPECT=1 writes the counts of this machine's compiler. `make soak` calls it.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo=${CARGO:-cargo}
expected=crates/sim/benches/instructions.txt
percent_max=103

if ! command -v valgrind >/dev/null; then
    echo "SKIPPED: counted instructions: valgrind is not installed (apt-get install valgrind)"
    exit 0
fi
compiler=$(rustc --version)
said=$(sed -n 's/^# Compiler: //p' "$expected")
if [ "$compiler" != "$said" ] && [ -z "${UPDATE_EXPECT:-}" ]; then
    echo "SKIPPED: counted instructions: $expected is of $said, and this is $compiler (UPDATE_EXPECT=1 writes it anew)"
    exit 0
fi

# What is counted is the simulation alone, by the name of its function.
bench=$(CARGO_PROFILE_BENCH_STRIP=none "$cargo" bench --locked --package stripewise-sim --bench simulate --no-run 2>&1 |
    sed -n 's/.*Executable.*(\(.*\))$/\1/p')
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

count() {
    valgrind --tool=callgrind --toggle-collect='*Simulation*run_ios*' --callgrind-out-file="$folder/out" \
        "$bench" "$1" 2>&1 | sed -n 's/.*Collected : //p'
}

has_risen=
{
    echo "# Instructions of 200,000 host I/Os; ci/instructions.sh counts them."
    echo "# Compiler: $compiler"
} >"$folder/counts"
while read -r before name; do
    now=$(count "$name")
    echo "$now $name" >>"$folder/counts"
    echo "$name: $((now / 200000)) instructions for each host I/O, before $((before / 200000))"
    if [ -z "${UPDATE_EXPECT:-}" ] && [ $((now * 100)) -gt $((before * percent_max)) ]; then
        echo "FAILED: $name takes $now instructions, and took $before"
        has_risen=1
    fi
done < <(grep -v '^#' "$expected")

if [ -n "${UPDATE_EXPECT:-}" ]; then
    cp "$folder/counts" "$expected"
elif [ -n "$has_risen" ]; then
    exit 1
fi
