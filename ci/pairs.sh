#!/usr/bin/env bash
# Records pairs of measurements, before and after, between which known causes stand: what `explain` is
# judged by. Everything is measured on this machine's kernel, and nothing comes from our model.
#
#   ci/pairs.sh SEED FIRST LAST FOLDER     records pairs FIRST to LAST into FOLDER/SEED-NUMBER-KIND
#
# A pair that is there is kept, so the same command continues after a kill. Pairs may be recorded side by
# side, each of another range of numbers. Needs root (loop devices, blkio.throttle of cgroup v1), fio,
# mkfs.ext4, mkfs.xfs and mkfs.btrfs, and the program (STRIPEWISE, else target/debug/stripewise). In a guest
# of the lab, where ci/pairs-lab.sh starts it, the disks are modelled ones below a real md instead.
#
# Here the disk is a loop device on a file in memory, whose I/Os and bytes a second the kernel limits, as
# those of a volume in a cloud: what other programs do then hardly moves a result. A fact that differs is
# a *cause* if its own effect was measured, or a *decoy* if it is below 2 %. All conditions are
# measured in turn, in random order: decoys six times, whose interval is the least and the greatest ratio
# (it holds the median in 97 of 100), the others nine times, whose interval leaves out one on each side (96).
# truth.toml says what was measured. crates/stripewise/tests/pairs/kinds.toml lists the kinds of causes, and
# which half a method may not be developed on.
set -euo pipefail
[ $# -eq 4 ] || { sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2; exit 2; }
# Mounts of our own: what another program of this machine copies of them would keep the devices busy.
[ -e /agent/start ] || [ -n "${STRIPEWISE_PAIRS_MOUNTS:-}" ] || STRIPEWISE_PAIRS_MOUNTS=own exec unshare --mount bash "$0" "$@"
seed=$1 first=$2 last=$3 folder=$4
if [ -e /agent/start ]; then
    source=lab program=/agent/start
else
    source=loop program=$(realpath "${STRIPEWISE:-$(dirname "$0")/../target/debug/stripewise}")
fi
repeats=6
repeats_of_causes=9
decoys_min=5
# The greatest effect of a decoy, in thousandths, and of all together beside the causes.
effect_max=20
effect_together_max=40
# The least effect of a cause, alone.
effect_min=80
throttle=/sys/fs/cgroup/blkio/blkio.throttle
device='' other='' work='' target='' number=0
# Else other programs of this machine are measured, too.
renice -n -15 -p $$ >/dev/null || true

fail() { echo "pairs.sh: pair $number: $*" >&2; return 1; }

# --- The disk, and what is set on it ---

limit() { # KEY VALUE: a limit of the device; 0 for none
    echo "$(<"/sys/block/${device#/dev/}/dev") $2" >"$throttle.${1}_device"
}

limits() { # IOPS BYTES: the limits of reads and of writes
    limit read_iops "$1"; limit write_iops "$1"; limit read_bps "$2"; limit write_bps "$2"
}

queue() { # KEY VALUE [DEVICE]
    local of=${3:-$device}
    echo "$2" >"/sys/block/${of#/dev/}/queue/$1"
}

clean() {
    [ -n "$work" ] || return 0
    if [ $source = lab ]; then
        mdadm --quiet --stop /dev/md0 || true
    else
        for of in disk other; do ! mountpoint -q "$work/$of" || umount "$work/$of"; done
        [ -z "$device" ] || { limits 0 0; losetup -d "$device"; }
        [ -z "$other" ] || losetup -d "$other"
    fi
    rm -rf "$work"
    device='' other='' work=''
}
declare -A base now mounted
# The modelled disks of a guest, beside those that its agent holds; crates/lab/module/README.md has the keys.
# They are slow, so that the guest's core does not decide. The last belongs to no array.
lab_disks=(swd101 swd102 swd103 swd104 swd105)

add_lab_disks() {
    local disk
    for disk in "${lab_disks[@]}"; do
        [ ! -e "/dev/$disk" ] || continue
        printf 'add name=%s seed=%032x %s\n' "$disk" "$((RANDOM + 1))" \
            "size_bytes=268435456 logical_block_bytes=512 physical_block_bytes=4096 queue_depth=32
            request_bytes_max=1048576 rotational=0 store=edges store_bytes=8388608 store_blank_zeroes=1
            link_read_bytes_per_s=60000000 link_write_bytes_per_s=60000000 link_command_ns=20000
            link_full_duplex=0 cache_volatile=1 cache_flush_ns=3000000 read_servers=4 write_servers=2
            read_random=4096:900000,65536:2200000 read_sequential=4096:300000,65536:1400000
            write_random=4096:700000,65536:2500000 write_sequential=4096:400000,65536:1700000" |
            tr -s '\n ' ' ' | sed 's/ $//' >"$work/add"
        cp "$work/add" /dev/stripewise-disks
    done
}

# Makes the filesystem and its file, unless they are there as `now` says.
mount_as_asked() {
    local made="${now[fs]} ${now[fragmented]} ${now[file_mib]}" options=${now[options]}
    if [ "${mounted[made]:-}" != "$made" ]; then
        mountpoint -q "$work/disk" && umount "$work/disk"
        case ${now[fs]} in
        ext4) mkfs.ext4 -q -F "$device" ;;
        xfs) mkfs.xfs -q -f "$device" ;;
        btrfs) mkfs.btrfs -q -f "$device" >"$work/lay.log" ;;
        esac
        mount -o "$options" "$device" "$work/disk"
        # The file has data, else reads would find holes.
        fio --name=lay --filename="$work/disk/file" --size="${now[file_mib]}M" --rw=write --bs=1M \
            --refill_buffers --end_fsync=1 >"$work/lay.log"
        if [ "${now[fragmented]}" = yes ]; then
            fio --name=scatter --filename="$work/disk/file" --size="${now[file_mib]}M" --rw=randwrite \
                --bs=16k --refill_buffers --end_fsync=1 >"$work/lay.log"
        fi
    fi
    # Every time, because what a filesystem remembers since it was mounted moves results by 10 %.
    umount "$work/disk"
    mount -o "$options" "$device" "$work/disk"
    mounted=([made]=$made)
}

