#!/usr/bin/env bash
# Judges what ci/dist.sh made: its checksums, that the program needs no library and has no path of the
# machine that built it, that the CycloneDX file follows its schema, and that the program runs in a root
# with nothing else and in an old Debian. Prints sizes and start times. Needs root, mmdebstrap, Debian's
# mirror and Python's.
#
#   ci/dist-test.sh [RELEASE]
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/release.sh
is_packed
. ci/fresh-debian.sh
release=${1:-bullseye}
name=stripewise-$version

echo "checksums"
(cd "$dist" && sha256sum --quiet --check SHA256SUMS)
tar --extract --gzip --file="$dist/$name-x86_64-linux.tar.gz" --directory="$folder"
cmp "$folder/$name-x86_64-linux/bin/stripewise" "$program"
stat --printf '%s bytes %n\n' "$program" "$dist/$name"*

echo "parts"
python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet "cyclonedx-python-lib[json-validation]==11.12.0"
"$folder/python/bin/python" - "$dist/$name.cdx.json" <<'END'
import json, sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
text = open(sys.argv[1]).read()
wrong = JsonStrictValidator(SchemaVersion.V1_5).validate_str(text)
assert wrong is None, wrong
document = json.loads(text)
names = {part["name"] for part in document["components"]}
assert {"rusqlite", "sqlite", "glibc", "echarts", "stripewise-sim"} <= names, names
assert not {"proptest", "pq-sys", "cc"} & names, names
print(f"{len(names)} parts with {sum(len(d['dependsOn']) for d in document['dependencies'])} dependencies")
END

echo "libraries and paths"
! readelf --program-headers --wide "$program" | grep -w INTERP || fail "it needs a loader"
! readelf --dynamic --wide "$program" | grep NEEDED || fail "it needs a library"
for path in "$PWD/" "$(realpath "${CARGO_HOME:-$HOME/.cargo}")/"; do
    ! grep --text --quiet --fixed-strings "$path" "$program" || fail "it has $path in it"
done

# A command that has to end with a code of at most 1: `check` may have findings.
try() {
    local code=0
    "$@" >"$folder/out" 2>&1 || code=$?
    [ "$code" -le 1 ] || fail "$* ended with $code: $(cat "$folder/out")"
    tail -n 1 "$folder/out"
}

# Prints the median of the times of a command, in milliseconds.
start_time() {
    for _ in $(seq 21); do
        local from=${EPOCHREALTIME/[.,]/}
        "$@" >/dev/null
        echo $((${EPOCHREALTIME/[.,]/} - from))
    done | sort -n | sed -n 11p | sed 's/\(.*\)\(...\)$/\1.\2/'
}

echo "a root with nothing else"
mkdir -p "$folder/empty"
cp "$program" "$folder/empty/stripewise"
alone() {
    env -i /usr/sbin/chroot "$folder/empty" /stripewise "$@"
}
try alone --version
try alone predict --device sata-ssd --array raid1:2 --workload randread:4K
try alone check
echo "help after $(start_time alone --help) ms (chroot alone: $(start_time /usr/sbin/chroot / /bin/true) ms)"

fresh_debian "$release"
cp "$program" "$root/usr/bin/stripewise"
cp -r studies "$root/studies"
echo "in Debian $(cat "$root/etc/debian_version")"
inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"
}
try inside stripewise --version
try inside stripewise check
try inside stripewise predict --device sata-ssd --array raid1:2 --workload randread:4K
try inside stripewise run /studies/flush.toml --world model --store /tmp/s.db
code=0
inside stripewise runs >"$folder/out" 2>&1 || code=$?
if [ "$code" != 2 ] || ! grep --quiet "nor HOME is set" "$folder/out"; then
    fail "without HOME and --store, runs ended with $code: $(cat "$folder/out")"
fi
echo "the program needs nothing of the system"
