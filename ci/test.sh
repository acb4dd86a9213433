#!/usr/bin/env bash
# Runs every check, and prints how long each took. `make test` calls it, and first installs what it
# needs; the Makefile sets the seeds of what tests draw.
#
#   ci/test.sh SEED
#
# The order serves two processors: the tests with guests take longest, so what they need is built
# first, and linted and documented in the same go (ci/rustc.sh). The browser has a lower priority, as some
# tests have deadlines. Fuzzers need a build of their own, which would take a tenth of the whole, so they
# run with `make soak`.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/stages.sh

seed=$1
cargo=${CARGO:-cargo}
built=$(realpath -m "${CARGO_TARGET_DIR:-target}")

# Everything that this machine can need, so that nothing later depends on a network but the guests.
# `--locked` also checks that fuzz/Cargo.lock is up to date.
fetch() {
    local host
    host=$(rustc -vV | sed -n 's/^host: //p')
    "$cargo" fetch --locked --target "$host"
    "$cargo" fetch --locked --target "$host" --manifest-path fuzz/Cargo.toml
}

rust_lane() {
    stage format "$cargo" fmt --all --check
    stage fuzz-format "$cargo" fmt --check --manifest-path fuzz/Cargo.toml
    stage fetch fetch
    stage build ci/rust-tests.sh build
    stage tests ci/rust-tests.sh run
}

# Beside the tests, which call no cargo and often wait.
more_rust_lane() {
    after build
    stage benches "$cargo" build --workspace --benches --locked --features stripewise/postgres
    stage doctests "$cargo" test --workspace --locked --features stripewise/postgres --doc
}

web_lane() {
    cd web
    stage web-install npm ci --no-audit --no-fund
    stage web-check npm run check
    after doctests
    renice -n 5 "$BASHPID" >/dev/null
    stage browser env STRIPEWISE_BIN="$built/debug/stripewise" npm run browser
}

# All calls of cargo need the same compiler: with another, it would build everything anew.
export RUSTC_WORKSPACE_WRAPPER=$PWD/ci/rustc.sh
# As `cargo clippy -- --deny warnings` hands it on.
export CLIPPY_ARGS=--deny__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__

echo "seed of tests: $seed (make test SEED=N draws others)"
stages_begin "$built/stages"
lane rust_lane
lane more_rust_lane
lane web_lane
stages_end
