# Makes a Markdown table of the cells of a run. It reads the CSV of `stripewise show`:
#
#   stripewise show latest --csv | awk -f docs/pivot.awk rows=workload,failure columns=stack
#
# or the samples of a run, of which those that belong to one cell are added up for a ratio:
#
#   stripewise export latest -o samples.csv && awk -f docs/pivot.awk ... value=device_flushes/write_ios only=counted=true samples.csv
#
# rows, columns   columns of the CSV that name a row and a column of the table; columns may be several, too
# value           the column with the number, or a ratio, A/B or A/B/C, of columns and whole numbers;
#                 bandwidth_bytes_per_s if it is missing
# against         NAME=VALUE: differences from the cell that has this value, and is the same else
# only            NAME=VALUE,VALUE;NAME=VALUE: keeps the cells that have these values; an empty value is `none`
# recorded        a file of numbers that were measured, ROW | COLUMN | NUMBER: shows these cells, both numbers
#
# Rows with the same first name stand together. Bandwidth is in MiB/s, latency in ms. A number has three
# digits, and all before its point.

# Splits a line of CSV into fields[1..n].
function split_csv(line, fields,    n, at, c, text, quoted) {
    n = 1; text = ""; quoted = 0
    for (at = 1; at <= length(line); at++) {
        c = substr(line, at, 1)
        if (quoted && c == "\"" && substr(line, at + 1, 1) == "\"") { text = text c; at++ }
        else if (c == "\"") quoted = !quoted
        else if (c == "," && !quoted) { fields[n++] = text; text = "" }
        else text = text c
    }
    fields[n] = text
    return n
}

# A size in bytes as a study writes it.
function size(bytes) {
    if (bytes % 1048576 == 0) return bytes / 1048576 "M"
    if (bytes % 1024 == 0) return bytes / 1024 "K"
    return bytes
}

function label(name,    text) {
    text = fields[index_of[name]]
    if (text == "") return "none"
    if (name ~ /size_bytes$/) return size(text)
    if (name ~ /_every_ns$/) return text / 1000000000 " s"
    return text
}

# The labels of some columns; of the cell to compare with if `is_base`.
function labels(names, is_base,    parts, n, i, text) {
    n = split(names, parts, ",")
    for (i = 1; i <= n; i++)
        text = text (i > 1 ? " " : "") (is_base && parts[i] == base_name ? base_value : label(parts[i]))
    return text
}

function difference(number, base,    percent) {
    if (number == "" || base == "") return "-"
    percent = sprintf("%+.1f", 100 * (number / base - 1))
    return (percent ~ /^[+-]0\.0$/ ? "0" : percent) " %"
}

# What was measured, the number of the run, and their difference.
function beside(measured, number,    percent, error) {
    error = 100 * (shown(number) / measured - 1)
    errors += error < 0 ? -error : error; count++
    within += error >= -10 && error <= 10
    percent = sprintf("%+.0f", error)
    return measured ", " shown(number) " (" (percent ~ /^[+-]0$/ ? "0" : percent) " %)"
}

function three_digits(number) {
    if (number >= 99.95) return sprintf("%.0f", number)
    if (number >= 9.995) return sprintf("%.1f", number)
    return sprintf("%.2f", number)
}

function shown(number) {
    if (number == "") return "-"
    number += 0
    if (factors > 1) return three_digits(number)
    if (value ~ /bytes_per_s/) number /= 1048576
    if (value ~ /_ns/) number /= 1000000
    return three_digits(number)
}

# The number of a line, or the ratio of the sums of all lines of its cell so far.
function ratio(row, column,    i, number) {
    number = fields[index_of[factor_names[1]]]
    if (factors == 1) return number
    for (i = 1; i <= factors; i++) if (factor_names[i] in index_of) sums[row, column, i] += fields[index_of[factor_names[i]]]
    number = sums[row, column, 1]
    for (i = 2; i <= factors; i++) {
        if (factor_names[i] ~ /^[0-9]+$/) number /= factor_names[i]
        # A count of devices is the same on each line.
        else if (factor_names[i] == "device_count") number /= fields[index_of["device_count"]]
        else number /= sums[row, column, i]
    }
    return number
}

