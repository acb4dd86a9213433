#!/bin/sh
# Builds or runs the tests of all crates but those in their documentation: with cargo-nextest where it
# is installed, which begins with the slow ones (.config/nextest.toml) and runs programs beside each
# other; else with cargo's own runner.
#
#   ci/rust-tests.sh build    also lists the test programs for the next call
#   ci/rust-tests.sh run      runs those; with cargo-nextest it calls no cargo, which would wait for
#                             other builds in the same target folder. Of the slow tests that
#                             .config/slow-tests.txt names it draws a quarter by the seed, and says which;
#                             with STRIPEWISE_TEST_SHARE=all, as in `make soak`, it runs all
#   ci/rust-tests.sh slow LOG writes that file from the output of a run of all
set -eu
cargo=${CARGO:-cargo}
built=$(realpath -m "${CARGO_TARGET_DIR:-target}")
workspace=$built/nextest-workspace.json
programs=$built/nextest-programs.json

# With every part of the program; what tests of a part need in vain, they say. One build: the release
# build, of `make demo`, is the program without.
features="--features stripewise/postgres"

has_nextest() { "$cargo" nextest --version >/dev/null 2>&1; }

slow=.config/slow-tests.txt
# From so many seconds on a test is slow, beside as many others as `run` has; one in so many is drawn.
slow_s=3
one_in=4

# Prints the slow tests that are not drawn, each as `PROGRAM TEST`.
not_drawn() {
    [ "${STRIPEWISE_TEST_SHARE:-}" != all ] || return 0
    local test number=0
    # In an order that the seed decides.
    while read -r test; do
        printf '%s %s\n' "$(printf '%s %s' "$test" "${STRIPEWISE_TEST_SEED:-1}" | md5sum | cut -c1-8)" "$test"
    done <"$slow" | sort | cut -d' ' -f2- | while read -r test; do
        number=$((number + 1))
        [ $((number % one_in)) = 0 ] || echo "$test"
    done
}

case $1 in
build)
    "$cargo" test --workspace --locked $features --no-run
    has_nextest || exit 0
    host=$(rustc -vV | sed -n 's/^host: //p')
    "$cargo" metadata --locked --format-version 1 --filter-platform "$host" >"$workspace"
    "$cargo" nextest list --workspace --locked $features --list-type binaries-only --message-format json \
        >"$programs"
    ;;
run)
    has_nextest || exec "$cargo" test --workspace --locked $features --tests --no-fail-fast
    left_out=$(mktemp)
    trap 'rm "$left_out"' EXIT
    not_drawn >"$left_out"
    wanted='all()'
    if [ -s "$left_out" ]; then
        wanted="not ($(sed 's/\(.*\) \(.*\)/(binary_id(=\1) \& test(=\2))/' "$left_out" | paste -sd'|'))"
        count=$(wc -l <"$slow")
        drawn=$(grep -vxFf "$left_out" "$slow" | cut -d' ' -f2 | paste -sd' ' | sed 's/ /, /g')
        echo "SKIPPED: slow tests: drawn $((count - $(wc -l <"$left_out"))) of $count by seed" \
            "${STRIPEWISE_TEST_SEED:-1} ($drawn); \`make soak\` runs all, as STRIPEWISE_TEST_SHARE=all does"
    fi
    # Two tests a processor: most wait for a child or a time limit. A guest counts as two; one test
    # more takes what guests that wait leave.
    "$cargo" nextest run --profile all --test-threads $((2 * $(nproc) + 1)) \
        --cargo-metadata "$workspace" --binaries-metadata "$programs" --filterset "$wanted"
    ;;
slow)
    # Those of `drawn_tests!` are drawn there, those of a macro have no function; what protects data is always tried.
    sed -n 's/^ *PASS \[ *\([0-9.]*\)s\] ([^)]*) \(.*\)$/\1 \2/p' "$2" |
        awk -v slow="$slow_s" '$1 >= slow && $3 !~ /(^|::)(drawn|fuzz_targets|safety)::/ { print $2, $3 }' | LC_ALL=C sort >"$slow"
    ;;
*) echo "ci/rust-tests.sh build|run|slow, not $1" >&2 && exit 2 ;;
esac
