#!/bin/sh
# Builds, measures and removes every kind of stack on a real kernel, and kills the tool at every
# step of it. Runs as root in a disposable guest; see README.md beside it.
#
# The failure it guards against: a run was killed while its array was being created. Half of the
# members had a superblock. At the next boot the machine assembled what it found, and the disks
# could neither be used nor be released.
set -u
export LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp NO_COLOR=1 TERM=dumb
here=$(pwd)
tool=${STRIPEWISE:-$here/stripewise}
only=" $* "
work=/tmp/lab_guest
failed=0
reported=0
checks=0
mkdir -p $work && cd $work || exit 2
export XDG_DATA_HOME=$work/data

say() { echo "lab_guest: $*"; }
# good WORDS: prints WORDS, unless a check failed since the last call.
good() { [ $failed -eq "$reported" ] && say "$*"; reported=$failed; }
fail() { say "FAILED: $*"; failed=$((failed + 1)); }

# Existing directories belong to others: to the agent, in a guest of the lab.
others=$(ls -d /run/.stripewise-* 2>/dev/null)

# Loop devices on sparse files in memory: they only use the space that is written.
modprobe loop 2>/dev/null
loops="0 1 2 3"
trap 'for i in $loops; do losetup -d /dev/loop$i 2>/dev/null; done' EXIT
for i in $loops; do
    truncate -s 160M disk$i && losetup /dev/loop$i disk$i || exit 2
done

# The settings of the disks' queues and of the kernel, which a run may change and must restore.
queues() {
    cat /proc/sys/vm/dirty_ratio /proc/sys/vm/swappiness
    for i in $loops; do
        cat /sys/block/loop$i/queue/nr_requests /sys/block/loop$i/queue/max_sectors_kb
    done
}
queues_before=$(queues)

# study NAME 'TABLE OF THE STACK': a short study of one cell.
study() {
    cat > "$1.toml" <<EOF
[may_destroy]
"disk" = ["/dev/loop0", "/dev/loop1", "/dev/loop2", "/dev/loop3"]
[stack.it]
$2
[workload]
pattern = "randrw"
mix = "50/50"
block_size = "16K"
size = "8M"
jobs = 2
engine = "psync"
[repeat]
sample = "200ms"
at_least = 2
at_most = 2
budget = "10m"
EOF
}

# clean NAME: checks that no array, mount, directory, process, signature or marker is left.
clean() {
    checks=$((checks + 1))
    grep -q '^md' /proc/mdstat 2>/dev/null && fail "$1: an array runs: $(grep '^md' /proc/mdstat)"
    ls /sys/block | grep -q -e '^md' -e '^dm-' && fail "$1: $(ls /sys/block | grep -e '^md' -e '^dm-' | tr '\n' ' ')"
    grep -q '\.stripewise-' /proc/mounts && fail "$1: $(grep '\.stripewise-' /proc/mounts)"
    [ "$(ls -d /run/.stripewise-* 2>/dev/null)" = "$others" ] || fail "$1: $(ls -d /run/.stripewise-*)"
    pidof mdmon >/dev/null && fail "$1: mdmon runs"
    [ "$(queues)" = "$queues_before" ] || fail "$1: queues: $(queues | tr '\n' ' ')"
    for i in $loops; do
        found=$(wipefs -n /dev/loop$i)
        [ -z "$found" ] || fail "$1: loop$i: $found"
        mdadm --examine /dev/loop$i >/dev/null 2>&1 && fail "$1: loop$i: $(mdadm --examine /dev/loop$i | head -3)"
        head -c 4096 /dev/loop$i | grep -q 'stripewise marker' && fail "$1: loop$i has our marker"
    done
}

# A loop device is confirmed by the file behind it.
confirm=
for i in $loops; do
    confirm="$confirm --yes-destroy $(cat /sys/block/loop$i/loop/backing_file)"
done
"$tool" run --help | grep -q yes-destroy || confirm=

run() { "$tool" run "$1.toml" $confirm --json > "$1.json" 2> "$1.err"; }

# wanted NAME: NAME is on the command line, or the command line is empty.
wanted() {
    case $only in "  " | *" $1 "*) return 0 ;; esac
    return 1
}

# per_byte NAME LOW HIGH: the samples count, and the disks wrote LOW to HIGH bytes for each byte that
# the load wrote.
per_byte() {
    found=$(tr -d ' \n' < "$1.json" |
        sed -n 's/.*"device_bytes_per_byte":{"read":[^,]*,"write":\([0-9.]*\)}.*/\1/p')
    say "$1: ${found:-no} bytes written for each byte"
    awk "BEGIN { exit !(${found:-0} >= $2 && ${found:-0} <= $3) }" ||
        fail "$1: ${found:-no} bytes written for each byte, not $2 to $3"
}

