# Makes CSV of the phases of failures in what `stripewise show --all` prints, for docs/pivot.awk:
#
#   stripewise show latest --all | awk -f docs/phases.awk
#
# Rates are in MiB/s; the phase `rebuild` is that of the rebuild itself.

# Prints the number that follows a word in the text of the stack.
function print_phase(phase, word,    at) {
    at = index(text, word)
    if (at > 0) print cell "," stack "," phase "," substr(text, at + length(word)) + 0
}

function finish() {
    if (stack == "") return
    print_phase("whole", " whole ")
    print_phase("degraded", " degraded ")
    print_phase("rebuilding", " rebuilding ")
    print_phase("whole again", " whole again ")
    # After the time that it takes.
    sub(/.* the rebuild takes /, "", text)
    print_phase("rebuild", " at ")
    cell++; stack = ""
}

BEGIN { print "cell,stack,phase,mib_per_s"; cell = 0 }
/^[^ ]/ || /^$/ { finish() }
/^[^ ]+$/ { stack = $1; text = "" }
stack != "" { sub(/^ +/, ""); text = text " " $0 }
END { finish() }
