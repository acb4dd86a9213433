#!/usr/bin/env bash
# Prints the lines of product code of each crate: without tests, comments, blank lines and what is
# generated. With a commit, the lines of that commit.
#
#   ci/lines.sh [COMMIT]
set -euo pipefail
cd "$(dirname "$0")/.."

commit=${1:-}
tree=.
if [[ -n $commit ]]; then
    tree=$(mktemp -d)
    trap 'rm -rf "$tree"' EXIT
    git archive "$commit" -- crates web/src | tar -x -C "$tree"
fi

# A module of tests is the last of its file; `#[cfg(test)]` on anything else is counted.
count() {
    find "$@" -type f \( -name '*.rs' -o -name '*.ts' -o -name '*.tsx' \) \
        ! -name '*_tests.rs' ! -name 'tests.rs' ! -path '*/tests/*' ! -name 'generated.ts' -print0 |
        xargs -0 -r awk '
            FNR == 1 { in_tests = 0; was_cfg = 0 }
            was_cfg && /^mod [a-z_]+( \{|;)/ { in_tests = !/;/ }
            { was_cfg = /^#\[cfg\(test\)\]/ || (was_cfg && /^#\[path/) }
            !in_tests && !/^[[:space:]]*(\/\/|\/\*|\*[ \/]|$)/ { lines++ }
            END { print lines + 0 }' | awk '{ sum += $1 } END { print sum + 0 }'
}

{
    for crate in "$tree"/crates/*/; do
        printf '%s %s\n' "$(count "$crate/src")" "$(basename "$crate")"
    done
    printf '%s %s\n' "$(count "$tree/web/src")" "web"
} | sort -rn | awk '{ sum += $1; printf "%7d  %s\n", $1, $2 } END { printf "%7d  all\n", sum }'
