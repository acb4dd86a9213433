#!/usr/bin/env bash
# Makes the files of a package that no repository has, in target/deb: man pages, completions, and the
# licences of all libraries. `make deb` and `make dist` call it.
#
#   packaging/made-files.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
cd "$(dirname "$0")/.."

rm -rf target/deb
mkdir -p target/deb/man
packaging/third-party.sh | gzip -9n >target/deb/third-party-licences.gz
"$program" man --out target/deb/man
"$program" completions bash >target/deb/stripewise.bash
"$program" completions zsh >target/deb/_stripewise
"$program" completions fish >target/deb/stripewise.fish
