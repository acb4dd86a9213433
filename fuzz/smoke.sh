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
# The folder of the whole workspace.
CARGO_TARGET_DIR=$(realpath -m "${CARGO_TARGET_DIR:-../target}")
export CARGO_TARGET_DIR

# What `cargo fuzz` passes on nightly, without the sanitizer: counters for each edge, and the table
# that maps them to code. `--target` keeps the flags from build scripts and macros.
RUSTFLAGS="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Ccodegen-units=1 --cfg fuzzing"
export RUSTFLAGS
if ! cargo build --locked --quiet --target "$host"; then
    echo "fuzz: could not be built" >&2
    exit 2
fi

# Runs one target, for so many seconds; its exit status is that of the target.
fuzz() {
    mkdir -p "corpus/$1" "artifacts/$1"
    rm -f "artifacts/$1"/*
    "$CARGO_TARGET_DIR/$host/debug/$1" \
        -seed="$seed" -max_total_time="$2" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
        -print_final_stats=1 -artifact_prefix="artifacts/$1/" \
        "corpus/$1" "seeds/$1" >"artifacts/$1.log" 2>&1
}

# Says in one line what a target did and how it ended.
say() {
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "artifacts/$1.log" | tail -n 1)
    corpus=$(find "corpus/$1" "seeds/$1" -type f | wc -l)
    printf '%-12s %10s runs, corpus of %s, %s\n' "$1" "${runs:-?}" "$corpus" "$2"
}

# Runs targets one after the other, none of which may crash.
must_pass() {
    crashed=0
    for name in "$@"; do
        if fuzz "$name" "$seconds"; then
            say "$name" "no crash"
        else
            say "$name" "CRASHED: $(tail -n 40 "artifacts/$name.log")"
            crashed=1
        fi
    done
    return "$crashed"
}

# Runs the target that must crash, and for the reason that was planted.
must_fail() {
    # Its corpus would hold what it found last time, and prove nothing.
    rm -rf corpus/must_fail
    # It ends where it crashes, on an idle machine within a second.
    if fuzz must_fail 60; then
        say must_fail "DID NOT CRASH: the fuzzer finds nothing, or needs more than 60 s"
        return 1
    elif ! grep -q planted artifacts/must_fail.log; then
        say must_fail "CRASHED FOR ANOTHER REASON: $(tail -n 40 artifacts/must_fail.log)"
        return 1
    fi
    say must_fail "crashed, as it must"
}

# Two at a time.
must_pass export_file fio_json fio_logs &
failed=0
must_fail || failed=1
must_pass nbd_client points_csv profile_file site_dump study_file trace_file || failed=1
wait $! || failed=1
exit "$failed"
