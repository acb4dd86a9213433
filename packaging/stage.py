#!/usr/bin/env python3
"""Copies the files of the Debian package into a folder, as they lie on a system.

    packaging/stage.py PROGRAM FOLDER

The list is that of `make deb`, in crates/stripewise/Cargo.toml; packaging/made-files.sh has made those
below target/deb. Man pages are packed. Fails if the list names a file that is not there.
"""

import glob
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys

CRATE = pathlib.Path("crates/stripewise")


def metadata():
    """Returns what Cargo.toml says about the Debian package."""
    command = [os.environ.get("CARGO", "cargo"), "metadata", "--no-deps", "--locked", "--format-version=1"]
    packages = json.loads(subprocess.check_output(command))["packages"]
    return next(package["metadata"]["deb"] for package in packages if package["name"] == "stripewise")


def put(source, target, mode):
    target.parent.mkdir(parents=True, exist_ok=True)
    if "/man/" in str(target):
        target = target.with_name(target.name + ".gz")
        target.write_bytes(gzip.compress(pathlib.Path(source).read_bytes(), 9, mtime=0))
    else:
        shutil.copyfile(source, target)
    target.chmod(int(mode, 8))


def main(program, folder):
    deb = metadata()
    licence = [deb["license-file"][0], "usr/share/doc/stripewise/copyright", "644"]
    for source, target, mode in [*deb["assets"], licence]:
        is_program = source == "target/release/stripewise"
        found = [program] if is_program else sorted(glob.glob(str(CRATE / source)))
        if not found:
            sys.exit(f"stage.py: no file is {source}, which crates/stripewise/Cargo.toml lists")
        for path in found:
            into = pathlib.Path(folder, target)
            put(path, into / pathlib.Path(path).name if target.endswith("/") else into, mode)


if __name__ == "__main__":
    main(*sys.argv[1:])
