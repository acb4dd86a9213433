#!/usr/bin/env bash
# Draws cells (crates/verify/src/cells.rs), measures each in the lab, and compares the model with it.
#
#   ci/cells.sh SEED COUNT FOLDER     studies, results and the file of cells go to FOLDER
#
# One guest at a time; with 60 cells about ten minutes. Needs `stripewise lab prepare`, and takes the
# program from STRIPEWISE_BIN (target/release/stripewise). `make soak` calls it with a fresh seed;
# crates/verify/cells/linux-6.1.192.jsonl was made so, and a test compares the model with it.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo=${CARGO:-cargo}
seed=$1
count=$2
folder=$(realpath -m "$3")
program=$(realpath -m "${STRIPEWISE_BIN:-target/release/stripewise}")

example() {
    "$cargo" run --quiet --locked --package stripewise-verify --example cells -- "$@"
}

mkdir -p "$folder"
example draw "$seed" "$count" "$folder"
for ((number = 0; number < count; number++)); do
    study=$folder/$number.toml
    store=$folder/$number.db
    # A cell that is measured already is kept, so that a second call goes on.
    [ ! -s "$folder/$number.json" ] || continue
    rm -f "$store"
    # The same memory for all, so that each resumes the same saved guest.
    if "$program" run "$study" --world lab --profiles studies --memory 2G --seed 1 --store "$store" \
        --quiet --plain >"$folder/$number.log" 2>&1; then
        "$program" show latest --json --store "$store" >"$folder/$number.json"
        echo "cell $number of $count: measured"
    else
        echo "cell $number of $count: failed: $(tail -n 3 "$folder/$number.log")"
    fi
done
example keep "ci/cells.sh $seed $count" "$folder" >"$folder/cells.jsonl"
example compare "$folder/cells.jsonl"
