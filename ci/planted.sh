#!/usr/bin/env bash
# Plants each error of crates/verify/planted.toml in the model, and finds the golden cases of the real
# driver that catch it. Fails if an error is not caught, or differs from docs/planted.md.
#
#   ci/planted.sh [FOLDER]     the copy of the source and the results go to FOLDER (target/planted)
#
# UPDATE_EXPECT=1 rewrites docs/planted.md. All errors are in one program: one build, and a second for
# each error. `make soak` calls it.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo=${CARGO:-cargo}
folder=$(realpath -m "${1:-${CARGO_TARGET_DIR:-target}/planted}")
source=$folder/source
results=$folder/results
# The most seconds for all cases: an error may keep a simulation from ending.
seconds_max=60

example() {
    "$cargo" run --quiet --locked --package stripewise-verify --example planted -- "$@"
}

rm -rf "$source" "$results"
mkdir -p "$source" "$results"
git ls-files --cached --others --exclude-standard -z | tar --create --null --ignore-failed-read --files-from=- | tar --extract --directory="$source"
example plant "$source"
(
    cd "$source"
    # Planted conditions have brackets that they do not need.
    export RUSTFLAGS="${RUSTFLAGS:-} --allow warnings"
    export CARGO_TARGET_DIR=$folder/build CARGO_PROFILE_DEV_OPT_LEVEL=1 CARGO_PROFILE_DEV_DEBUG=0
    "$cargo" build --quiet --locked --package stripewise-verify --example planted
)
goldens=(crates/verify/golden/*.jsonl)
errors=$(grep -c '^\[\[error\]\]' crates/verify/planted.toml)
for number in $(seq 0 "$errors"); do
    STRIPEWISE_PLANTED=$number timeout "$seconds_max" \
        "$folder/build/debug/examples/planted" judge "${goldens[@]}" >"$results/$number" ||
        echo "error $number: the model does not end" >&2
done
if [ -n "${UPDATE_EXPECT:-}" ]; then
    example table "$results" >docs/planted.md
else
    example table "$results" | diff -u docs/planted.md -
fi