# Builds the array, unless it is there as `now` says. Its members are blank, so they agree.
build_as_asked() {
    local made="${now[level]} ${now[layout]} ${now[chunk]} ${now[bitmap]} ${now[disks]}" options=() disks
    if [ "${mounted[made]:-}" != "$made" ]; then
        [ ! -e /dev/md0 ] || mdadm --quiet --stop /dev/md0
        mapfile -t disks < <(printf '/dev/%s\n' "${lab_disks[@]:0:${now[disks]}}")
        mdadm --quiet --zero-superblock "${disks[@]}" 2>/dev/null || true
        [ "${now[level]}" = 1 ] || options+=(--chunk="${now[chunk]}")
        [ "${now[level]}" != 10 ] || options+=(--layout="${now[layout]}")
        [ "${now[level]}" = 0 ] || options+=(--assume-clean --bitmap="${now[bitmap]}")
        mdadm --quiet --create /dev/md0 --run --level="${now[level]}" --raid-devices="${now[disks]}" \
            "${options[@]}" "${disks[@]}"
    fi
    mounted=([made]=$made)
}

apply_in_guest() {
    local of
    build_as_asked
    for of in "${lab_disks[@]:0:${now[disks]}}"; do
        queue scheduler "${now[scheduler]}" "$of"
        queue rotational "${now[rotational]}" "$of"
        queue read_ahead_kb "${now[member_read_ahead]}" "$of"
    done
    queue read_ahead_kb "${now[read_ahead]}" md0
    queue scheduler "${now[other_scheduler]}" "${lab_disks[-1]}"
    [ ! -e /sys/block/md0/md/stripe_cache_size ] || [ -z "${now[stripe_cache]}" ] ||
        echo "${now[stripe_cache]}" >/sys/block/md0/md/stripe_cache_size
    echo "${now[speed_limit]}" >/proc/sys/dev/raid/speed_limit_max
    echo "${now[dirty_ratio]}" >/proc/sys/vm/dirty_ratio
}

