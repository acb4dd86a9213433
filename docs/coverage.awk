# Prints a table of crates/stats/examples/coverage.txt as Markdown, for ANALYSIS.md.
#
#   awk -f docs/coverage.awk table='1. ' [rows=REGEX] crates/stats/examples/coverage.txt
#
# `table` is how its title begins; of its rows only those that match `rows` are printed.

function line(text) {
    sub(/^ +/, "", text)
    count = gsub(/  +/, " | ", text) + 1
    return "| " text " |"
}

/^$/ { inside = 0 }
inside && !has_head {
    # The line of heads, which some tables have behind a line about all of them.
    if ($0 !~ /  / ) next
    head = line($0)
    print head
    rule = "|---|"
    for (at = 1; at < count; at++) rule = rule "--:|"
    print rule
    has_head = 1
    next
}
inside && $0 ~ rows { print line($0) }
index($0, table) == 1 { inside = 1; has_head = 0 }
