#!/usr/bin/env bash
# Looks at the newest kernels and tools: what changed, in words, and the place to mend.
#
#   ci/watch-kernels.sh [CASES [SEED]]     for each suite of SUITES; 40 cases, the day's seed
#   ci/watch-kernels.sh changes OLD NEW    between two kernels of kernels/watched.txt, without a guest
#   ci/watch-kernels.sh compare OLD NEW    between two files
#
# Of each suite it prepares a guest with the newest kernel and the tools of TOOLS, counts drawn cases in
# that guest and in the model, and records what arrays show: their limits and files in sysfs, and the lines
# of programs that our parsers read, with N for each number. It says what differs from the newest kernel
# before it in kernels/watched.txt. Ends with 1 if a case differs; a change of a line is only told.
# UPDATE_EXPECT=1 puts what it saw into kernels/watched.txt. `make watch-kernels` calls it; CI does not.
#
#   SUITES      trixie-backports sid experimental     TOOLS    sid
#   STRIPEWISE  target/debug/stripewise               FOLDER   target/watch
#   ATTEMPTS    20, to shrink a case that differs
set -euo pipefail
cd "$(dirname "$0")/.."
record=kernels/watched.txt

# Prints what differs between two records: lines `KIND|WHAT|NAME|VALUE`.
compare() {
    awk -F'|' '
        function place(kind, what, name) {
            if (kind == "file") return "crates/check/src/sources.rs, and whether a rule of crates/check/src/rules reads it"
            if (kind == "sync") return "docs/model/newest-kernels.md; crates/sim/src/engine/rebuild.rs"
            if (kind == "tool") return "docs/lab.md, if the newest versions stand there"
            if (kind == "line") return what ~ /^fio/ ? "crates/fio/src" : what ~ /^mkfs.xfs/ ? "crates/check/src/rules/newer.rs and arrays.rs" : "crates/check/src/mdstat.rs and crates/machine/src/arrays.rs"
            if (name == "chunk_sectors") return "raid0_cut_at_chunks, raid10_cut_at_chunks and parity.cut_at_rows in kernels/rules.toml; crates/sim/src/engine/limits.rs"
            if (name ~ /^max_(hw_)?sectors_kb$/) return "member_request_max_kib, array_request_max and parity.request_max in kernels/rules.toml; crates/sim/src/engine/limits.rs"
            if (name == "read_ahead_kb" || name == "optimal_io_size") return "read_ahead.disks_read_two_requests in kernels/rules.toml"
            if (name == "discard_max_bytes") return "crates/check/src/rules/paths.rs"
            if (name ~ /^atomic/) return "crates/check/src/rules/newer.rs"
            return "kernels/rules.toml"
        }
        function key() { return $1 "|" $2 "|" $3 }
        function tell(k, said,    part) {
            split(k, part, "|")
            print "- " part[2] ": " said ". Look at: " place(part[1], part[2], part[3]) "."
            told++
        }
        FNR == NR { old[key()] = $4; next }
        { new[key()] = $4; order[++count] = key() }
        END {
            for (at = 1; at <= count; at++) {
                k = order[at]
                split(k, part, "|")
                if (!(k in old)) tell(k, (part[1] == "line" ? "prints a line that it did not, `" part[3] "`" : "has `" part[3] "` now" (new[k] == "" ? "" : ", " new[k])))
                else if (old[k] != new[k] && part[1] == "sync") tell(k, part[3] " " new[k] "; before: " old[k])
                else if (old[k] != new[k]) tell(k, "`" part[3] "` is " new[k] ", it was " old[k])
            }
            for (k in old) if (!(k in new)) gone[++lost] = k
            for (at = 1; at <= lost; at++)
                for (to = at + 1; to <= lost; to++)
                    if (gone[to] < gone[at]) { k = gone[at]; gone[at] = gone[to]; gone[to] = k }
            for (at = 1; at <= lost; at++) {
                split(gone[at], part, "|")
                tell(gone[at], (part[1] == "line" ? "no longer prints `" : "no longer has `") part[3] "`")
            }
            if (!told) print "- nothing"
        }' "$1" "$2"
}

# The file of all has each line once, behind the kernels that have it: `6.12.117 7.3.4|limit|disk|...`.
# Prints the record of kernel $1.
recorded() {
    [ ! -e "$record" ] || awk -F'|' -v kernel="$1" '
        index(" " $1 " ", " " kernel " ") { print substr($0, length($1) + 2) }' "$record"
}

# Prints the kernels that are recorded, oldest first.
kernels() {
    [ ! -e "$record" ] || cut -d'|' -f1 "$record" | tr ' ' '\n' | sort -uV
}

