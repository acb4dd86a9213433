#!/usr/bin/env bash
# Builds an RPM package of what ci/dist.sh made, into target/dist, and judges it: its files are those of
# the Debian package, rpmlint finds no error, it installs and runs in a root that has nothing else, and
# removing it leaves no file behind. Needs root (chroot), rpmbuild and rpmlint.
#
#   ci/rpm.sh
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/release.sh
is_packed

folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
fail() {
    echo "rpm.sh: $*" >&2
    exit 1
}

echo "build"
name=stripewise-$version-1.x86_64.rpm package=$dist/$name
rpmbuild -bb packaging/stripewise.spec --quiet --target x86_64 \
    --define "_topdir $folder/build" --define "_rpmdir $folder" --define "_build_name_fmt $name" \
    --define "staged $PWD/$dist/root" --define "version_of_program $version" \
    --define "_buildhost stripewise" --define "use_source_date_epoch_as_buildtime 1" \
    --define "clamp_mtime_to_source_date_epoch 1"
mv "$folder/$name" "$package"

echo "files"
rpm -qp --list "$package" | sort >"$folder/files"
# Fedora's folder of completions for zsh is another one.
(cd "$dist/root" && find . -type f -printf '/%P\n') |
    sed 's,/zsh/vendor-completions/,/zsh/site-functions/,' | sort >"$folder/staged"
comm -23 "$folder/staged" "$folder/files" >"$folder/missing"
[ ! -s "$folder/missing" ] || fail "the package lacks $(cat "$folder/missing")"
echo "$(wc -l <"$folder/staged") files"
[ -z "$(rpm -qp --scripts --triggers "$package")" ] || fail "the package runs a script"
rpm -qp --requires "$package" | grep -v '^rpmlib(' >"$folder/requires" || true
[ ! -s "$folder/requires" ] || fail "the package requires $(cat "$folder/requires")"

echo "rpmlint"
rpmlint --config packaging/rpmlint.toml "$package" >"$folder/lint" || fail "$(cat "$folder/lint")"
! grep -q "^stripewise.*: E: " "$folder/lint" || fail "$(cat "$folder/lint")"
tail -n 1 "$folder/lint"

echo "install"
root=$folder/root
mkdir -p "$root"
# Debian's rpm keeps what it writes about itself in the home of its user.
in_root() {
    rpm --root "$root" --dbpath /var/lib/rpm "$@"
}
in_root --initdb
paths() {
    (cd "$root" && find . -path ./var/lib/rpm -prune -o -type f -print | sort)
}
paths >"$folder/before"
in_root --install "$package"
in_root --verify stripewise || fail "installed files differ from the package's"
cmp "$root/usr/bin/stripewise" "$program" || fail "rpmbuild changed the program"

echo "run"
inside() {
    # shellcheck disable=SC2016 # The inner shell's.
    unshare --mount --propagation private sh -c \
        'mount -t proc proc "$0/proc" && exec env -i HOME=/tmp /usr/sbin/chroot "$0" /usr/bin/stripewise "$@"' "$root" "$@"
}
mkdir "$root/proc" "$root/tmp"
inside --version
inside predict --device sata-ssd --array raid1:2 --workload randread:4K >"$folder/predict"
tail -n 1 "$folder/predict"
inside run /usr/share/doc/stripewise/examples/studies/flush.toml --world model --store /tmp/s.db \
    >"$folder/run" 2>&1 || fail "$(cat "$folder/run")"
rm -r "$root/proc" "$root/tmp"

echo "remove"
in_root --erase stripewise
paths | diff "$folder/before" - || fail "removing it left files behind"
checksums
echo "the package is sound"
