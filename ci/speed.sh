#!/usr/bin/env bash
# Compares the CPU seconds of two builds of the program: `old | new` in turn on one core, each time a whole
# process that remembers nothing. Prints the medians and their ratio, as a table.
#
#   ci/speed.sh OLD NEW ROUNDS [WORD]     only rows with that word
#
# Most rows ask for eight designs under one load; the last ones are shipped studies, which take minutes.
# CPU seconds depend on what else the machine does, so only ratios of one call count.
set -euo pipefail
cd "$(dirname "$0")/.."
old=$(realpath "$1")
new=$(realpath "$2")
rounds=$3
word=${4:-}
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

# Writes a study: DEVICE, then lines of its workload.
designs() {
    local device=$1 number=0 count array
    while read -r count array; do
        number=$((number + 1))
        printf '[stack.s%d]\ndevices = { %s = %d }\n' "$number" "$device" "$count"
        [ -z "$array" ] || printf 'array = { %s }\n' "$array"
    done <<'DESIGNS'
1
4 level = "raid0", chunk = "64K"
2 level = "raid1"
4 level = "raid10", layout = "n2", chunk = "64K"
4 level = "raid10", layout = "f2", chunk = "512K"
4 level = "raid5", chunk = "64K"
4 level = "raid5", chunk = "512K"
4 level = "raid6", chunk = "64K"
DESIGNS
    printf '[workload]\nsize = "8G"\n%b\n' "$2"
}

# Prints the CPU seconds of one run of a study.
cpu_s() {
    rm -rf "$folder/state"
    mkdir "$folder/state"
    local before after shell=$BASHPID
    before=$(children "$shell")
    XDG_CACHE_HOME=$folder/state taskset -c 0 "$1" run "$2" --world model --quiet --plain \
        --store "$folder/state/store.db" >"$folder/out" 2>&1 || [ $? -eq 1 ] || {
        cat "$folder/out" >&2
        return 1
    }
    after=$(children "$shell")
    awk "BEGIN { print $after - $before }"
}

# Prints the CPU seconds of all children of a shell that have ended.
children() {
    local fields
    read -ra fields </proc/"$1"/stat
    awk "BEGIN { print (${fields[15]} + ${fields[16]}) / $(getconf CLK_TCK) }"
}

median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# Measures one row: NAME, STUDY.
row() {
    case "$1" in *"$word"*) ;; *) return 0 ;; esac
    : >"$folder/pairs"
    for ((round = 0; round < rounds; round++)); do
        echo "$(cpu_s "$old" "$2") $(cpu_s "$new" "$2")" >>"$folder/pairs"
    done
    printf '| %s | %.2f | %.2f | %.2f |\n' "$1" \
        "$(awk '{ print $1 }' "$folder/pairs" | median)" "$(awk '{ print $2 }' "$folder/pairs" | median)" \
        "$(awk '{ print $1 / ($2 > 0 ? $2 : 0.01) }' "$folder/pairs" | median)"
}

echo "| load on eight designs, or study | old, CPU s | new | ratio |"
echo "|---|--:|--:|--:|"
for device in sata-ssd nvme-ssd hdd-7200; do
    while IFS='|' read -r name load; do
        designs "$device" "$load" >"$folder/study.toml"
        row "$device $name" "$folder/study.toml"
    done <<'LOADS'
random reads, depth 32|pattern = "randread"\ndepth = 32
random writes, depth 1|pattern = "randwrite"
random writes, depth 32|pattern = "randwrite"\ndepth = 32
mix of 70/30, depth 32|pattern = "randrw"\nmix = "70/30"\ndepth = 32
writes of 1M|pattern = "write"\nblock_size = "1M"
LOADS
done
row chunk-size.toml studies/chunk-size.toml
row raid-level.toml studies/raid-level.toml
