#!/bin/sh
# Builds or runs the tests of all crates but those in their documentation: with cargo-nextest where it
# is installed, which begins with the slow ones (.config/nextest.toml) and runs programs beside each
# other; else with cargo's own runner.
#
#   ci/rust-tests.sh build    also lists the test programs for the next call
#   ci/rust-tests.sh run      runs those; with cargo-nextest it calls no cargo, which would wait for
#                             other builds in the same target folder
set -eu
cargo=${CARGO:-cargo}
built=$(realpath -m "${CARGO_TARGET_DIR:-target}")
workspace=$built/nextest-workspace.json
programs=$built/nextest-programs.json

has_nextest() { "$cargo" nextest --version >/dev/null 2>&1; }

case $1 in
build)
    "$cargo" test --workspace --locked --no-run
    has_nextest || exit 0
    host=$(rustc -vV | sed -n 's/^host: //p')
    "$cargo" metadata --locked --format-version 1 --filter-platform "$host" >"$workspace"
    "$cargo" nextest list --workspace --locked --list-type binaries-only --message-format json \
        >"$programs"
    ;;
run)
    has_nextest || exec "$cargo" test --workspace --locked --tests --no-fail-fast
    # Two tests a processor: most wait for a child or a time limit. A guest counts as two; one test
    # more takes what guests that wait leave.
    exec "$cargo" nextest run --profile all --test-threads $((2 * $(nproc) + 1)) \
        --cargo-metadata "$workspace" --binaries-metadata "$programs"
    ;;
*) echo "ci/rust-tests.sh build|run, not $1" >&2 && exit 2 ;;
esac
