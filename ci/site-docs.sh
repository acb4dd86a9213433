#!/usr/bin/env bash
# Builds the documents as searchable pages in target/site-docs: the repository's pages, staged with the
# pictures and files that they link to, through MkDocs. A page that the list in packaging/site-docs lacks,
# or a link that leads nowhere, is a failure. Needs Python with venv, and its package index.
#
#   ci/site-docs.sh
set -euo pipefail
cd "$(dirname "$0")/.."

built=target/site-docs
python=target/tools/mkdocs
[ -x "$python/bin/mkdocs" ] || {
    python3 -m venv "$python"
    "$python/bin/pip" install --quiet "mkdocs==1.6.1"
}
rm -rf "$built"
mkdir -p "$built/pages"
cp packaging/site-docs/* "$built"
# What GitHub shows below a page's address: also files of studies and sources, as they are.
git ls-files --cached --others --exclude-standard |
    grep -E '^([A-Z]+\.md|LICENSE.*|Cargo\.toml|docs/|studies/|devices/|hosts/|workloads/|kernels/|packaging/|findings/)' |
    grep -Ev '^(packaging/site-docs/|docs/explain/(before|after)/)' |
    tar --create --files-from=- | tar --extract --directory="$built/pages"
# Sources that pages link to: files, and folders whole, also that of a README.
grep -rhoE '\]\((\.\./)*(crates|ci|web|fuzz)/[^)#]*' "$built/pages" --include='*.md' |
    sed -E 's/\]\((\.\.\/)*//; s/\/(README\.md)?$//' | sort -u | while read -r path; do
    git ls-files -- "$path"
done | tar --create --files-from=- | tar --extract --directory="$built/pages"
# Without `--quiet`, which would also hide what `--strict` counts.
PYTHONPATH=$built "$python/bin/mkdocs" build --strict --config-file "$built/mkdocs.yml" 2>"$built/log" || {
    cat "$built/log" >&2
    exit 1
}
python3 packaging/site-docs/links.py "$built/site"
