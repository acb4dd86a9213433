#!/usr/bin/env bash
# Judges a Debian package: lintian finds no error; in a fresh Debian it installs, runs and enables
# nothing; and removing it leaves no file behind. Needs root and Debian's mirror.
#
#   ci/deb.sh PACKAGE [RELEASE]
#
# `make deb-test` calls it: it takes one to two minutes, more than CI has for it.
set -euo pipefail

package=$(realpath "$1")
release=${2:-bookworm}
. "$(dirname "$0")/fresh-debian.sh"

inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive "$@"
}

apt() {
    inside apt-get --quiet --quiet --yes --no-install-recommends --option Dpkg::Use-Pty=0 "$@" \
        >/dev/null
}

# All paths, without what apt and dpkg write about themselves.
paths() {
    (cd "$root" && find . -xdev -path ./proc -prune -o -print | grep -Ev \
        '^\./(tmp|var/(lib/(dpkg|apt)|cache/(apt|debconf|ldconfig)|log))/' | sort)
}

echo "lintian"
lintian --fail-on error "$package" || fail "lintian found an error"

fresh_debian "$release"
cp "$package" "$root/tmp/stripewise.deb"
# Its libraries are in place before: the package alone is compared.
dependencies=$(dpkg-deb --field "$package" Depends | sed 's/([^)]*)//g; s/|[^,]*//g; s/,//g')
# shellcheck disable=SC2086 # Several words.
apt install $dependencies
paths >"$folder/before"

echo "install"
apt install /tmp/stripewise.deb
paths >"$folder/installed"
[ "$(inside dpkg-query --show --showformat '${db:Status-Status}' stripewise)" = installed ] ||
    fail "it is not installed"
for path in usr/bin/stripewise usr/share/man/man1/stripewise-check.1.gz \
    usr/share/bash-completion/completions/stripewise usr/share/zsh/vendor-completions/_stripewise \
    usr/share/fish/vendor_completions.d/stripewise.fish usr/share/doc/stripewise/copyright \
    usr/share/doc/stripewise/third-party-licences.gz \
    usr/share/doc/stripewise/examples/studies/flush.toml \
    usr/share/doc/stripewise/examples/studies/devices/flush-1ms.toml \
    usr/share/doc/stripewise/grafana/stripewise-studies.json \
    usr/lib/systemd/system/stripewise-check.service usr/lib/systemd/system/stripewise-check.timer \
    usr/lib/systemd/system/stripewise-run@.service usr/lib/systemd/system/stripewise-run@.timer; do
    # A minimal Debian leaves out manuals and documents if its dpkg is set so; this one is not.
    [ -s "$root/$path" ] || fail "/$path is missing"
done
for timer in stripewise-check stripewise-run@example; do
    state=$(systemctl --root="$root" is-enabled "$timer.timer" || true)
    [ "$state" = disabled ] || fail "$timer.timer is $state"
    systemd-analyze --root="$root" --man=no verify "$timer.timer" "$timer.service" >"$folder/units" 2>&1 ||
        fail "$(cat "$folder/units")"
done

nobody() {
    inside setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

echo "run"
inside stripewise --version
for user in inside nobody; do
    # 0 or 1: a fresh Debian may have findings, 2 would be an error.
    code=0
    "$user" stripewise check >"$folder/check" || code=$?
    [ "$code" -le 1 ] || fail "$user: stripewise check ended with $code"
    tail -n 1 "$folder/check"
    "$user" stripewise collect --out "/tmp/facts-$user"
    [ -s "$root/tmp/facts-$user/stripewise-collect.json" ] || fail "$user: collect wrote nothing"
    "$user" stripewise run /usr/share/doc/stripewise/examples/studies/flush.toml --world model \
        --store "/tmp/$user.db" >"$folder/run" 2>&1 || fail "$user: $(cat "$folder/run")"
done
paths | diff "$folder/installed" - || fail "running it left files behind"

for way in remove purge; do
    echo "$way"
    apt install /tmp/stripewise.deb
    apt "$way" stripewise
    paths | diff "$folder/before" - || fail "$way left files behind"
    inside dpkg-query --show stripewise >/dev/null 2>&1 && fail "$way: dpkg still knows it"
done
echo "the package is sound"
