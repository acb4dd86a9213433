#!/bin/sh
# What becomes of a run on hosts whose hosts, network or controller fail: makes the table of docs/hosts.md.
#
#   ci/host-faults.sh PROGRAM [COUNT] >docs/studies/recorded/host-faults.txt
#
# Each fault has hosts of its own on this machine (ci/hosts.sh), and begins after the first sample unless it is
# there from the beginning. `said`: seconds from the fault to the end of the run that was to be refused.
# `clean`: seconds until no file, process or listener of ours is on any host, without `restore`; `-` if never.
# Needs root; takes about four minutes.
set -eu
program=$(realpath "$1") count=${2:-8}
here=$(dirname "$(realpath "$0")")
top=$(mktemp -d /var/tmp/faults.XXXXXX)
dir=$top/hosts last=h$count
names=$(seq -s, -f h%g 1 "$count")
trap 'exit 1' INT TERM
trap '"$here/hosts.sh" down "$dir" >/dev/null 2>&1 || true; rm -rf "$top"' EXIT
export STRIPEWISE_LANG=en
cat >"$top/study.toml" <<END
[stack.here]
filesystem = "existing"
[workload]
pattern = "randwrite"
block_size = "4K"
size = ["4M", "24M"]
direct = true
[repeat]
sample = "1s"
at_least = 8
at_most = 8
END

hosts() { "$here/hosts.sh" "$1" "$dir" "$@" 2>/dev/null; }
stripewise() { PATH=$dir:$PATH "$program" "$@" --store "$dir/store.db"; }
now() { date +%s.%N; }
since() { now | awk -v from="$1" '{ printf "%.1f", $1 - from }'; }
left() { for host in $(echo "$names" | tr , ' '); do "$here/hosts.sh" left "$dir" "$host" 2>/dev/null; done; }
listening() {
    for host in $(echo "$names" | tr , ' '); do
        "$here/hosts.sh" in "$dir" "$host" ss -ltnuH 2>/dev/null | grep -v ':22 ' || true
    done | wc -l
}
is_sampled() { stripewise show latest --json 2>/dev/null | grep -q '"late_ns"'; }

# fault NAME BEFORE COMMAND OPTIONS: a run with a fault; BEFORE is done before it, COMMAND after its first sample.
fault() {
    "$here/hosts.sh" up "$dir" "$count" "$program" 96 2>/dev/null
    eval "$2"
    # shellcheck disable=SC2086
    stripewise run "$top/study.toml" --hosts "$names" --target /mnt/test $4 >"$dir/out" 2>"$dir/err" &
    run=$!
    servers=0 began=$(now)
    while kill -0 $run 2>/dev/null && ! is_sampled; do sleep 0.2; done
    kill -0 $run 2>/dev/null && servers=$(listening)
    [ -z "$3" ] || { began=$(now); eval "$3"; }
    (
        tries=0
        while [ -n "$(left)" ]; do
            tries=$((tries + 1))
            [ $tries -lt 60 ] || { echo - >"$dir/clean"; exit; }
            sleep 0.2
        done
        since "$began" >"$dir/clean"
    ) &
    watching=$!
    code=0
    wait $run 2>/dev/null || code=$?
    said=$(since "$began")
    wait $watching
    servers=$((servers + $(listening)))
    [ -n "$3" ] || { said=- && echo - >"$dir/clean"; }
    why=$(cat "$dir/err" "$dir/out" | tr '\n' ' ' | tr -s ' ' | grep -oE "$5" | head -n 1 || true)
    why=${why%% hint}
    printf '| %s | %s | %s | %s | %s | %s |\n' "$1" "$code" "$said" "$(cat "$dir/clean")" "$servers" "$why"
}
down() { "$here/hosts.sh" down "$dir" 2>/dev/null; }
agent() { echo "kill -9 \$(pgrep -x stripewise --nslist net --ns \$(cat $dir/$last/pid))"; }
sshd() { echo "kill -9 \$(pgrep 'sshd' --nslist net --ns \$(cat $dir/$last/pid) | grep -vx \$(cat $dir/$last/pid))"; }
reason='(nothing came from it|our (program|command) there|its connection|the clock of host|it has fio|failed to write the test file)[^:;]*'

echo "# made by ci/host-faults.sh on $count hosts of one machine; exit code, seconds, listeners, and the reason that is named"
echo '| fault | exit | said, s | clean, s | listening | named |'
echo '|:--|--:|--:|--:|--:|:--|'
fault none '' '' '' "$reason" >"$top/row"
stripewise show latest --json >"$top/run.json"
python3 - "$top/run.json" <<'END' | sed "s/^/$(cut -d'|' -f1-6 "$top/row")| /; s/\$/ |/"
import json, sys
samples = [s for cell in json.load(open(sys.argv[1]))["cells"] for s in cell["samples"] if s["counted"]]
parts = lambda s: [host["outcome"]["measured"] for host in s["hosts"]]
moved = lambda s: s["read"]["bytes"] + s["write"]["bytes"]
rate = lambda s: moved(s) / s["elapsed_ns"] * 1e9 / 2**20
late, within = max((p["late_ns"], p["late_within_ns"]) for s in samples for p in parts(s))
assert all(moved(s) == sum(moved(p["sample"]) for p in parts(s)) for s in samples)
merged = sum(map(rate, samples)) / len(samples)
own = sum(rate(p["sample"]) for s in samples for p in parts(s)) / len(samples)
print(f"the last began {late / 1e6:.1f} ms after the first (± {within / 1e6:.1f} ms) at most; "
      f"together {merged:.0f} MiB/s, the sum of their own {own:.0f} MiB/s")
END
down
fault "our program on $last killed" '' "$(agent)" '' "$reason"
down
fault "\`sshd\` of $last's session killed" '' "$(sshd)" '' "$reason"
down
fault "$last cut off from the network" '' "\"$here/hosts.sh\" cut $dir $last" '' "$reason"
down
fault "$last loses its power" '' "\"$here/hosts.sh\" kill $dir $last" '' "$reason"
"$here/hosts.sh" start "$dir" "$last" 2>/dev/null
there=$("$here/hosts.sh" left "$dir" "$last" | wc -l)
began=$(now)
stripewise restore >/dev/null 2>&1
echo "| - it starts again: $there files of ours; \`stripewise restore\` | $? | - | $(since "$began") | $(listening) | $("$here/hosts.sh" left "$dir" "$last" | wc -l) files left |"
down
full="printf '#!/bin/sh\ncase \"\$1\" in --output*) head -c 200M /dev/zero >/mnt/fill 2>/dev/null ;; esac\nexec /usr/bin/fio \"\$@\"\n' >$dir/$last/bin/fio; chmod 755 $dir/$last/bin/fio"
fault "the disk of $last fills while it prepares" "$full" '' '' "$reason"
down
old="printf '#!/bin/sh\ntest \"\$1\" = --version && { echo fio-3.41; exit; }\nexec /usr/bin/fio \"\$@\"\n' >$dir/$last/bin/fio; chmod 755 $dir/$last/bin/fio"
fault "$last has another fio" "$old" '' '' "$reason"
down
fault "the time of day of $last is 1 h ahead" "\"$here/hosts.sh\" clock $dir $last 3600" '' '' "$reason"
down
fault "controller killed" '' "kill -9 \$(pgrep -P \$run || echo \$run)" '' "$reason"
down
