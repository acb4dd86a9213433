# Runs named stages, some beside each other, and says at the end how long each took.
#
# For bash scripts, which source it and call:
#
#   stages_begin FOLDER      logs go to FOLDER, which is emptied
#   lane FUNCTION            runs FUNCTION's stages in the background, beside other lanes
#   stage NAME COMMAND...    runs a command; its output goes to FOLDER/NAME.log, and is shown whole
#                            if the command fails
#   after NAME               waits until a stage of another lane has passed
#   stages_end               waits for the lanes and prints the table; fails if a stage failed
#
# The first stage that fails ends the other lanes: the table says what they were doing.

stages_begin() {
    stages_folder=$1
    stages_lanes=()
    stages_began=$SECONDS
    rm -rf "$stages_folder"
    mkdir -p "$stages_folder"
    trap 'stages_stop; stages_table; exit 130' INT TERM HUP
}

lane() {
    set -m # a process group for each lane, to end it with everything it started
    (set -euo pipefail && "$@") &
    set +m
    stages_lanes+=($!)
}

stage() {
    local name=$1 status=0 log=$stages_folder/$1.log TIMEFORMAT='%R %U %S'
    shift
    echo "$EPOCHREALTIME $name" >>"$stages_folder/begun"
    { time "$@" >"$log" 2>&1 </dev/null; } 2>"$stages_folder/$name.time" || status=$?
    if [ "$status" = 0 ]; then
        touch "$stages_folder/$name.passed"
        printf '%4d s  %s passed\n' $((SECONDS - stages_began)) "$name"
        return
    fi
    touch "$stages_folder/$name.failed"
    # In one piece: other lanes print, too.
    printf '%4d s  %s FAILED with status %d: %s\n%s\n       end of the output of %s, which is kept in %s\n' \
        $((SECONDS - stages_began)) "$name" "$status" "$*" "$(cat "$log")" "$name" "$log"
    return "$status"
}

after() {
    until [ -e "$stages_folder/$1.passed" ]; do sleep 0.2; done
}

stages_stop() {
    local lane
    for lane in "${stages_lanes[@]}"; do
        kill -TERM -- "-$lane" 2>/dev/null || true
    done
    wait 2>/dev/null || true
}

stages_end() {
    local ended status=0 lane rest
    while [ "$status" = 0 ] && [ ${#stages_lanes[@]} -gt 0 ]; do
        wait -n -p ended "${stages_lanes[@]}" || status=$?
        rest=()
        for lane in "${stages_lanes[@]}"; do
            [ "$lane" = "$ended" ] || rest+=("$lane")
        done
        stages_lanes=("${rest[@]}")
    done
    stages_stop
    stages_table
    return "$status"
}

# Seconds on the clock, and of processors: the sum of the first is more than the whole run took.
stages_table() {
    local began name real user system result
    printf '\n%-12s %8s %8s  %s\n' stage seconds 'cpu s' result
    while read -r began name; do
        result=ENDED
        [ -e "$stages_folder/$name.passed" ] && result=passed
        [ -e "$stages_folder/$name.failed" ] && result=FAILED
        if [ "$result" != ENDED ] && read -r real user system <"$stages_folder/$name.time"; then :; else
            real=$(awk "BEGIN { print $EPOCHREALTIME - $began }") user=0 system=0
        fi
        awk -v name="$name" -v real="$real" -v cpu="$user $system" -v result="$result" \
            'BEGIN { split(cpu, of, " "); printf "%-12s %8.1f %8.1f  %s\n", name, real, of[1] + of[2], result }'
    done <"$stages_folder/begun"
    printf '%-12s %8d\n' whole $((SECONDS - stages_began))
    # cargo-nextest indents what a test says.
    sed -n 's/^ *\(SKIPPED: .*\)/\1/p' "$stages_folder"/*.log | sort -u
}