apply() {
    [ $source = loop ] || { apply_in_guest; return; }
    limits 0 0
    mount_as_asked
    queue scheduler "${now[scheduler]}"
    queue read_ahead_kb "${now[read_ahead]}"
    queue rotational "${now[rotational]}"
    queue write_cache "${now[write_cache]}"
    queue scheduler "${now[other_scheduler]}" "$other"
    mount -o "remount,${now[other_options]}" "$work/other"
    limits "${now[iops]}" "${now[bytes]}"
}

# Measures the condition `now` into a file of fio.
measure() { # FILE
    apply
    local options=() key neighbour=''
    for key in "${!now[@]}"; do
        case $key in
        fio:*) [ -n "${now[$key]}" ] && options+=("--${key#fio:}=${now[$key]}") ;;
        esac
    done
    mapfile -t options < <(printf '%s\n' "${options[@]}" | sort)
    if [ "${now[neighbour]}" = yes ]; then
        fio --name=neighbour --filename="$target" --size="${now[file_mib]}M" --rw=randread --bs=4k \
            --direct=1 --ioengine=libaio --iodepth=4 --time_based --runtime=30 >"$work/neighbour.log" &
        neighbour=$!
        sleep 0.1
    fi
    fio --name=load --filename="$target" --size="${now[file_mib]}M" "${options[@]}" \
        --output-format=json --output="$1" || fail "fio failed: $(tail -n 2 "$1")"
    [ -z "$neighbour" ] || { kill "$neighbour"; wait "$neighbour" || true; }
}

# --- Conditions ---

# A change is `key|before|after`, where the key is one of `base`; of a cause, with its kind before it. fio's
# result or the facts show all causes but those in `hidden`. Each load has those that fit to it.
loads=(random-read random-write stream-read stream-write)
lab_loads=(md-random-read md-random-write md-parity-write md-stream-read)

lab_load() { # NAME: the same for arrays in a guest
    base=([level]=10 [layout]=n2 [chunk]=64 [bitmap]=internal [disks]=4 [scheduler]=none [rotational]=0
        [read_ahead]=256 [member_read_ahead]=128 [other_scheduler]=none [stripe_cache]= [speed_limit]=200000
        [dirty_ratio]=20 [neighbour]=no [file_mib]=96 [fio:runtime]=300ms [fio:ramp_time]=50ms
        [fio:time_based]=1 [fio:ioengine]=libaio [fio:iodepth]=8 [fio:randrepeat]=0 [fio:direct]=1 [fio:bs]=4k
        [fio:norandommap]= [fio:thread]= [fio:fsync]= [fio:rate_iops]= [fio:thinktime]=)
    decoys=("other_scheduler|none|mq-deadline" "speed_limit|200000|100000" "dirty_ratio|20|30" "rotational|0|1"
        "member_read_ahead|128|256" "fio:thread||1" "fio:norandommap||1" "speed_limit|200000|400000")
    causes=() hidden=("neighbour|neighbour|no|yes")
    case $1 in
    md-random-read)
        base[fio:rw]=randread
        causes=("block_size|fio:bs|4k|16k" "depth|fio:iodepth|8|2" "depth|fio:iodepth|4|16" "level|level|10|0"
            "members|disks|4|2" "chunk|chunk|64|4" "engine|fio:ioengine|libaio|psync")
        decoys+=("bitmap|internal|none" "read_ahead|256|512")
        ;;
    md-random-write)
        base[fio:rw]=randwrite
        causes=("bitmap|bitmap|none|internal" "level|level|10|5" "depth|fio:iodepth|8|2" "block_size|fio:bs|4k|32k"
            "sync_each|fio:fsync||1")
        decoys+=("read_ahead|256|512")
        ;;
    md-parity-write)
        base[fio:rw]=write base[level]=5 base[layout]= base[bitmap]=none base[fio:bs]=64k base[fio:iodepth]=4
        base[stripe_cache]=256
        causes=("chunk|chunk|64|512" "level|level|5|6" "level|level|5|0" "stripe_cache|stripe_cache|256|32"
            "stripe_cache|stripe_cache|256|2048" "block_size|fio:bs|64k|192k")
        decoys+=("read_ahead|256|512")
        ;;
    md-stream-read)
        base[fio:rw]=read base[fio:direct]=0 base[fio:ioengine]=psync base[fio:iodepth]= base[fio:bs]=64k
        base[level]=0 base[layout]= base[fio:norandommap]=
        causes=("read_ahead|read_ahead|256|16" "read_ahead|read_ahead|256|2048" "chunk|chunk|64|512"
            "members|disks|4|2" "file_cache|fio:direct|0|1")
        decoys+=("fio:ioengine|psync|sync" "fio:ioengine|psync|pvsync2")
        ;;
    esac
}

