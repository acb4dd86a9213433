#!/usr/bin/env bash
# Five benchmarks of disks write data that a compressing filesystem makes smaller, or makes vanish.
#
# Guess before the run: older tools fill one buffer once and write it again and again, perhaps with
# zeros. On ZFS, btrfs or a drive that compresses they then measure memory, not disks, and the
# filesystem that compresses looks faster.
# Seen: of what they wrote, gzip -1 keeps
#   sysbench fileio 1.0.20+ds-5   0.4 %   (prepare, and the files as rewritten by a run)
#   fs_mark 3.3-3+b1               0.4 %
#   bonnie++ 2.00a+nmu1           0.5 %
#   spew 1.0.8-1.1                0.4 %
#   fio 3.33-3                    24 %    by default with 16 KiB blocks: one buffer, of which a part is
#                                         changed for each block; all with --refill_buffers
# Versions: Debian 12's packages, unpacked, not installed; needs the libraries of the package fio.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get download --quiet sysbench=1.0.20+ds-5 fsmark=3.3-3+b1 bonnie++=2.00a+nmu1 spew=1.0.8-1.1 \
    fio=3.33-3 libluajit-5.1-2 libmariadb3 libpq5 libpopt0 >/dev/null
for package in ./*.deb; do dpkg-deb --extract "$package" root; done
export LD_LIBRARY_PATH=$scratch/root/usr/lib/$(uname -m)-linux-gnu

# Prints how many percent of the files' bytes gzip -1 keeps, and fails if that is not within bounds.
keeps() {
    local tool=$1 from=$2 to=$3
    shift 3
    local size packed
    size=$(cat "$@" | wc -c)
    packed=$(cat "$@" | gzip -1 | wc -c)
    awk -v tool="$tool" -v size="$size" -v packed="$packed" -v from="$from" -v to="$to" 'BEGIN {
        kept = 100 * packed / size
        printf "%-10s %9d bytes, of which gzip -1 keeps %5.1f %%\n", tool, size, kept
        exit !(size >= 1000000 && kept >= from && kept <= to) }'
}

mkdir sysbench bonnie
(
    cd sysbench
    options=(fileio --file-num=2 --file-total-size=32M --file-test-mode=rndwr --events=4000 --time=60)
    ../root/usr/bin/sysbench "${options[@]}" prepare >/dev/null
    ../root/usr/bin/sysbench "${options[@]}" run >/dev/null
)
keeps sysbench 0 2 sysbench/test_file.*

root/usr/bin/fs_mark -d marks -n 20 -s 100000 -k -t 1 >/dev/null 2>&1
keeps fs_mark 0 2 $(find marks -type f)

root/usr/bin/spew --write 8m spewed >/dev/null 2>&1
keeps spew 0 2 spewed

# It removes its file, so the file is copied while it is written.
root/usr/sbin/bonnie++ -d bonnie -s 256 -r 64 -n 0 -u "$(id -un)" -q >/dev/null 2>&1 &
writer=$!
for _ in $(seq 300); do
    sleep 0.1
    file=$(find bonnie -type f | head -1)
    if [ -n "$file" ] && [ "$(stat -c %s "$file" 2>/dev/null || echo 0)" -ge 60000000 ]; then
        head -c 60000000 "$file" >copied && break
    fi
done
kill "$writer" 2>/dev/null || true
wait "$writer" 2>/dev/null || true
keeps bonnie++ 0 2 copied

fio=(root/usr/bin/fio --name=written --size=8m --rw=write --bs=16k --ioengine=psync
    --output-format=terse --output=/dev/null)
"${fio[@]}" --filename=default
keeps fio 10 40 default
"${fio[@]}" --filename=refilled --refill_buffers
keeps refilled 98 101 refilled
echo "as seen: five write data that shrinks, one of them only by default"
