#!/bin/sh
# Builds and runs every fuzz target for a while, from its seeds. Needs a C++ compiler, no nightly.
#
#   fuzz/smoke.sh SECONDS [SEED]
#
# The seed is of what the fuzzers draw; without it, they draw something else each time.
# Ends with 0 if no target crashed but `must_fail`, and that one did; with 1 otherwise; with 2 if
# it could not be tried. Crashing inputs are left in fuzz/artifacts/TARGET/.
set -eu

seconds=${1:-}
case $seconds in
'' | *[!0-9]* | 0)
    echo "usage: fuzz/smoke.sh SECONDS [SEED]" >&2
    exit 2
    ;;
esac
seed=${2:-0} # 0: libFuzzer draws one

cd "$(dirname "$0")"
host=$(rustc -vV | sed -n 's/^host: //p')
target_dir=${CARGO_TARGET_DIR:-target}

# What `cargo fuzz` passes on nightly, without the sanitizer: counters for each edge, and the table
# that maps them to code. `--target` keeps the flags from build scripts and macros.
RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Ccodegen-units=1 --cfg fuzzing"
export RUSTFLAGS
if ! cargo build --locked --release --quiet --target "$host"; then
    echo "fuzz: could not be built" >&2
    exit 2
fi

# Runs one target; prints what it did; its exit status is that of the target.
fuzz() {
    name=$1
    mkdir -p "corpus/$name" "artifacts/$name"
    rm -f "artifacts/$name"/*
    status=0
    "$target_dir/$host/release/$name" \
        -seed="$seed" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
        -print_final_stats=1 -artifact_prefix="artifacts/$name/" \
        "corpus/$name" "seeds/$name" >"artifacts/$name.log" 2>&1 || status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "artifacts/$name.log" | tail -n 1)
    corpus=$(find "corpus/$name" "seeds/$name" -type f | wc -l)
    printf '%-12s %10s runs, corpus of %s, ' "$name" "${runs:-?}" "$corpus"
    return "$status"
}

failed=0
for name in export_file fio_json fio_logs points_csv profile_file study_file; do
    if fuzz "$name"; then
        echo "no crash"
    else
        echo "CRASHED:"
        tail -n 40 "artifacts/$name.log"
        failed=1
    fi
done

# Its corpus would hold what it found last time, and prove nothing.
rm -rf corpus/must_fail
if fuzz must_fail; then
    echo "DID NOT CRASH: the fuzzer finds nothing, or needs more than $seconds s"
    failed=1
elif grep -q planted artifacts/must_fail.log; then
    echo "crashed, as it must"
else
    echo "CRASHED FOR ANOTHER REASON:"
    tail -n 40 artifacts/must_fail.log
    failed=1
fi
exit "$failed"
