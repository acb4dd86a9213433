#!/usr/bin/env bash
# fio-dedupe 3.33 calls data that shrinks to a half "1:1.02", and data without copies "1:0.00".
#
# Guess before the run: the ratio that people know from ZFS and VDO is blocks over unique blocks, 1.00
# if nothing repeats; the tool divides the copies by the unique blocks, which is one less.
# Seen: of 4096 blocks of 4 KiB of which 2048 differ, ZFS's ratio would be 2.00; fio-dedupe prints
# "De-dupe ratio: 1:1.00". Its line "Fio setting: dedupe_percentage" is right.
# Version: fio-dedupe 3.33-3 (Debian 12's package fio, unpacked, not installed).
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
apt-get download --quiet fio=3.33-3 >/dev/null
dpkg-deb --extract fio_*.deb fio
python3 - <<'DATA'
import hashlib
block = lambda n: b"".join(hashlib.sha256(b"%d %d" % (n, part)).digest() for part in range(128))
once = [block(n) for n in range(2048)]
open("twice", "wb").write(b"".join(once + once))
open("once", "wb").write(b"".join(once))
DATA
for file in once twice; do
    fio/usr/bin/fio-dedupe -b 4096 -c 1 "$file" >"$file.said" 2>&1
    echo "$file:"
    tr '\r' '\n' <"$file.said" | tail -4
done
grep -q 'Extents=2048, Unique extents=2048' once.said
grep -q 'De-dupe ratio: 1:0.00' once.said
grep -q 'Extents=4096, Unique extents=2048' twice.said
grep -q 'De-dupe ratio: 1:1.00' twice.said
grep -q 'dedupe_percentage=50' twice.said
echo "as seen: one less than blocks over unique blocks"
