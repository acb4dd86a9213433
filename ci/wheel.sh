#!/usr/bin/env bash
# Packs a Python wheel of what ci/dist.sh made, into target/dist, and tries it in fresh environments: with
# pandas, with polars, with none of them. Its tag is judged by auditwheel. Needs Python and its index.
#
#   ci/wheel.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/release.sh
is_packed
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "wheel.sh: $*" >&2
    exit 1
}

echo "pack"
wheel=$(packaging/wheel.py "$program" "$version" "$dist")
packaging/wheel.py "$program" "$version" "$folder" >/dev/null
cmp "$wheel" "$folder/$(basename "$wheel")"

python3 -m venv "$folder/audit"
"$folder/audit/bin/pip" install --quiet "auditwheel==6.8.2" "twine==7.0.0"
"$folder/audit/bin/twine" check --strict "$wheel"

# The tag promises glibc 2.17; the program needs less.
"$folder/audit/bin/auditwheel" show "$wheel" >"$folder/tag" 2>&1 || fail "$(cat "$folder/tag")"
needs=$(tr '\n' ' ' <"$folder/tag" | sed -n 's/.*platform tag: *"manylinux_2_\([0-9]*\)_x86_64".*/\1/p')
[ "${needs:-99}" -le 17 ] || fail "$(cat "$folder/tag")"
echo "auditwheel: it runs from glibc 2.$needs on"

cp packaging/wheel/try.py "$folder"
# Its answers, in three environments; one store for all.
"$program" run studies/flush.toml --world model --store "$folder/store.db" >"$folder/run" 2>&1 ||
    fail "$(cat "$folder/run")"
for library in none pandas polars; do
    echo "with $library"
    python3 -m venv "$folder/with-$library"
    case $library in
    none) extra= ;;
    *) extra="[$library]" ;;
    esac
    "$folder/with-$library/bin/pip" install --quiet "$(realpath "$wheel")$extra"
    # PATH has no other program, and the folder no other module.
    env -i PATH="$folder/nothing" HOME="$folder" \
        "$folder/with-$library/bin/python" "$folder/try.py" "$library" "$folder/store.db"
    "$folder/with-$library/bin/pip" uninstall --quiet --yes stripewise
    [ ! -e "$folder/with-$library/bin/stripewise" ] || fail "it is still there when it was removed"
done
checksums
echo "the wheel is sound"