# works NAME MEMBERS 'TABLE' [LOW HIGH]: the stack is built, measured on MEMBERS devices, and
# removed; the disks write LOW to HIGH bytes for each byte of the load.
works() {
    wanted "$1" || return 0
    study "$1" "$3"
    run "$1" || fail "$1: exit $?: $(tail -5 "$1.err" | tr '\n' ' ')"
    last=$(($2 - 1))
    grep -q "\"device\": \"loop$last\"" "$1.json" || fail "$1: no counters of loop$last"
    [ $# -eq 3 ] || per_byte "$1" "$4" "$5"
    clean "$1"
    good "works: $1"
}

# zeroed: erases the contents of earlier arrays. A mirror that is assumed clean could still show
# them, and a filesystem in them would look like another user's.
zeroed() { for i in $loops; do blkdiscard --zeroout --force /dev/loop$i; done; }

# What killed_at counts: entries of the journal, or steps of writing settings.
kill_at=STRIPEWISE_TEST_KILL_AT

# killed_at NAME ENTRY: after a kill at this entry of the journal, restore leaves nothing; fails if
# the run ended before.
killed_at() {
    # The results do not matter here: a fake fio saves minutes.
    (export PATH="$here/fake:$PATH" "$kill_at=$2" && run "$1")
    code=$?
    # The fake fio claims I/Os that no device did, so no sample counts.
    [ $code -eq 0 ] || grep -q 'no sample counts' "$1.err" && return 1
    [ $code -eq 137 ] || { fail "$1 at $2: exit $code: $(tail -5 "$1.err" | tr '\n' ' ')"; return 1; }
    "$tool" restore > restore.out 2>&1 || fail "$1 at $2: restore: $(tr '\n' ' ' < restore.out)"
    clean "$1 killed at entry $2"
    "$tool" restore 2>&1 | grep -q 'nothing was left behind' || fail "$1 at $2: restored twice"
}

# survives NAME 'TABLE': after a kill at every entry of the journal, or at those named as
# NAME:ENTRY on the command line, restore leaves nothing.
survives() {
    one=${only##*" $1:"}
    if [ "$one" != "$only" ]; then
        study "$1" "$2"
        if killed_at "$1" "${one%% *}"; then
            good "survives: $1, killed at entry ${one%% *}"
        else
            clean "$1 not killed"
            good "survives: $1, which was over before entry ${one%% *}"
        fi
        return 0
    fi
    wanted "$1" || return 0
    study "$1" "$2"
    entry=1
    while [ $entry -le 40 ] && killed_at "$1" $entry; do
        entry=$((entry + 1))
    done
    [ $entry -gt 4 ] || fail "$1: killed only $((entry - 1)) times (is it a debug build?)"
    clean "$1 not killed"
    good "survives: $1, killed $((entry - 1)) times"
}
# survives_any_time NAME 'TABLE': after kills at ten moments, restore leaves nothing.
survives_any_time() {
    wanted "$1" || return 0
    study "$1" "$2"
    kills=0
    for tenths in 5 8 11 14 17 20 25 30 40 60; do
        zeroed
        PATH="$here/fake:$PATH" "$tool" run "$1.toml" $confirm --json > "$1.json" 2> "$1.err" &
        process=$!
        sleep $((tenths / 10)).$((tenths % 10))
        kill -9 $process 2>/dev/null && kills=$((kills + 1))
        wait $process 2>/dev/null
        "$tool" restore > restore.out 2>&1 || fail "$1 after $tenths/10 s: restore: $(tr '\n' ' ' < restore.out)"
        clean "$1 killed after $tenths/10 s"
    done
    good "survives: $1, killed $kills times"
}

# refuses NAME 'TABLE' 'WORDS': the study is refused with these words, and nothing is left.
refuses() {
    wanted "$1" || return 0
    study "$1" "$2"
    run "$1" && fail "$1: was not refused"
    grep -q "$3" "$1.err" || fail "$1: $(tail -5 "$1.err" | tr '\n' ' ')"
    clean "$1"
    good "refuses: $1"
}


# ends_of DEVICE: a checksum of its first and last MiB, where all formats have their metadata.
ends_of() { { head -c 1048576 "$1"; tail -c 1048576 "$1"; } | cksum; }

# denied NAME 'WORDS': the first disk is refused with these words, and no byte of it changes.
denied() {
    study "$1" 'devices = { "disk" = 1 }'
    before=$(ends_of /dev/loop0)
    denials=$((denials + 1))
    run "$1" && fail "$1: was not refused"
    grep 'loop0' "$1.err" | grep -q "$2" || fail "$1: not '$2': $(tail -5 "$1.err" | tr '\n' ' ')"
    grep -q 'hint: ' "$1.err" || fail "$1: no hint"
    [ "$before" = "$(ends_of /dev/loop0)" ] || fail "$1: a byte was changed"
}

# emptied NAME: removes all signatures; the disks can be used again.
emptied() {
    for i in $loops; do wipefs --all --quiet /dev/loop$i; done
    clean "$1"
    good "denied: $1"
}
quietly() { "$@" >quietly.out 2>&1 || fail "$*: $(tr '\n' ' ' < quietly.out)"; }
denials=0
mkdir -p mnt

if wanted denied-md; then
    quietly mdadm --create /dev/md99 --run --level=1 --raid-devices=2 --assume-clean --bitmap=none /dev/loop0 /dev/loop1
    denied denied-md-running 'is held by md array `md99` (raid1)'
    quietly mkfs.ext4 -q /dev/md99
    quietly mount /dev/md99 mnt
    denied denied-md-mounted '`md99` is mounted on'
    quietly umount mnt
    quietly mdadm --stop /dev/md99
    denied denied-md-stopped 'carries `linux_raid_member`'
    emptied denied-md
fi
if wanted denied-imsm; then
    export IMSM_NO_PLATFORM=1 IMSM_DEVNAME_AS_SERIAL=1
    quietly mdadm --create /dev/md98 --run --metadata=imsm --raid-devices=2 /dev/loop0 /dev/loop1
    denied denied-imsm-container 'is held by md array `md98`'
    quietly mdadm --create /dev/md99 --run --level=1 --raid-devices=2 --assume-clean /dev/md98
    denied denied-imsm-volume 'is held by md array `md9'
    quietly mdadm --wait-clean /dev/md99
    quietly mdadm --stop /dev/md99
    quietly mdadm --stop /dev/md98
    denied denied-imsm-stopped 'carries `isw_raid_member`'
    unset IMSM_NO_PLATFORM IMSM_DEVNAME_AS_SERIAL
    quietly mdadm --zero-superblock /dev/loop0 /dev/loop1
    emptied denied-imsm
fi
if wanted denied-lvm; then
    quietly pvcreate -q --yes /dev/loop0
    quietly vgcreate -An lab_denied /dev/loop0
    quietly lvcreate -An --yes -Zn -l 4 -n thesis lab_denied
    denied denied-lvm-active 'is held by LVM volume `lab_denied-thesis`'
    quietly vgchange -An -an lab_denied
    denied denied-lvm-inactive 'carries `LVM2_member`'
    emptied denied-lvm
fi
if wanted denied-dm; then
    quietly dmsetup create lab_denied --table '0 8192 linear /dev/loop0 0'
    denied denied-dm 'is held by device-mapper device `lab_denied`'
    quietly mkfs.ext4 -q /dev/mapper/lab_denied
    quietly mount /dev/mapper/lab_denied mnt
    denied denied-dm-mounted 'is mounted on'
    quietly umount mnt
    quietly dmsetup remove lab_denied
    emptied denied-dm
fi
if wanted denied-swap; then
    quietly mkswap /dev/loop0
    quietly swapon /dev/loop0
    denied denied-swap-on '`loop0` is swap space'
    quietly swapoff /dev/loop0
    denied denied-swap-off 'carries `swap`'
    emptied denied-swap
fi
if wanted denied-filesystem; then
    modprobe btrfs 2>/dev/null
    quietly mkfs.btrfs -q -d raid1 -m raid1 /dev/loop0 /dev/loop1
    quietly btrfs device scan /dev/loop0 /dev/loop1
    quietly mount /dev/loop1 mnt
    denied denied-second-of-btrfs '`loop0` is mounted on'
    quietly umount mnt
    denied denied-signature 'carries `btrfs`'
    wipefs --all --quiet /dev/loop0
    denied denied-copy 'carries the magic number of `btrfs` (copy 2) at byte 67108928'
    for i in 0 1; do
        quietly dd if=/dev/zero of=/dev/loop$i bs=1 seek=67108928 count=8 conv=notrunc
    done
    emptied denied-filesystem
fi
if wanted denied-partitions; then
    echo ',64M' | quietly sfdisk --quiet disk0
    denied denied-table 'carries a partition table (`dos`)'
    quietly losetup -d /dev/loop0
    quietly losetup --partscan /dev/loop0 disk0
    denied denied-partitions 'has partitions: loop0p1'
    quietly mkfs.ext4 -q /dev/loop0p1
    quietly mount /dev/loop0p1 mnt
    denied denied-partition-mounted '`loop0p1` is mounted on'
    quietly umount mnt
    wipefs --all --quiet /dev/loop0p1
    wipefs --all --quiet /dev/loop0
    quietly losetup -d /dev/loop0
    quietly losetup /dev/loop0 disk0
    emptied denied-partitions
fi
if wanted denied-ours; then
    # A run of another store died with its array running, then another user stopped the array.
    study denied-ours 'devices = { "disk" = 2 }
array = { level = "raid1", assume_clean = true, bitmap = "none" }
filesystem = "ext4"'
    (XDG_DATA_HOME=$work/lost PATH="$here/fake:$PATH" STRIPEWISE_TEST_KILL_AT=11 run denied-ours)
    array=$(sed -n 's/^\(md[0-9]*\) : active.*/\1/p' /proc/mdstat)
    [ -n "$array" ] || fail "denied-ours: no array runs: $(tail -5 denied-ours.err | tr '\n' ' ')"
    denied denied-ours-running "is held by md array .$array"
    quietly mdadm --stop "/dev/$array"
    denied denied-ours-stopped 'beside the marker of a run that did not clean up'
    XDG_DATA_HOME=$work/lost quietly "$tool" restore
    emptied denied-ours
fi

# died NAME ENTRY 'TABLE': a run is killed at this entry of its journal.
died() {
    zeroed
    study "$1" "$3"
    (PATH="$here/fake:$PATH" STRIPEWISE_TEST_KILL_AT=$2 run "$1")
    [ $? -eq 137 ] || fail "$1: not killed: $(tail -5 "$1.err" | tr '\n' ' ')"
}

# restores CODE 'WORDS': restore ends with this code and prints these words.
restores() {
    "$tool" restore > restore.out 2>&1
    code=$?
    [ $code -eq "$1" ] || fail "restore: exit $code: $(tr '\n' ' ' < restore.out)"
    grep -q "$2" restore.out || fail "restore: not '$2': $(tr '\n' ' ' < restore.out)"
}
types() { wipefs --no-act --noheadings --output TYPE "/dev/loop$1" | sort | tr '\n' ' '; }
has() { [ "$(types "$1")" = "$2" ] || fail "loop$1 has '$(types "$1")', not '$2'"; }
two='devices = { "disk" = 2 }'

if wanted restore-table; then
    died restore-table 7 "$two
array = { level = \"raid1\", metadata = \"0.90\", assume_clean = true, bitmap = \"none\" }
filesystem = \"ext4\""
    quietly mdadm --stop --scan
    # Another user partitions the first disk; md's superblock is at its end.
    printf '\0\0\0\0\203\0\0\0\0\010\0\0\0\010\0\0' | dd of=/dev/loop0 bs=1 seek=446 2>/dev/null
    printf '\125\252' | dd of=/dev/loop0 bs=1 seek=510 2>/dev/null
    before=$(ends_of /dev/loop0)
    restores 0 'not touched: .*`dos`'
    [ "$before" = "$(ends_of /dev/loop0)" ] || fail "restore-table: a byte was changed"
    has 0 'dos linux_raid_member '
    has 1 ''
    dd if=/dev/zero of=/dev/loop0 bs=512 seek=4 count=1 conv=notrunc 2>/dev/null
    emptied restore-table
fi
if wanted restore-member; then
    died restore-member 7 "$two
array = { level = \"raid1\", assume_clean = true, bitmap = \"none\" }
filesystem = \"ext4\""
    quietly mdadm --stop --scan
    quietly losetup -d /dev/loop1
    restores 2 'kept: array .*/dev/loop1'
    has 0 ''
    quietly losetup /dev/loop1 disk1
    has 1 'linux_raid_member '
    restores 0 'removed array'
    clean restore-member
    good "restores: restore-member"
fi
if wanted restore-lvm; then
    died restore-lvm 7 "$two
volume = { stripes = 2 }
filesystem = \"ext4\""
    quietly dmsetup remove --retry $(dmsetup ls | sed -n 's/^\(stripewise[0-9a-f]*-data\).*/\1/p')
    quietly losetup -d /dev/loop1
    restores 2 'kept: volume group .*/dev/loop1'
    has 0 ''
    quietly losetup /dev/loop1 disk1
    has 1 'LVM2_member '
    restores 0 'removed volume group'
    clean restore-lvm
    good "restores: restore-lvm"
fi
if wanted restore-spare; then
    died restore-spare 6 "$two
array = { level = \"raid1\", metadata = \"imsm\", size = \"48M\", assume_clean = true }"
    export IMSM_NO_PLATFORM=1 IMSM_DEVNAME_AS_SERIAL=1
    # Another user's container, under the name that the run had announced.
    quietly mdadm --create /dev/md100 --run --metadata=imsm --raid-devices=2 /dev/loop0 /dev/loop1
    quietly mdadm --create /dev/md99 --run --name=thesis --level=1 --raid-devices=2 --assume-clean /dev/md100
    "$tool" restore > restore.out 2>&1 && fail "restore-spare: $(tr '\n' ' ' < restore.out)"
    grep -q '^md99 : active' /proc/mdstat || fail "restore-spare: the volume was stopped"
    quietly mdadm --wait-clean /dev/md99
    quietly mdadm --stop /dev/md99
    quietly mdadm --stop /dev/md100
    restores 0 'not touched: .*isw_raid_member'
    has 0 'isw_raid_member '
    has 1 'isw_raid_member '
    quietly mdadm --zero-superblock /dev/loop0 /dev/loop1
    unset IMSM_NO_PLATFORM IMSM_DEVNAME_AS_SERIAL
    for i in 0 1; do dd if=/dev/zero of=/dev/loop$i bs=512 seek=4 count=1 conv=notrunc 2>/dev/null; done
    emptied restore-spare
fi

# lose NAME COMMAND...: runs the study, and fails a member as soon as the command succeeds.
lose() {
    name=$1
    shift
    run "$name" &
    process=$!
    tries=0
    until "$@"; do
        tries=$((tries + 1))
        [ $tries -lt 6000 ] && kill -0 $process 2>/dev/null || break
        sleep 0.1
    done
    array=$(sed -n 's/^\(md[0-9]*\) : active.*/\1/p' /proc/mdstat)
    quietly mdadm --manage "/dev/$array" --fail /dev/loop1
    wait $process
    code=$?
    [ $code -eq 2 ] || fail "$name: exit $code: $(tail -5 "$name.err" | tr '\n' ' ')"
    clean "$name"
}
# ended_with NAME 'WORDS': the run ended with these words.
ended_with() { grep -q "$2" "$1.err" || fail "$1: not '$2': $(tail -5 "$1.err" | tr '\n' ' ')"; }
is_measuring() { grep -q -s -e '--[r]eadonly' /proc/[0-9]*/cmdline; }
is_syncing() { grep -q 'resync = ' /proc/mdstat; }

if wanted lost-member; then
    study lost-member "$two
array = { level = \"raid1\", assume_clean = true, bitmap = \"none\" }"
    # Only a fio that just reads has `--readonly`, not the one that writes the files.
    sed -i 's/randrw/randread/; /^mix/d; s/200ms/2s/' lost-member.toml
    lose lost-member is_measuring
    ended_with lost-member 'array `md[0-9]*` lost a member during the measurement, and now lacks 1: `loop1` failed'
    ended_with lost-member 'replace the device'
    "$tool" show latest --json | grep -q '"kind": "array_lost_members"' || fail "lost-member: no warning is kept"
    good "loses: lost-member"
fi
if wanted lost-in-sync; then
    study lost-in-sync "$two
array = { level = \"raid1\", bitmap = \"none\" }"
    limit=$(cat /proc/sys/dev/raid/speed_limit_max)
    echo 1000 > /proc/sys/dev/raid/speed_limit_max
    lose lost-in-sync is_syncing
    echo "$limit" > /proc/sys/dev/raid/speed_limit_max
    ended_with lost-in-sync 'failed to wait until `md[0-9]*` is in sync: `loop1` failed'
    good "loses: lost-in-sync"
fi

# measures NAME 'TABLE': a run is in the middle of a sample; $process is the tool.
measures() {
    study "$1" "$2"
    rm -f fio.log
    FAKE_FIO_LOG=$work/fio.log FAKE_FIO_HANG_AFTER=0 PATH="$here/fake:$PATH" \
        "$tool" run "$1.toml" $confirm --json > "$1.json" 2> "$1.err" &
    process=$!
    for second in $(seq 600); do
        grep -qs '^begin' fio.log && return
        sleep 1
    done
    fail "$1: does not measure: $(tail -5 "$1.err" | tr '\n' ' ')"
}
# killed: kills the run.
killed() {
    kill -9 $process
    wait $process 2>/dev/null
    sleep 1
}
# not_now COMMAND...: the command is refused because the device is in use.
not_now() {
    "$@" >quietly.out 2>&1 && fail "$* was not refused"
    grep -q -e 'is apparently in use' -e 'exclusive access' quietly.out || fail "$*: $(tr '\n' ' ' < quietly.out)"
}
array() { sed -n 's/^\(md[0-9]*\) : .*/\1/p' /proc/mdstat | head -1; }

if wanted restore-over; then
    measures restore-over "$two
array = { level = \"raid1\", assume_clean = true, bitmap = \"none\" }"
    md=/dev/$(array)
    # A measured array is held open: nobody can stop it or make a filesystem on it.
    not_now mdadm --stop $md
    not_now mkfs.ext4 -q $md
    killed
    quietly mkfs.ext4 -q -L precious $md
    before=$(ends_of $md)
    for again in 1 2; do
        restores 2 "$md. carries .ext4. with the label .precious."
        grep -q "wipefs --all $md" restore.out || fail "restore-over: no hint: $(cat restore.out)"
        [ "$before" = "$(ends_of $md)" ] || fail "restore-over: a byte was changed"
    done
    # The filesystem is also safe while the array is stopped.
    quietly mdadm --stop $md
    restores 2 'with the label .precious.'
    grep -q "mdadm --assemble --run $md /dev/loop0 /dev/loop1" restore.out || fail "restore-over: no hint: $(cat restore.out)"
    [ -z "$(array)" ] || fail "restore-over: $(array) runs"
    has 0 'linux_raid_member '
    has 1 'linux_raid_member '
    quietly mdadm --assemble $md /dev/loop0 /dev/loop1
    [ "$before" = "$(ends_of $md)" ] || fail "restore-over: a byte was changed"
    quietly wipefs --all $md
    restores 0 'removed array'
    clean restore-over
    good "restores: restore-over"
fi
if wanted restore-layers; then
    # The run announced a filesystem on the array, and another user made swap space there first.
    died restore-layers 7 "$two
array = { level = \"raid1\", assume_clean = true, bitmap = \"none\" }
filesystem = \"ext4\""
    md=/dev/$(array)
    quietly mkswap -L precious $md
    before=$(ends_of $md)
    restores 2 'not touched: .*`swap` with the label `precious`'
    grep -q 'kept: array' restore.out || fail "restore-layers: $(cat restore.out)"
    restores 2 'carries .swap. with the label .precious.'
    [ "$before" = "$(ends_of $md)" ] || fail "restore-layers: a byte was changed"
    quietly wipefs --all $md
    restores 0 'removed array'
    clean restore-layers
    good "restores: restore-layers"
fi
if wanted restore-volume; then
    died restore-volume 7 "$two
volume = { stripes = 2 }
filesystem = \"ext4\""
    group=$(vgs --noheadings --options=vg_name | tr -d ' ')
    quietly lvreduce -An --force --yes --extents 4 $group/data
    quietly lvcreate -An --yes --name thesis --zero n --extents 4 $group
    restores 2 "volume group .$group. holds .thesis."
    grep -q "lvremove $group/thesis" restore.out || fail "restore-volume: no hint: $(cat restore.out)"
    quietly lvremove -An --yes $group/thesis
    quietly mkfs.ext4 -q -L precious /dev/mapper/$group-data
    quietly lvchange -An -an $group/data
    restores 2 'with the label .precious.'
    quietly lvchange -An -ay $group/data
    [ "$(blkid -s LABEL -o value /dev/mapper/$group-data)" = precious ] || fail "restore-volume: it is gone"
    restores 2 'with the label .precious.'
    quietly wipefs --all /dev/mapper/$group-data
    restores 0 'removed volume group'
    clean restore-volume
    good "restores: restore-volume"
fi
if wanted restore-half; then
    died restore-half 7 "$two
array = { level = \"raid1\", metadata = \"imsm\", size = \"48M\", assume_clean = true }
filesystem = \"ext4\""
    container=$(sed -n 's/^\(md[0-9]*\) : inactive.*/\1/p' /proc/mdstat)
    # The state after a killed restore, and after the machine assembled the rest.
    mdadm --wait-clean --scan >quietly.out 2>&1
    quietly mdadm --stop --scan
    [ -z "$(array)" ] || fail "restore-half: $(cat /proc/mdstat)"
    export IMSM_NO_PLATFORM=1 IMSM_DEVNAME_AS_SERIAL=1
    quietly mdadm --zero-superblock /dev/loop0
    mdadm --incremental /dev/loop1 >/dev/null 2>&1
    unset IMSM_NO_PLATFORM IMSM_DEVNAME_AS_SERIAL
    [ -n "$(array)" ] || fail "restore-half: nothing was assembled"
    # And a volume that mdadm had only begun to create.
    echo md105 > /sys/module/md_mod/parameters/new_array
    echo "external:/$container/1" > /sys/block/md105/md/metadata_version
    restores 0 'removed container'
    clean restore-half
    good "restores: restore-half"
fi
if wanted restore-pulled; then
    quietly modprobe sd_mod
    quietly modprobe scsi_debug add_host=2 per_host_store=1 dev_size_mb=64
    mkdir -p /dev/disk/by-id
    # plugged: creates the names of the disks, as udev does.
    plugged() {
        for second in $(seq 60); do
            set -- /sys/block/sd*/device/wwid
            [ $# -eq 2 ] && break
            sleep 1
        done
        for wwid; do
            disk=${wwid#/sys/block/}
            ln -sf /dev/${disk%%/*} /dev/disk/by-id/wwn-$(cat $wwid)
        done
    }
    plugged
    ids=$(cd /dev/disk/by-id && ls -d wwn-naa.3333333*)
    named=$confirm
    confirm=
    for id in $ids; do confirm="$confirm --yes-destroy $id"; done
    pulled=$(readlink /dev/disk/by-id/$(echo "$ids" | tail -1))
    disks=$(for id in $ids; do echo "\"/dev/disk/by-id/$id\", "; done)
    study restore-pulled "$two
array = { level = \"raid0\", chunk = \"64K\" }
filesystem = \"ext4\""
    sed -i "s|^\"disk\" = .*|\"disk\" = [$(echo $disks)]|" restore-pulled.toml
    (PATH="$here/fake:$PATH" STRIPEWISE_TEST_KILL_AT=7 run restore-pulled)
    [ -n "$(array)" ] || fail "restore-pulled: no array: $(tail -5 restore-pulled.err | tr '\n' ' ')"
    echo 1 > /sys/block/${pulled#/dev/}/device/delete
    restores 2 'kept: array'
    [ -z "$(array)" ] || fail "restore-pulled: $(array) runs"
    for scan in /sys/class/scsi_host/*/scan; do echo '- - -' > $scan; done
    plugged
    restores 0 'removed array'
    clean restore-pulled
    for id in $ids; do
        found=$(wipefs -n /dev/disk/by-id/$id)
        [ -z "$found" ] || fail "restore-pulled: $found"
        rm /dev/disk/by-id/$id
    done
    confirm=$named
    quietly rmmod scsi_debug
    good "restores: restore-pulled"
fi

if wanted remnant; then
    # An earlier array of the same shape, of which only the members were wiped.
    quietly mdadm --create /dev/md99 --run --level=1 --raid-devices=2 --assume-clean --bitmap=none /dev/loop0 /dev/loop1
    quietly mkfs.ext4 -q -L remnant /dev/md99
    quietly mdadm --stop /dev/md99
    quietly wipefs --all /dev/loop0 /dev/loop1
fi
works remnant 2 "$two
array = { level = \"raid1\", assume_clean = true, bitmap = \"none\" }"

four='devices = { "disk" = 4 }'
works raw 1 'devices = { "disk" = 1 }' 1 1.1
works raid0 4 "$four
array = { level = \"raid0\", chunk = \"64K\" }"
works linear 4 "$four
array = { level = \"linear\" }"
works raid1 2 'devices = { "disk" = 2 }
array = { level = "raid1", bitmap = { chunk = "64K" }, metadata = "1.0" }' 2 4
works raid10-f2 3 'devices = { "disk" = 3 }
array = { level = "raid10", layout = "f2", chunk = "32K", size = "64M" }' 2 2.2
works raid5 4 "$four
array = { level = \"raid5\", chunk = \"32K\", size = \"32M\" }" 1.3 2.2
works raid6-0.90 4 "$four
array = { level = \"raid6\", chunk = \"32K\", metadata = \"0.90\", assume_clean = true }" 1.5 3.2
works imsm 4 "$four
array = { level = \"raid10\", metadata = \"imsm\", size = \"48M\", beside = [{ level = \"raid1\", size = \"32M\" }] }"
works lvm-linear 2 'devices = { "disk" = 2 }
volume = "linear"' 1 1.1
works lvm-striped-on-raid 4 "$four
array = { level = \"raid10\", chunk = \"64K\", assume_clean = true }
volume = { stripes = 1 }
filesystem = \"ext4\""
works ext4-on-raid1 2 'devices = { "disk" = 2 }
array = { level = "raid1", metadata = "1.0", assume_clean = true }
filesystem = { type = "ext4", mkfs = ["-b", "4096"], options = ["noatime"] }' 2 2.4
works xfs-on-raid0 4 "$four
array = { level = \"raid0\", chunk = \"64K\" }
filesystem = \"xfs\""
works btrfs-raid10 4 "$four
filesystem = { type = \"btrfs\", mkfs = [\"-d\", \"raid10\", \"-m\", \"raid10\"] }" 2 3

survives killed-raid10 "$four
array = { level = \"raid10\", assume_clean = true }"
survives killed-ext4-on-raid1 'devices = { "disk" = 2 }
array = { level = "raid1", metadata = "1.0", assume_clean = true, bitmap = "internal", write_mostly = [1], write_behind = 16, safe_mode_delay = "100ms", sync_speed_max = "50M" }
filesystem = "ext4"
[conditions]
nr_requests = 32
max_sectors_kb = 128
sysctl = { "vm.dirty_ratio" = 10, "vm.swappiness" = 10 }
cpus = 0
sync_every = "50ms"
flush_every = "20ms"'
survives killed-imsm "$four
array = { level = \"raid10\", metadata = \"imsm\", size = \"48M\", assume_clean = true, beside = [{ level = \"raid1\", size = \"32M\" }] }"
survives killed-lvm 'devices = { "disk" = 2 }
volume = { stripes = 2 }
filesystem = "ext4"'
survives killed-btrfs 'devices = { "disk" = 2 }
filesystem = "btrfs"'

survives_any_time anytime-ext4-on-raid10 "$four
array = { level = \"raid10\", assume_clean = true }
filesystem = \"ext4\""
survives_any_time anytime-imsm "$four
array = { level = \"raid10\", metadata = \"imsm\", size = \"48M\", assume_clean = true, beside = [{ level = \"raid1\", size = \"32M\" }] }"
survives_any_time anytime-lvm "$four
volume = { stripes = 4 }
filesystem = \"xfs\""

# Settings of a queue and of the kernel, killed at each step of writing and of restoring them: a
# setting that was opened, but not written, is neither empty nor forgotten.
kill_at=STRIPEWISE_TEST_KILL_AT_SETTING
survives killed-settings 'devices = { "disk" = 1 }
[conditions]
nr_requests = 32
max_sectors_kb = 128
sysctl = { "vm.dirty_ratio" = 10, "vm.swappiness" = 10 }'

# What `check --fix` writes: two of each, on two hard disks whose caches are on, and two arrays.
values() { cat $mended | sed 's/.*\[\(.*\)\].*/\1/' | tr '\n' ','; }

# fix_or_restore STEP COMMAND...: runs it, and kills it at this step of writing settings; every setting
# has its old or its new value then.
fix_or_restore() {
    step=$1
    shift
    STRIPEWISE_TEST_KILL_AT_SETTING=$step "$tool" "$@" --store fixes.db > fix.out 2>&1
    code=$?
    case $code in
    0) ;;
    137) kills=$((kills + 1)) ;;
    *) fail "$rule: $1: exit $code: $(tr '\n' ' ' < fix.out)" ;;
    esac
    checks=$((checks + 1))
    case $(values) in
    "$old,$old," | "$new,$old," | "$new,$new," | "$old,$new,") ;;
    *) fail "$rule: $1 killed at step $step left '$(values)'" ;;
    esac
    return $code
}

# set_back: restores, killed at each step in turn, until it ends: all is as before the fix.
set_back() {
    turn=0
    until fix_or_restore $((turn % 3 + 1)) restore; do
        [ $code -eq 137 ] && [ $turn -lt 40 ] || break
        turn=$((turn + 1))
    done
    kept=$(requests $disks)
    [ "$kept" = "20,20," ] || fail "$rule: nr_requests: '$kept'"
    [ "$(values)" = "$old,$old," ] || fail "$rule: restored to '$(values)': $(tr '\n' ' ' < fix.out)"
    fix_or_restore 0 restore
    grep -q 'nothing was left behind' fix.out || fail "$rule: restored twice: $(tr '\n' ' ' < fix.out)"
}

# What the kernel resets with a new scheduler.
requests() { cat /sys/block/$1/queue/nr_requests /sys/block/$2/queue/nr_requests | tr '\n' ','; }

# fixes RULE OLD NEW FILE FILE: `check --fix RULE` killed at each step of its writes, and at random moments.
fixes() {
    rule=$1 old=$2 new=$3 mended="$4 $5" kills=0 at=1
    for file in $mended; do echo "$old" > "$file" || fail "$rule: $file"; done
    while fix_or_restore $at check --fix "$rule" --yes; [ $code -eq 137 ]; do
        set_back
        at=$((at + 1))
    done
    began=$(cut -d ' ' -f 1 /proc/uptime | tr -d .)
    fix_or_restore 0 check --fix "$rule" --yes
    took=$(($(cut -d ' ' -f 1 /proc/uptime | tr -d .) - began))
    [ $at -eq 7 ] && [ "$(values)" = "$new,$new," ] || fail "$rule: fixed '$(values)' in $at steps: $(tr '\n' ' ' < fix.out)"
    set_back
    # From the first steps of the program to its last.
    for tenths in 1 2 3 4 5 6 7 8 9 10; do
        hundredths=$((took * tenths / 8))
        "$tool" check --fix "$rule" --yes --store fixes.db > fix.out 2>&1 &
        process=$!
        sleep $((hundredths / 100)).$((hundredths / 10 % 10))$((hundredths % 10))
        kill -9 $process 2>/dev/null && kills=$((kills + 1))
        wait $process 2>/dev/null
        set_back
    done
    good "fixes: $rule, killed $kills times"
}
if wanted fixes; then
    quietly modprobe sd_mod
    quietly modprobe scsi_debug add_host=2 per_host_store=1 dev_size_mb=64
    for second in $(seq 60); do
        set -- $(ls /sys/block | grep '^sd')
        [ $# -eq 2 ] && break
        sleep 1
    done
    printf '#!/bin/sh\necho " write-caching =  1 (on)"\n' > "$here/fake/hdparm"
    chmod +x "$here/fake/hdparm"
    PATH="$here/fake:$PATH"
    disks=$*
    for disk in $disks; do
        echo 1 > /sys/block/$disk/queue/rotational
        echo none > /sys/block/$disk/queue/scheduler
        echo 20 > /sys/block/$disk/queue/nr_requests
    done
    quietly mdadm --create /dev/md98 --run --level=0 --raid-devices=2 --chunk=64 /dev/loop0 /dev/loop1
    quietly mdadm --create /dev/md99 --run --level=0 --raid-devices=2 --chunk=64 /dev/loop2 /dev/loop3
    fixes blk.scheduler none mq-deadline /sys/block/$1/queue/scheduler /sys/block/$2/queue/scheduler
    fixes wc.flush-off 'write through' 'write back' /sys/block/$1/queue/write_cache /sys/block/$2/queue/write_cache
    fixes blk.readahead 64 256 /sys/block/md98/queue/read_ahead_kb /sys/block/md99/queue/read_ahead_kb
    for md in /dev/md98 /dev/md99; do quietly mdadm --stop $md; done
    PATH=${PATH#"$here/fake:"}
    quietly rmmod scsi_debug
    emptied fixes
fi

refuses zfs "$four
array = { level = \"raid1\", assume_clean = true }
filesystem = \"zfs\"" 'ZFS pool on a whole array'
refuses too-small 'devices = { "disk" = 2 }
array = { level = "raid1", size = "8M", assume_clean = true }' 'too little space'

say "$checks checks for leftovers, $denials refusals, $failed failures"
[ $failed -eq 0 ] && say PASSED
exit $failed
