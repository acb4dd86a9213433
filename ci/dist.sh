#!/usr/bin/env bash
# Builds the program for x86-64 Linux without any library of the system, and packs it, in target/dist:
#
#   root/                                    all files of a package, as they lie on a system
#   stripewise-VERSION-x86_64-linux.tar.gz   the same without `usr/`, to unpack anywhere
#   stripewise-VERSION.cdx.json              what the program is made of (CycloneDX)
#   SHA256SUMS                               checksums of these files, and of forms made later
#
#   ci/dist.sh [--twice]
#
# With --twice it builds again from a copy of the tree elsewhere, and fails unless all bytes are the same.
# They depend on the compilers and the C library, which the CycloneDX file names. Without `postgres`:
# libpq cannot be linked into a static program without all that it needs.
set -euo pipefail
cd "$(dirname "$0")/.."
. packaging/release.sh
target=x86_64-unknown-linux-gnu

build() {
    local home from to=/usr/src
    home=$(realpath "${CARGO_HOME:-$HOME/.cargo}")
    from=$PWD
    env -u RUSTC_WORKSPACE_WRAPPER CARGO_INCREMENTAL=0 \
        RUSTFLAGS="-C target-feature=+crt-static --remap-path-prefix=$from=$to/stripewise --remap-path-prefix=$home=$to/cargo" \
        CFLAGS_x86_64_unknown_linux_gnu="-ffile-prefix-map=$from=$to/stripewise -ffile-prefix-map=$home=$to/cargo" \
        "${CARGO:-cargo}" build --release --locked --package stripewise --target "$target"
}

pack() {
    local built=${CARGO_TARGET_DIR:-target}/$target/release/stripewise name=stripewise-$version-x86_64-linux
    local new=$dist.new
    rm -rf "$new"
    packaging/made-files.sh "$built"
    packaging/stage.py "$built" "$new/root"
    same_tar --directory="$new/root/usr" --transform="s,^\.,$name," . | gzip -9n >"$new/$name.tar.gz"
    packaging/sbom.py >"$new/stripewise-$version.cdx.json"
    # Forms that were made of the same stay.
    if cmp --silent "$new/$name.tar.gz" "$dist/$name.tar.gz" &&
        cmp --silent "$new/stripewise-$version.cdx.json" "$dist/stripewise-$version.cdx.json"; then
        rm -rf "$new"
    else
        rm -rf "$dist"
        mv "$new" "$dist"
    fi
    checksums
}

build
pack
if [ "${1:-}" = --twice ]; then
    again=$(mktemp -d)
    trap 'rm -rf "$again"' EXIT
    git ls-files -z | tar --create --null --files-from=- | tar --extract --directory="$again"
    env -u CARGO_TARGET_DIR "$again/ci/dist.sh"
    diff "$dist/SHA256SUMS" "$again/target/dist/SHA256SUMS"
    echo "two builds in two folders gave the same bytes"
fi
