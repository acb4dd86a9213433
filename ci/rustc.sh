#!/usr/bin/env bash
# Stands in for rustc where our own crates are compiled (RUSTC_WORKSPACE_WRAPPER): compiles, lints,
# and documents a crate in one go. `cargo clippy` and `cargo doc` would each read every package a
# second time. As with them, a warning fails the build.
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
clippy-driver "$@"

# What `cargo doc` documents, and with which arguments: those of rustc but how and where to compile.
rustdoc=(rustdoc --deny warnings)
source=none
shift # rustc
while [ $# -gt 0 ]; do
    case $1 in
    --emit=* | --json=* | --diagnostic-width=*) ;;
    -C) shift ;;
    --out-dir) rustdoc+=(--out-dir "$2/../../doc") && shift ;;
    */src/lib.rs) source=$1 ;;
    */src/main.rs)
        source=$1
        rustdoc+=(--document-private-items --allow rustdoc::private_intra_doc_links)
        ;;
    *) rustdoc+=("$1") ;;
    esac
    shift
done
[ "$source" = none ] || exec "${rustdoc[@]}" "$source"
