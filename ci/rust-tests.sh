#!/bin/sh
# Runs the tests of all crates but those in their documentation: with cargo-nextest where it is
# installed, which begins with the slow ones (.config/nextest.toml) and runs programs beside each
# other; else with cargo's own runner.
set -eu
cargo=${CARGO:-cargo}
if "$cargo" nextest --version >/dev/null 2>&1; then
    exec "$cargo" nextest run --workspace --locked --profile all
fi
exec "$cargo" test --workspace --locked --tests --no-fail-fast
