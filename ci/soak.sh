#!/usr/bin/env bash
# Runs the tests of all crates, guests and kills among them, those in a browser, and the fuzzers, again
# and again, with a fresh seed in each round, until the time is over. A round that was begun is finished.
#
#   ci/soak.sh MINUTES FUZZ_SECONDS
#
# Before, plants errors in the model, each of which golden cases must catch (ci/planted.sh), and makes the
# numbers of documents again.
# Ends with 1 at the first failure, and says how to repeat it. `make soak` calls it.
#
# One test has a seed of its own, which no round changes (STRIPEWISE_TEST_RELATIONS_SEED): what other
# seeds break there is known, and written down beside it.
set -euo pipefail
cd "$(dirname "$0")/.."
. ci/stages.sh

minutes=$1
fuzz_seconds=$2
cargo=${CARGO:-cargo}
built=$(realpath -m "${CARGO_TARGET_DIR:-target}")
folder=$built/soak
end=$((SECONDS + minutes * 60))

tests_lane() {
    stage tests ci/rust-tests.sh run
}

browser_lane() {
    cd web
    stage web-install npm ci --no-audit --no-fund
    stage browser env STRIPEWISE_BIN="$built/debug/stripewise" npm run browser
}

fuzz_lane() {
    stage fuzz fuzz/smoke.sh "$fuzz_seconds" "$seed"
}

# Says how to repeat the round that failed.
repeat() {
    echo "The seed was $seed. To repeat the tests: STRIPEWISE_TEST_SHARE=all make test SEED=$seed"
    echo "                   To repeat the fuzzers: fuzz/smoke.sh $fuzz_seconds $seed"
    echo "Inputs that crashed a fuzzer are in fuzz/artifacts; logs are in $folder."
}

without_deny=
if "$cargo" deny --version >/dev/null 2>&1; then
    for manifest in Cargo.toml fuzz/Cargo.toml; do
        "$cargo" deny --manifest-path "$manifest" check --config "$PWD/deny.toml"
    done
else
    without_deny="SKIPPED: known vulnerabilities of packages: cargo-deny is not installed"
    echo "$without_deny"
fi

# The same in every round: it has no seed.
echo "errors planted in the model"
ci/planted.sh

echo "instructions of the engine"
ci/instructions.sh

# The same in every round, too: the model's numbers in documents do not depend on the round's seed.
echo "numbers of documents"
STRIPEWISE_TEST_DOCUMENTS=all "$cargo" test --locked -p stripewise --test it made_by

echo "rates of intervals and verdicts"
"$cargo" run --release --locked -p stripewise-stats --example coverage | diff crates/stats/examples/coverage.txt -
"$cargo" run --release --locked -p stripewise-sim --example interval_coverage 200 |
    diff crates/sim/examples/interval_coverage.txt -
"$cargo" run --release --locked -p stripewise-history --example judge | diff crates/history/examples/judge.txt -

echo "queries of other programs"
ci/queries.sh

"$cargo" build --release --locked -p stripewise
echo "documents as pages"
ci/site-docs.sh

if command -v apt-get >/dev/null; then
    echo "queries of dashboards"
    ci/dashboards.sh target/release/stripewise
else
    echo "SKIPPED: queries of dashboards: Prometheus comes from Debian's packages"
fi
if [ "$(id -u)" = 0 ] && command -v mmdebstrap >/dev/null; then
    echo "the Ansible role"
    ci/ansible.sh target/release/stripewise
else
    echo "SKIPPED: the Ansible role: it needs root and mmdebstrap"
fi

# Fresh cells in the lab, if there is a guest: `stripewise lab prepare` makes one.
if target/release/stripewise lab doctor >/dev/null 2>&1; then
    echo "cells in the lab and in the model"
    cells_seed=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
    ci/cells.sh "$cells_seed" 20 "$folder/cells-$cells_seed"
fi

# The newest SQLite is in a package of Python.
if python3 -m venv "$folder/apsw" && "$folder/apsw/bin/pip" install --quiet apsw; then
    export STRIPEWISE_TEST_APSW="$folder/apsw/bin/python"
else
    echo "SKIPPED: the newest SQLite: python3-venv or the package apsw cannot be installed"
fi

rounds=0
until [ "$rounds" -gt 0 ] && [ "$SECONDS" -ge "$end" ]; do
    rounds=$((rounds + 1))
    seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
    echo "round $rounds, seed $seed"
    export PROPTEST_RNG_SEED=$seed STRIPEWISE_TEST_SEED=$seed
    # CI draws a share of the longest tests, and fewer studies, questions and moments of a kill.
    export PROPTEST_CASES=256 STRIPEWISE_TEST_BOUNDS=400 STRIPEWISE_TEST_RELATIONS=1000
    export STRIPEWISE_TEST_ASKED=600 STRIPEWISE_STEADY_QUESTIONS=32 STRIPEWISE_TEST_SAME_STUDIES=200
    export STRIPEWISE_TEST_SHARE=all STRIPEWISE_TEST_QUESTIONS=24
    export STRIPEWISE_TEST_RUN_KILLS=100 STRIPEWISE_TEST_KILL_EVERY=1 STRIPEWISE_TEST_KILLS=10
    export STRIPEWISE_TEST_REAL_KILLS=100 STRIPEWISE_TEST_DAMAGED=60 STRIPEWISE_TEST_REWRITTEN=20000
    export STRIPEWISE_TEST_RACE_STARTS=500 STRIPEWISE_TEST_DRIVER_CASES=16
    export STRIPEWISE_TEST_COPIES=20000 STRIPEWISE_TEST_STOPS=300 STRIPEWISE_TEST_DRAINING=500
    export STRIPEWISE_TEST_FORMS=100000 STRIPEWISE_TEST_FORMS_LOADED=2000
    export STRIPEWISE_TEST_JOB_FILES=200 STRIPEWISE_TEST_LAB_STOPS=18 STRIPEWISE_TEST_CLUSTERS=2000
    export STRIPEWISE_TEST_CAUSES=200
    ci/rust-tests.sh build
    stages_begin "$folder"
    lane tests_lane
    lane browser_lane
    lane fuzz_lane
    if ! stages_end; then
        repeat
        exit 1
    fi
done
echo "$rounds rounds, no failure"
# Again, as the first line has long scrolled away.
echo "$without_deny"
