# What all forms of a release share. For bash scripts, which go to the repository's root and source it.
# It sets $version, $dist and $program, exports SOURCE_DATE_EPOCH, and defines:
#
#   is_packed      fails if ci/dist.sh has not been there
#   checksums      writes SHA256SUMS of all files in $dist
#   same_tar       packs with names, owners and times that do not depend on who packs; arguments as of tar

version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"$/\1/p' Cargo.toml)
# The time of the commit, in every file that has one.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export LC_ALL=C.UTF-8 TZ=UTC
umask 022
dist=target/dist
# All files of a package, as they lie on a system; ci/dist.sh makes them.
program=$dist/root/usr/bin/stripewise

is_packed() {
    [ -x "$program" ] || { echo "$(basename "$0"): no $program: run \`make dist\`" >&2; exit 1; }
}

checksums() {
    (cd "$dist" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\0' | sort -z |
        xargs -0 sha256sum -- >SHA256SUMS)
    cat "$dist/SHA256SUMS"
}

same_tar() {
    tar --create --format=gnu --sort=name --owner=0 --group=0 --numeric-owner \
        --mtime="@$SOURCE_DATE_EPOCH" "$@"
}
