#!/usr/bin/env bash
# Makes a container image of what ci/dist.sh made, as an OCI layout in an archive in target/dist, and
# judges it without an engine: skopeo and umoci read it, and its root runs, also as another user, beside
# the files of this machine, and, with fio from Debian, with the privileges that engines give by default.
# Needs root, skopeo, umoci, mmdebstrap and Debian's mirror.
#
#   ci/image.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/release.sh
is_packed
. ci/fresh-debian.sh
archive=$dist/stripewise-$version-oci.tar

echo "build"
packaging/image.py "$dist/root" "$version" "$folder/layout"
same_tar --directory="$folder/layout" --file="$archive" blobs index.json oci-layout
skopeo inspect "oci-archive:$archive:$version" >"$folder/inspected"
grep '"Digest"' "$folder/inspected"
umoci unpack --image "$folder/layout:$version" "$folder/bundle" >/dev/null
image=$folder/bundle/rootfs
cmp "$image/usr/bin/stripewise" "$program"
stat --printf '%s bytes %n\n' "$archive"

# What engines leave a container's root by default (moby: oci/caps/defaults.go), and what others get.
default="-all,+chown,+dac_override,+fsetid,+fowner,+mknod,+net_raw,+setgid,+setuid,+setfcap,+setpcap"
default="$default,+net_bind_service,+sys_chroot,+kill,+audit_write"

# contain ROOT SCRIPT ARGUMENTS...: in namespaces of its own, where `$1` is the root and the rest of the
# script's arguments, with this machine's kernel below /proc and /sys, as a container has it. Mounts end with it.
contain() {
    local in=$1 script=$2
    shift 2
    mkdir -p "$in/proc" "$in/sys" "$in/host"
    # shellcheck disable=SC2016 # The inner shell's.
    unshare --mount --propagation private --pid --fork sh -ec '
        script=$1 in=$2
        shift 2
        mount -t proc proc "$in/proc"
        mount -t sysfs -o ro sysfs "$in/sys"
        eval "$script"' sh "$script" "$in" "$@"
}
# shellcheck disable=SC2016
as_root='exec setpriv --bounding-set "$DEFAULT" --inh-caps -all env -i XDG_DATA_HOME=/data PATH=/usr/bin:/bin HOME=/root /usr/sbin/chroot "$in" "$@"'
# shellcheck disable=SC2016
as_user='exec setpriv --bounding-set "$DEFAULT" --inh-caps -all env -i XDG_DATA_HOME=/data /usr/sbin/chroot --userspec=1234:1234 "$in" "$@"'
# shellcheck disable=SC2016
beside_host='mount --rbind / "$in/host"; mount -o remount,bind,ro "$in/host"; '
export DEFAULT=$default

echo "run"
contain "$image" "$as_root" /usr/bin/stripewise --version
contain "$image" "$as_user" /usr/bin/stripewise predict --device sata-ssd --array raid1:2 \
    --workload randread:4K >"$folder/out"
tail -n 1 "$folder/out"
contain "$image" "$as_user" /usr/bin/stripewise run /usr/share/doc/stripewise/examples/studies/flush.toml \
    --world model >"$folder/out" 2>&1 || fail "$(cat "$folder/out")"
[ "$(stat --format %u "$image/data/stripewise/store.db")" = 1234 ] || fail "the store is not in /data"

echo "check: of the container, and of the machine"
for at in "" /host; do
    code=0
    contain "$image" "${at:+$beside_host}$as_root" /usr/bin/stripewise check --json ${at:+--root "$at"} \
        >"$folder/check$(basename "$at")" || code=$?
    [ "$code" -le 1 ] || fail "check ended with $code"
done
"$program" check --json >"$folder/machine" || [ $? = 1 ]
python3 - "$folder/check" "$folder/checkhost" "$folder/machine" <<'END'
import json, sys
inside, host, machine = ({r["id"]: r["outcome"] for r in json.load(open(p))["results"]} for p in sys.argv[1:])
for name, outcomes in ("of the container", inside), ("of the machine", host), ("without a container", machine):
    print(name + ":", ", ".join(f"{n} {kind}" for kind in ("pass", "fail", "info", "not_run")
                                if (n := list(outcomes.values()).count(kind))))
# Through /host it judges the machine: what it decides is what the machine's own program decides.
other = {i: (host[i], machine[i]) for i in host if "not_run" not in (host[i], machine[i]) and host[i] != machine[i]}
assert not other, other
assert sum(outcome != "not_run" for outcome in host.values()) > len(host) / 2, host
END

echo "measure: with fio, in a directory of this machine"
fresh_debian bookworm fio
umount "$root/proc"
tar --extract --gzip --directory="$root" --file="$(find "$folder/layout/blobs/sha256" -size +1M)" usr
cat >"$root/study.toml" <<'END'
question = "How fast does this filesystem write?"
[workload]
pattern = "randwrite"
block_size = "64K"
size = "16M"
[stack.here]
filesystem = "existing"
[repeat]
sample = "1s"
budget = "10s"
END
mkdir "$root/data" "$root/measured"
contain "$root" "$as_root" /usr/bin/stripewise run /study.toml --target /measured >"$folder/out" 2>&1 ||
    fail "$(cat "$folder/out")"
contain "$root" "$as_root" /usr/bin/stripewise runs --json >"$folder/runs"
python3 - "$folder/runs" <<'END'
import json, sys
[run] = json.load(open(sys.argv[1]))["runs"]
assert run["state"] == "done" and run["samples"]["counted"], run
print(f"{run['samples']['counted']} of {run['samples']['all']} samples count")
END
[ -z "$(ls -A "$root/measured")" ] || fail "it left files behind: $(ls -A "$root/measured")"
checksums
echo "the image is sound"