function is_wanted(    conditions, n, i, pair, values, m, j, found) {
    n = split(only, conditions, ";")
    for (i = 1; i <= n; i++) {
        split(conditions[i], pair, "=")
        m = split(pair[2], values, ",")
        found = 0
        for (j = 1; j <= m; j++) if (label(pair[1]) == values[j]) found = 1
        if (!found) return 0
    }
    return 1
}

NR == 1 {
    if (value == "") value = "bandwidth_bytes_per_s"
    split(against, parts, "=")
    base_name = parts[1]; base_value = parts[2]
    n = split_csv($0, fields)
    for (i = 1; i <= n; i++) index_of[fields[i]] = i
    factors = split(value, factor_names, "/")
    gsub("/", ",", value)
    m = split(rows "," columns "," value, parts, ",")
    for (i = 1; i <= m; i++) if (parts[i] !~ /^[0-9]+$/ && !(parts[i] in index_of)) {
        print "no column " parts[i] > "/dev/stderr"
        exit 1
    }
    while (recorded != "" && (getline line < recorded) > 0) {
        if (line ~ /^#/) continue
        split(line, parts, / *[|] */)
        measured[parts[1], parts[2]] = parts[3]
    }
    next
}

{
    split_csv($0, fields)
    if (!is_wanted()) next
    row = labels(rows, 0); column = labels(columns, 0)
    number = ratio(row, column)
    if (against != "") {
        if (label(base_name) == base_value) { bases[row, column] = number; next }
        raw[row, column] = number
        base_of[row, column] = labels(rows, 1) SUBSEP labels(columns, 1)
    }
    split(rows, parts, ",")
    first = label(parts[1])
    if (recorded != "" && !((row, column) in measured)) next
    note_cell("first", first); note_cell("row", row); note_cell("column", column)
    if (!(first in has_first)) { has_first[first] = 1; first_names[++first_count] = first }
    if (!(row in has_row)) { has_row[row] = 1; row_names[++row_count] = row; first_of[row] = first }
    if (!(column in has_column)) { has_column[column] = 1; column_names[++column_count] = column }
    numbers[row, column] = number
}

# Keeps the first cell that a name belongs to.
function note_cell(kind, name,    cell) {
    cell = fields[index_of["cell"]] + 0
    if (!((kind, name) in cell_of) || cell < cell_of[kind, name]) cell_of[kind, name] = cell
}

# Puts names in the order of their cells: samples are measured in a random one.
function sort(kind, names, count,    i, j, name) {
    for (i = 2; i <= count; i++) {
        name = names[i]
        for (j = i - 1; j > 0 && cell_of[kind, names[j]] > cell_of[kind, name]; j--) names[j + 1] = names[j]
        names[j + 1] = name
    }
}

END {
    sort("first", first_names, first_count)
    sort("row", row_names, row_count)
    sort("column", column_names, column_count)
    head = "|"; line = "|---|"
    for (c = 1; c <= column_count; c++) { head = head " | " column_names[c]; line = line "--:|" }
    print head " |"; print line
    for (f = 1; f <= first_count; f++) for (r = 1; r <= row_count; r++) {
        if (first_of[row_names[r]] != first_names[f]) continue
        text = "| " row_names[r]
        for (c = 1; c <= column_count; c++) {
            key = row_names[r] SUBSEP column_names[c]
            if (!(key in numbers)) text = text " | -"
            else if (recorded != "") text = text " | " beside(measured[key], numbers[key])
            else if (against == "") text = text " | " shown(numbers[key])
            else text = text " | " difference(raw[key], bases[base_of[key]])
        }
        print text " |"
    }
    if (recorded != "") printf "\n%d of %d numbers are within 10 %%, and %.1f %% off on average.\n", within, count, errors / count
}