load() { # NAME: fills `base`, `causes` and `decoys`
    [ $source = loop ] || { lab_load "$1"; return; }
    base=([fs]=ext4 [options]=rw,relatime [scheduler]=none [read_ahead]=128 [rotational]=0
        [write_cache]='write back' [other_scheduler]=none [other_options]=relatime [iops]=500 [bytes]=0
        [neighbour]=no [fragmented]=no [file_mib]=48 [fio:runtime]=800ms [fio:ramp_time]=150ms
        [fio:time_based]=1 [fio:ioengine]=psync [fio:randrepeat]=0 [fio:direct]=1 [fio:bs]=4k
        [fio:refill_buffers]= [fio:norandommap]= [fio:thread]= [fio:invalidate]= [fio:fsync]= [fio:sync]=
        [fio:rate_iops]= [fio:thinktime]= [fio:buffer_compress_percentage]= [fio:iodepth]=)
    decoys=("scheduler|none|mq-deadline" "scheduler|none|kyber" "rotational|0|1"
        "other_scheduler|none|bfq" "other_scheduler|none|mq-deadline" "other_options|relatime|noatime"
        "other_options|relatime|nodiratime" "fio:thread||1" "options|rw,relatime|rw,noatime"
        "options|rw,relatime|rw,nodiratime,relatime")
    causes=() hidden=()
    case $1 in
    random-read)
        base[fio:rw]=randread
        causes=("block_size|fio:bs|4k|16k" "block_size|fio:bs|8k|4k" "rate|fio:rate_iops||300"
            "think_time|fio:thinktime||4000")
        hidden=("device_limit|iops|500|330" "device_limit|iops|400|500" "neighbour|neighbour|no|yes")
        decoys+=("read_ahead|128|256" "read_ahead|128|64" "write_cache|write back|write through"
            "fio:norandommap||1" "fio:ioengine|psync|pvsync2" "fio:ioengine|psync|libaio"
            "options|rw,relatime|rw,relatime,commit=30" "options|rw,relatime|rw,relatime,discard")
        ;;
    random-write)
        base[fio:rw]=randwrite
        causes=("block_size|fio:bs|4k|8k" "sync_each|fio:fsync||1" "sync_each|fio:fsync||4" "sync_open|fio:sync||1"
            "journal|options|rw,relatime|rw,relatime,data=journal" "mount_sync|options|rw,relatime|rw,relatime,sync"
            "filesystem|fs|ext4|btrfs" "rate|fio:rate_iops||350")
        hidden=("device_limit|iops|500|350" "neighbour|neighbour|no|yes")
        decoys+=("read_ahead|128|256" "read_ahead|128|32" "fio:norandommap||1" "fio:ioengine|psync|pvsync2"
            "fio:refill_buffers||1")
        ;;
    stream-read)
        base[fio:rw]=read base[fio:direct]=0 base[iops]=80 base[fio:runtime]=1600ms base[fio:bs]=64k base[file_mib]=192
        causes=("read_ahead|read_ahead|128|32" "read_ahead|read_ahead|64|256" "file_cache|fio:direct|0|1"
            "filesystem|fs|ext4|btrfs")
        hidden=("device_limit|iops|80|55" "device_limit|iops|60|80")
        decoys+=("write_cache|write back|write through" "fio:ioengine|psync|sync" "fio:ioengine|psync|pvsync2"
            "options|rw,relatime|rw,relatime,discard")
        ;;
    cow-read)
        # btrfs reads ahead by its own setting, not by that of the disk.
        base[fio:rw]=read base[fio:direct]=0 base[iops]=80 base[fio:runtime]=1600ms base[fio:bs]=64k base[fs]=btrfs
        base[file_mib]=192
        causes=("file_cache|fio:direct|0|1" "filesystem|fs|btrfs|xfs")
        hidden=("fragmented|fragmented|no|yes")
        decoys+=("read_ahead|128|32" "read_ahead|128|256" "write_cache|write back|write through"
            "fio:ioengine|psync|sync" "options|rw,relatime|rw,relatime,discard=async")
        ;;
    stream-write)
        base[fio:rw]=write base[fio:direct]=0 base[iops]=0 base[bytes]=8388608 base[fio:bs]=128k base[fs]=btrfs
        base[fio:fsync]=4 base[fio:runtime]=1600ms base[fio:buffer_compress_percentage]=70 base[fio:refill_buffers]=1 base[file_mib]=96
        causes=("compression|options|rw,relatime|rw,relatime,compress-force=zstd:1"
            "compression|options|rw,relatime|rw,relatime,compress-force=lzo" "sync_each|fio:fsync|4|1"
            "mount_sync|options|rw,relatime|rw,relatime,sync")
        hidden=("device_limit|bytes|8388608|5000000" "device_limit|bytes|6000000|8388608")
        decoys+=("read_ahead|128|256" "fio:ioengine|psync|sync" "fio:invalidate||0")
        ;;
    esac
}

