#!/bin/sh
# Prints the table of docs/model/README.md: the summary lines of the golden files of the accuracy tests.
set -eu
golden=crates/calibrate/tests/golden

# Prints a row: what was predicted, the error, and the page with the rest.
row() {
    printf '| %s | %s | [%s](%s) |\n' "$1" "$2" "$3" "$3"
}

# Prints the smallest and the largest error of the published reads of a file of this size, over all depths.
reads() {
    awk -v size="$1" '$1 == "randread" && $2 == size {
        for (i = 5; i <= 17; i += 4) { if (i == 5 || $i + 0 < low) low = $i + 0; if ($i + 0 > high) high = $i + 0 }
        printf "%+d to %+d %%", low, high
    }' $golden/hard-disks-raid5.txt
}

echo '| compared with | result | page |'
echo '|---|---|---|'
row 'published RAID 10 of four SSDs, 48 points' \
    "$(awk '/^all/ { print "mean error " $2 "; " $3 " for N times one disk" }' $golden/published-study.txt | sed 's/%/ %/g')" accuracy.md
row 'published RAID 0 of three SSDs behind an adapter' \
    "$(sed -n 's/^mean \(.*\)\.$/\1/; s/^mean \(.*\)$/mean error \1/p' $golden/mixed-load.txt)" accuracy.md
row 'their points, within the interval of the prediction' \
    "$(tail -qn 1 $golden/coverage-four-ssds.txt $golden/mixed-load.txt | sed 's/ within.*//' | paste -sd ';' | sed 's/;/; /')" accuracy.md
row 'the real md: requests and sectors of each member' \
    "$(sed -n 's/^Of \(.*\)\.$/\1/p' docs/model/against-the-driver.md)" against-the-driver.md
row 'a real kernel on modelled disks, drawn cells' \
    "$(sed -n 's/^of \(60 cells within 10 %: .*\); with.*/of \1/p' crates/verify/tests/cells.txt)" against-the-lab.md
row 'published RAID 5 of eight hard disks, reads of a file at the beginning of the disks' "$(reads 100G)" disks.md
row 'the same, if the file is spread over 31 % of the disks' "$(reads 4T)" disks.md
row 'published ZFS pools of SSDs' \
    "$(tail -n 2 $golden/zfs-scaling.txt | paste -sd ';' | sed 's/;/; /')" filesystems.md
