#!/usr/bin/env bash
# Prints the licences of all libraries in the program: each library with its licence, then each
# text once, with the libraries that it came with. `make deb` calls it.
set -euo pipefail
cd "$(dirname "$0")/.."

sources=${CARGO_HOME:-$HOME/.cargo}/registry/src
list=$(${CARGO:-cargo} tree --locked --package stripewise --edges normal --no-dedupe \
    --prefix none --format '{p}|{l}' | grep -v '(/' | sed 's/ (proc-macro)//' | sort -u)

echo "Libraries in stripewise, and their licences"
echo
declare -A of_text
texts=()
without=()
while IFS='|' read -r package licence; do
    echo "$package: $licence"
    folder=$(find "$sources" -mindepth 2 -maxdepth 2 -name "${package/ v/-}" | head -n 1)
    [ -n "$folder" ] || { echo "third-party.sh: no source of $package in $sources" >&2; exit 1; }
    # Those of C sources are in directories of their own.
    found=$(find "$folder" -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'unlicense*' \) | sort)
    [ -n "$found" ] || without+=("$package")
    while read -r text; do
        [ -n "$text" ] || continue
        sum=$(tr -d ' \t\r\n' <"$text" | sha256sum)
        [ -n "${of_text[$sum]:-}" ] || texts+=("$sum $text")
        of_text[$sum]="${of_text[$sum]:-}${of_text[$sum]:+, }$package"
    done <<<"$found"
done <<<"$list"
for entry in "${texts[@]}"; do
    text=${entry#*- }
    sum=${entry%% /*}
    printf '\n%s\nof %s\n\n' "------------------------------" "${of_text[$sum]}"
    cat "$text"
done
printf '\n%s\n\n' "------------------------------"
echo "The charts of reports and of the live page:"
echo
cat crates/report/assets/LICENSES.txt
if [ ${#without[@]} -gt 0 ]; then
    printf '\n%s\n\n' "------------------------------"
    echo "Without a text in their packages; the licences above apply: ${without[*]}"
fi
