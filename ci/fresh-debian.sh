# A fresh Debian in a directory, which stands for a host. Needs root, mmdebstrap and Debian's mirror.
#
# For bash scripts, which source it. It sets $folder, which is removed at the end, and $root in it, and
# defines:
#
#   fail WORDS...                     ends with a message
#   fresh_debian RELEASE [PACKAGES]   makes $root, with these packages between commas

folder=$(mktemp -d)
root=$folder/root
trap '! mountpoint -q "$root/proc" || umount "$root/proc"; rm -rf --one-file-system "$folder"' EXIT

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

fresh_debian() {
    echo "a fresh Debian ($1)"
    mmdebstrap --quiet --variant=minbase --mode=root ${2:+--include="$2"} "$1" "$root" \
        "${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
    mount -t proc proc "$root/proc"
}