# Puts the record of kernel $1, file $2, into the file of all.
keep() {
    local kernel
    for kernel in $({ kernels; echo "$1"; } | sort -uV); do
        if [ "$kernel" = "$1" ]; then sed "s/^/$kernel|/" "$2"; else recorded "$kernel" | sed "s/^/$kernel|/"; fi
    done | awk -F'|' '
        { line = substr($0, length($1) + 2) }
        line in of { of[line] = of[line] " " $1; next }
        { of[line] = $1; order[++count] = line }
        END { for (at = 1; at <= count; at++) print of[order[at]] "|" order[at] }' | sort -s -t'|' -k2,4 >"$folder/all"
    cp "$folder/all" "$record"
}

case ${1:-} in
compare)
    compare "$2" "$3"
    exit
    ;;
changes)
    compare <(recorded "$2") <(recorded "$3")
    exit
    ;;
esac

cases=${1:-40}
seed=${2:-$(date +%Y%m%d)}
suites=${SUITES:-trixie-backports sid experimental}
tools=${TOOLS:-sid}
program=${STRIPEWISE:-target/debug/stripewise}
folder=$(realpath -m "${FOLDER:-target/watch}")
mkdir -p "$folder"
here=$PWD

# What the guest runs. It prints records, and the output of programs between marks.
cat >"$folder/look.sh" <<'LOOK'
disks=(swd201 swd202 swd203 swd204)
for disk in "${disks[@]}"; do
    printf 'add name=%s seed=%032x size_bytes=1073741824 logical_block_bytes=512 physical_block_bytes=512 queue_depth=32 request_bytes_max=524288 rotational=0 store=edges store_bytes=16777216 store_blank_zeroes=1 link_read_bytes_per_s=0 link_write_bytes_per_s=0 link_command_ns=0 link_full_duplex=0 cache_volatile=1 cache_flush_ns=0 read_servers=1 write_servers=1 read_random=4096:1000 write_random=4096:1000' \
        "$disk" "${disk#swd}" >/tmp/add
    cp /tmp/add /dev/stripewise-disks