# Sets the condition: the base, the named changes (`key|before|after`).
condition() { # CHANGE...
    local change key before after
    now=()
    for key in "${!base[@]}"; do now[$key]=${base[$key]}; done
    for change in "$@"; do
        IFS='|' read -r key before after <<<"$change"
        now[$key]=$after
    done
}

# Draws changes of different keys, none of which is in `taken`, into `drawn`.
draw_changes() { # COUNT CHANGE...
    local count=$1 pool=() key place
    shift
    pool=("$@")
    while [ "$count" -gt 0 ] && [ ${#pool[@]} -gt 0 ]; do
        place=$((RANDOM % ${#pool[@]}))
        key=$(rev <<<"${pool[place]}" | cut -d'|' -f3 | rev)
        if [[ " $taken " != *" $key "* ]]; then
            taken+=" $key"
            drawn+=("${pool[place]}")
            count=$((count - 1))
        fi
        unset "pool[place]"
        pool=("${pool[@]}")
    done
}

# --- Results ---

rate_of() { awk -F'[:,]' '/"bw_bytes"/ { bytes += $2 } END { print bytes }' "$1"; }

# Prints the median, the least and the greatest ratio of two conditions, in the order of the repeats.
ratio() { # CONDITION AGAINST
    local repeat
    for repeat in $(seq $repeats); do
        echo "$(rate_of "$work/$1.$repeat") $(rate_of "$work/$2.$repeat")"
    done | awk '{ print $1 / $2 }' | sort -g |
        awk '{ all[NR] = $1 } END {
            out = NR < 9 ? 0 : 1
            median = (all[int((NR + 1) / 2)] + all[int(NR / 2) + 1]) / 2
            printf "{ median = %.4f, low = %.4f, high = %.4f }", median, all[1 + out], all[NR - out]
        }'
}

is_small() { # RATIO MAX: whether its median is so many thousandths from 1, or fewer
    awk -F'[ ,]+' -v max="$2" '{ off = ($4 - 1) * 1000; exit !(off < max && off > -max) }' <<<"$1"
}

# Measures conditions in turn, each time in another order: pairs of a name and a list of changes.
measure_all() { # NAME...: with the changes of each in `changes_of[NAME]`, one a line
    local repeat name names changes place
    for repeat in $(seq $repeats); do
        names=("$@")
        while [ ${#names[@]} -gt 0 ]; do
            place=$((RANDOM % ${#names[@]}))
            name=${names[place]}
            unset "names[place]"
            names=("${names[@]}")
            mapfile -t changes < <(printf '%s' "${changes_of[$name]}")
            condition "${changes[@]}"
            measure "$work/$name.$repeat"
        done
    done
}

# Copies what matters of the facts, as `stripewise collect` writes them, without this machine's own.
collect() { # FOLDER
    "$program" collect --quiet --out "$work/facts"
    mkdir -p "$1/proc/sys/kernel"
    local of path
    if [ $source = lab ]; then
        cp -r "$work/facts/proc" "$work/facts/sys" "$1"
        find "$1" -path '*/proc/[0-9]*' -o -path '*/sys/bus/*' -o -path '*/sys/class/*' | xargs rm -rf
        rm -rf "$work/facts"
        return
    fi
    sed -n "s#$work#/srv#p" "$work/facts/proc/mounts" >"$1/proc/mounts"
    cp "$work/facts/proc/meminfo" "$1/proc/meminfo"
    # The version says which rules hold; what a builder appended names no rule.
    sed 's/-.*//' "$work/facts/proc/sys/kernel/osrelease" >"$1/proc/sys/kernel/osrelease"
    [ ! -d "$work/facts/proc/sys/vm" ] || cp -r "$work/facts/proc/sys/vm" "$1/proc/sys/vm"
    for of in "$device" "$other"; do
        path=sys/block/${of#/dev/}
        mkdir -p "$1/$path"
        cp -r "$work/facts/$path/." "$1/$path"
        path=proc/fs/ext4/${of#/dev/}
        [ ! -d "$work/facts/$path" ] || { mkdir -p "$1/proc/fs/ext4"; cp -r "$work/facts/$path" "$1/proc/fs/ext4"; }
    done
    rm -rf "$work/facts"
}

toml() { echo "\"$1\""; }

# Prints a table of truth.toml about a change.
entry() { # TABLE KIND CHANGE RECORDED RATIO
    local key before after
    IFS='|' read -r key before after <<<"$3"
    printf '\n[[%s]]\n' "$1"
    [ -z "$2" ] || echo "kind = $(toml "$2")"
    echo "key = $(toml "$key")"
    echo "before = $(toml "$before")"
    echo "after = $(toml "$after")"
    [ -z "$4" ] || echo "recorded = $4"
    echo "ratio = $5"
}

open_disk() {
    work=$(mktemp -d /dev/shm/stripewise-pairs-XXXXXX)
    mounted=()
    target=$work/disk/file
    if [ $source = lab ]; then
        target=/dev/md0
        add_lab_disks
        return
    fi
    mkdir "$work/disk" "$work/other"
    truncate -s 512M "$work/image"
    truncate -s 16M "$work/image2"
    device=$(losetup -f --show "$work/image")
    other=$(losetup -f --show "$work/image2")
    mkfs.ext4 -q -F "$other"
    mount "$other" "$work/other"
}

# Records one pair.
pair() {
    RANDOM=$((seed * 1009 + number))
    declare -A changes_of=([before]='')
    local class name place taken='' drawn=() chosen=() kinds=() kept=() change key effect part
    # Of five: two with a single cause, one each with two, with one that no fact shows, and with none.
    class=$((number % 5))
    [ $source = loop ] || loads=("${lab_loads[@]}")
    name=${loads[RANDOM % ${#loads[@]}]}
    [ "$name" != stream-read ] || [ $((number % 2)) -eq 0 ] || name=cow-read
    load "$name"
    local pool=("${causes[@]}") count=1 recorded=true
    case $class in
    2) count=2 ;;
    3) pool=("${hidden[@]}") recorded=false ;;
    4) count=0 ;;
    esac
    drawn=()
    draw_changes $count "${pool[@]}"
    for place in "${!drawn[@]}"; do
        kinds+=("${drawn[place]%%|*}")
        chosen+=("${drawn[place]#*|}")
        key=${chosen[place]%%|*}
        # A change may begin at another value than the load's usual one.
        base[$key]=$(cut -d'|' -f2 <<<"${chosen[place]}")
        # Options of one filesystem are none of another.
        [ "$key" != fs ] || mapfile -t decoys < <(printf '%s\n' "${decoys[@]}" | grep -v -e ,commit -e ,discard)
    done
    local folder_of="$folder/$seed-$number-${name}" label
    label=$(IFS=+; echo "${kinds[*]:-noise}")
    folder_of+="-$label"
    [ ! -e "$folder_of/truth.toml" ] || return 0
    open_disk

    drawn=()
    draw_changes 7 "${decoys[@]}"
    for place in "${!drawn[@]}"; do changes_of[decoy$place]=${drawn[place]}; done
    measure_all before $(printf 'decoy%s ' "${!drawn[@]}")
    local -a effects=()
    for place in "${!drawn[@]}"; do
        effect=$(ratio decoy$place before)
        echo "$name ${drawn[place]} $effect" >&2
        if is_small "$effect" $effect_max; then kept+=("${drawn[place]}"); effects+=("$effect"); fi
    done
    [ ${#kept[@]} -ge $decoys_min ] || { fail "only ${#kept[@]} decoys were below 2 %"; clean; return 1; }

    changes_of[decoys]=$(printf '%s\n' "${kept[@]}")
    changes_of[after]=$(printf '%s\n' "${kept[@]}" "${chosen[@]}")
    local names=(before decoys after)
    for place in "${!chosen[@]}"; do
        changes_of[cause$place]=${chosen[place]}
        names+=("cause$place")
    done
    changes_of[causes]=$(printf '%s\n' "${chosen[@]}")
    names+=(causes)
    repeats=$repeats_of_causes
    measure_all "${names[@]}"
    # A decoy that does nothing alone may do something beside a cause: a flush that is not sent, for one.
    is_small "$(ratio after causes)" $effect_together_max ||
        fail "the decoys have an effect beside the causes: $(ratio after causes)"
    for place in "${!chosen[@]}"; do
        ! is_small "$(ratio "cause$place" before)" $effect_min ||
            fail "${chosen[place]} has no effect: $(ratio "cause$place" before)"
    done
    local made="$work/pair"
    mkdir "$made"
    condition; apply; collect "$made/before"
    mapfile -t part <<<"${changes_of[after]}"
    condition "${part[@]}"; apply; collect "$made/after"
    # One file of fio of each side, or three as three runs of fio write them.
    local runs=1
    [ $((RANDOM % 3)) -ne 0 ] || runs=3
    for part in before after; do
        for place in $(seq $runs); do
            sed "s#$work#/srv#g" "$work/$part.$place"
        done >"$made/$part.json"
    done
    {
        echo "# What was measured between before and after; made by ci/pairs.sh."
        echo "schema = 1"
        echo "source = \"$source\""
        echo "kernel = $(toml "$(uname -r | sed 's/-.*//')")"
        echo "command = \"ci/pairs.sh $seed $number $number FOLDER\""
        echo "seed = $seed"
        echo "number = $number"
        echo "load = $(toml "$name")"
        echo "metric = \"bandwidth\""
        echo "repeats = $repeats"
        echo "device = $(toml "$([ $source = lab ] && echo /dev/md0 || echo "$device")")"
        echo "# after / before; with all decoys and no cause; after / that, as if the causes were undone; with all causes and no decoy"
        echo "ratio = $(ratio after before)"
        echo "ratio_decoys = $(ratio decoys before)"
        echo "ratio_undone = $(ratio after decoys)"
        echo "ratio_decoys_after = $(ratio after causes)"
        for place in "${!chosen[@]}"; do
            entry cause "${kinds[place]}" "${chosen[place]}" "$recorded" "$(ratio "cause$place" before)"
        done
        for place in "${!kept[@]}"; do
            entry decoy "" "${kept[place]}" "" "${effects[place]}"
        done
    } >"$made/truth.toml"
    mkdir -p "$folder"
    rm -rf "$folder_of"
    cp -r "$made" "$folder_of.new"
    mv "$folder_of.new" "$folder_of"
    clean
    echo "${folder_of##*/}: $(grep '^ratio = ' "$folder_of/truth.toml" | head -n 1)" >&2
}

lost=0
for number in $(seq "$first" "$last"); do
    set +e
    (set -e; trap clean EXIT; trap 'exit 143' TERM INT HUP; pair)
    [ $? -eq 0 ] || { echo "pairs.sh: pair $number was not recorded" >&2; lost=$((lost + 1)); }
    set -e
done
[ "$lost" -eq 0 ]
