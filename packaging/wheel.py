#!/usr/bin/env python3
"""Packs the static program and the Python module as a wheel.

    packaging/wheel.py PROGRAM VERSION FOLDER

Prints the wheel's path. The program goes to the environment's scripts, as a command of its own: no Python
starts before it. The tag says manylinux_2_17, the oldest that Rust's C library interface supports; the
program itself needs no C library. The same inputs and SOURCE_DATE_EPOCH give the same bytes.
"""

import base64
import gzip
import hashlib
import os
import pathlib
import sys
import time
import zipfile

TAG = "py3-none-manylinux_2_17_x86_64"

METADATA = """\
Metadata-Version: 2.4
Name: stripewise
Version: {version}
Summary: Measures, explains and predicts Linux storage
License-Expression: MIT OR Apache-2.0
License-File: LICENSE-APACHE
License-File: LICENSE-MIT
License-File: third-party-licences
Project-URL: Repository, https://github.com/stripewise/stripewise
Requires-Python: >=3.10
Provides-Extra: pandas
Requires-Dist: pandas; extra == "pandas"
Requires-Dist: pyarrow; extra == "pandas"
Provides-Extra: polars
Requires-Dist: polars; extra == "polars"
Description-Content-Type: text/markdown

{description}"""

WHEEL = f"""\
Wheel-Version: 1.0
Generator: stripewise packaging/wheel.py
Root-Is-Purelib: false
Tag: {TAG}
"""


def files(program, version):
    """Returns the path, content and mode of each file in the wheel but RECORD."""
    info = f"stripewise-{version}.dist-info"
    description = pathlib.Path("packaging/wheel/README.md").read_text()
    yield "stripewise/__init__.py", pathlib.Path("packaging/wheel/stripewise/__init__.py").read_bytes(), 0o644
    yield f"stripewise-{version}.data/scripts/stripewise", pathlib.Path(program).read_bytes(), 0o755
    yield f"{info}/METADATA", METADATA.format(version=version, description=description).encode(), 0o644
    yield f"{info}/WHEEL", WHEEL.encode(), 0o644
    for name in ["LICENSE-APACHE", "LICENSE-MIT"]:
        yield f"{info}/licenses/{name}", pathlib.Path(name).read_bytes(), 0o644
    third_party = gzip.decompress(pathlib.Path("target/deb/third-party-licences.gz").read_bytes())
    yield f"{info}/licenses/third-party-licences", third_party, 0o644


def main(program, version, folder):
    when = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    path = pathlib.Path(folder, f"stripewise-{version}-{TAG}.whl")
    record = f"stripewise-{version}.dist-info/RECORD"
    lines = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

        def put(name, content, mode):
            entry = zipfile.ZipInfo(name, when)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # the mode is one of Unix
            archive.writestr(entry, content)

        for name, content, mode in files(program, version):
            put(name, content, mode)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(content)}\n")
        put(record, "".join([*lines, f"{record},,\n"]), 0o644)
    print(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