done
limits() {
    local name value
    for name in max_hw_sectors_kb max_sectors_kb chunk_sectors read_ahead_kb optimal_io_size discard_max_bytes atomic_write_unit_max_bytes; do
        value=absent
        [ ! -e "/sys/block/$2/queue/$name" ] || value=$(cat "/sys/block/$2/queue/$name")
        echo "limit|$1|$name|$value"
    done
}
said() {
    echo "SAID $1"
    shift
    "$@" 2>&1 || true
    echo SAID_END
}
# What a first sync does to each of four blank members, of which it takes 64 MiB.
first_sync() {
    local array=$1 disk all=131072 before=() now read written
    shift
    for disk in "${disks[@]}"; do before+=("$(awk '{ print $3, $7 }' "/sys/block/$disk/stat")"); done
    mdadm --quiet --create /dev/md0 --run --raid-devices=4 --size=64M --bitmap=none "$@" "${disks[@]/#//dev/}" </dev/null
    sleep 2
    mdadm --wait /dev/md0 || true
    for at in 0 1 2 3; do
        disk=${disks[at]}
        now=$(awk '{ print $3, $7 }' "/sys/block/$disk/stat")
        read=$((100 * (${now% *} - ${before[at]% *}) / all)) written=$((100 * (${now#* } - ${before[at]#* }) / all))
        echo "sync|first sync of $array|member $((at + 1))|read $(part "$read"), wrote $(part "$written")"
    done
    mdadm --quiet --stop /dev/md0
    mdadm --quiet --zero-superblock "${disks[@]/#//dev/}"
}
part() {
    if [ "$1" -lt 10 ]; then echo nothing; elif [ "$1" -ge 90 ] && [ "$1" -le 130 ]; then echo all; else echo "$1 %"; fi
}
echo "tool|mdadm|$(mdadm --version 2>&1 | sed 's/^mdadm - //; s/ - .*//')|"
echo "tool|fio|$(fio --version)|"
echo "tool|mkfs.xfs|$(mkfs.xfs -V)|"
limits disk swd201
for array in raid0:64 raid0:512 raid1:0 raid10:64 raid10:512 raid5:64 raid5:512 raid6:64 raid6:512; do
    level=${array%:*} chunk=${array#*:} options=()
    [ "$chunk" = 0 ] || options+=(--chunk="$chunk")
    [ "$level" = raid0 ] || options+=(--assume-clean --bitmap=internal)
    mdadm --quiet --create /dev/md0 --run --level="$level" --raid-devices=4 "${options[@]}" "${disks[@]/#//dev/}" </dev/null
    name=$level; [ "$chunk" = 0 ] || name="$level of ${chunk}K"
    limits "$name" md0
    if [ "$array" = raid1:0 ] || [ "$array" = raid5:64 ]; then
        for path in /sys/block/md0/md/* /sys/block/md0/md/dev-swd201/*; do
            file=${path#/sys/block/md0/md/}
            echo "file|$level|${file/dev-swd201/dev-*}|"
        done
    fi
    if [ "$array" = raid5:64 ]; then
        said "/proc/mdstat" cat /proc/mdstat
        said "mdadm --detail" mdadm --detail /dev/md0
        said "mdadm --examine" mdadm --examine /dev/swd201
        said "mdadm -X" mdadm -X /dev/swd201
        said "mkfs.xfs -N" mkfs.xfs -N -f /dev/md0
        said "fio JSON" fio --name=w --filename=/dev/md0 --rw=randread --bs=4k --size=1m --number_ios=8 --output-format=json
    fi
    mdadm --quiet --stop /dev/md0
    mdadm --quiet --zero-superblock "${disks[@]/#//dev/}"
done
first_sync raid1 --level=raid1
first_sync raid10 --level=raid10 --chunk=64
first_sync raid5 --level=raid5 --chunk=64
first_sync raid6 --level=raid6 --chunk=64
LOOK

cat >"$folder/one.toml" <<'STUDY'
[stack.one]
devices = { slow-sata = 1 }
filesystem = "none"
[workload]
pattern    = "randread"
block_size = "4K"
size       = "96M"
STUDY

# Records what arrays and programs show in the guest with kernel $1, into file $2.
look() {
    {
        echo "cat > /tmp/look.sh <<'SCRIPT_ENDS'"
        cat "$folder/look.sh"
        echo SCRIPT_ENDS
        # Split, so that the echo of this line is no marker.
        echo "bash /tmp/look.sh > /tmp/seen; echo WATCH''_BEGIN; cat /tmp/seen; echo WATCH''_END"
        echo exit
    } >"$folder/input"
    "$program" lab shell "$folder/one.toml" --profiles "$here/studies" --cache "$folder/cache" --clock virtual --kernel "$1" \
        <"$folder/input" >"$folder/$1.shell" 2>"$folder/$1.errors" || true
    tr -d '\r' <"$folder/$1.shell" | sed -n '/^WATCH_BEGIN/,/^WATCH_END/{//!p}' | awk '
        /^SAID_END$/ { what = ""; next }
        /^SAID / { what = substr($0, 6); next }
        what == "" { print; next }
        {
            sub(/Checksum : [0-9a-f]+/, "Checksum : N"); gsub(/[0-9a-f]+(:[0-9a-f]+)+/, "N"); gsub(/[0-9]+(\.[0-9]+)?/, "N"); gsub(/[|]/, "/"); gsub(/(^ +| +$)/, ""); gsub(/[ \t]+/, " ")
            if ($0 != "" && !seen[what, $0]++) print "line|" what "|" $0 "|"
        }' >"$2"
    [ -s "$2" ] || { echo "$1: the guest showed nothing; see $folder/$1.shell and .errors" >&2; return 1; }
}

differing=0
for suite in $suites; do
    begun=$SECONDS
    if ! "$program" lab prepare --suite "$suite" --tools "$tools" --cache "$folder/cache" --plain >"$folder/$suite.prepare" 2>&1; then
        echo "$suite: no guest was prepared: $(tail -n 1 "$folder/$suite.prepare")"
        continue
    fi
    release=$(sed -n 's/^guest \([^ ]*\) is prepared.*/\1/p' "$folder/$suite.prepare" | tail -n 1)
    kernel=${release%%[+-]*}
    echo "## $suite: $release"
    counts=$folder/$kernel.jsonl
    rm -f "$counts"
    "$program" verify-model --kernel "$release" --cache "$folder/cache" --cases "$cases" --seed "$seed" --attempts "${ATTEMPTS:-20}" \
        --keep "$counts" --plain >"$folder/$kernel.cases" 2>"$folder/$kernel.progress" || differing=1
    tail -n 1 "$folder/$kernel.cases"
    grep -h '^case [0-9]* differs' "$folder/$kernel.progress" "$folder/$kernel.cases" | sort -u | sed 's/^/- /' || true
    echo "  A case that differs: find the function in the kernel's source, and add the change to kernels/rules.toml;"
    echo "  stripewise verify-model --golden ${counts#"$here"/} repeats the comparison."
    seen=$folder/$kernel.seen
    look "$release" "$seen" || { differing=1; continue; }
    before=$({ kernels; echo "$kernel"; } | sort -uV | sed "/^$kernel\$/,\$d" | tail -n 1)
    if [ -n "$before" ]; then
        echo "Differs from $before:"
        compare <(recorded "$before") "$seen"
    fi
    if [ -n "${UPDATE_EXPECT:-}" ]; then
        keep "$kernel" "$seen"
    elif [ -n "$(recorded "$kernel")" ]; then
        echo "Differs from what was recorded of $kernel:"
        compare <(recorded "$kernel") "$seen"
    fi
    echo "It took $(((SECONDS - begun) / 60)) minutes."
done
exit "$differing"
