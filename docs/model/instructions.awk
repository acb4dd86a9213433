# Makes the table of instructions of one host I/O, from the counts of `ci/instructions.sh` and those
# that were recorded at earlier commits (FILE before; COMMIT | CASE | INSTRUCTIONS).
/^#/ { next }
FILENAME == ARGV[1] {
    split($0, parts, / *[|] */)
    before[parts[1], parts[2]] = parts[3]
    if (!(parts[1] in seen)) { seen[parts[1]] = 1; commits[++count] = parts[1] }
    next
}
{
    if (!has_head) {
        head = "| load"; line = "|---"
        for (i = 1; i <= count; i++) { head = head " | commit " commits[i]; line = line "|--:" }
        print head " | now |"; print line "|--:|"
        has_head = 1
    }
    instructions = sprintf("%.0f", $1 / 200000)
    sub(/^[0-9]+ /, ""); sub(/ \(goal.*/, "")
    row = "| " $0
    for (i = 1; i <= count; i++) row = row " | " ((commits[i], $0) in before ? before[commits[i], $0] : "-")
    print row " | " instructions " |"
}
