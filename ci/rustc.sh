#!/usr/bin/env bash
# Stands in for rustc where our own crates are compiled (RUSTC_WORKSPACE_WRAPPER): compiles, lints,
# and documents a crate in one go. `cargo clippy` and `cargo doc` would each read every package a
# second time. As with them, a warning fails the build.
#
# A library and the program are linted where they are compiled with their unit tests, which is all of
# their code: linting them again without would take a fifth of their time. rustc still warns there, as
# only it sees what nothing but tests uses.
#
# clippy-driver compiles as rustc does, but leaves optimising to LLVM: good for tests, not for users.
# Test programs are not optimised at all, which would take longer than they run; the libraries that
# they call are, as Cargo.toml says.
set -euo pipefail

# Cargo compiles a crate anew when this is not what it was, so it is set where cargo is called.
: "${CLIPPY_ARGS:?}"
if [[ " $* " =~ " --test " ]]; then
    exec clippy-driver "$@" -C opt-level=0
fi
if ! [[ " $* " =~ /src/(lib|main)\.rs\  ]]; then
    exec clippy-driver "$@"
fi
"$@" --deny warnings

# What `cargo doc` documents, and with which arguments: those of rustc but how and where to compile.
# Each crate has a folder of its own: in a common one, each rewrites the index of all.
rustdoc=(rustdoc --deny warnings)
shift # rustc
while [ $# -gt 0 ]; do
    case $1 in
    --emit=* | --json=* | --diagnostic-width=*) ;;
    -C) shift ;;
    --crate-name) rustdoc+=("$1" "$2") && name=$2 && shift ;;
    --out-dir) folder=$2/../../doc && shift ;;
    */src/main.rs) rustdoc+=("$1" --document-private-items --allow rustdoc::private_intra_doc_links) ;;
    *) rustdoc+=("$1") ;;
    esac
    shift
done
exec "${rustdoc[@]}" --out-dir "$folder/$name"
