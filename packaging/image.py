#!/usr/bin/env python3
"""Makes a container image with the static program: an OCI image layout, without an engine.

    packaging/image.py ROOT VERSION LAYOUT

ROOT has all files of a package, as they lie on a system. The image has those that a container can use: the
program, the studies and the licences, a `/tmp`, and the names of root and nobody. The same inputs and
SOURCE_DATE_EPOCH give the same bytes.
"""

import datetime
import gzip
import hashlib
import io
import json
import os
import pathlib
import sys
import tarfile

WHEN = int(os.environ["SOURCE_DATE_EPOCH"])
PARTS = ["usr/bin/stripewise", "usr/share/doc/stripewise"]
ACCOUNTS = {
    "etc/passwd": "root:x:0:0:root:/root:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n",
    "etc/group": "root:x:0:\nnogroup:x:65534:\n",
}
# Any user may write to the folder of stores, also one without a name.
FOLDERS = {"data": 0o1777, "root": 0o700, "tmp": 0o1777}


def layer(root):
    """Returns the root's files as a tar."""
    contents = {name: (text.encode(), 0o644) for name, text in ACCOUNTS.items()}
    for part in PARTS:
        top = pathlib.Path(root, part)
        for path in [top, *top.rglob("*")]:
            if path.is_file():
                contents[str(path.relative_to(root))] = (path.read_bytes(), path.stat().st_mode & 0o777)
    folders = dict(FOLDERS)
    for name in contents:
        folders |= {str(parent): 0o755 for parent in pathlib.Path(name).parents if str(parent) != "."}
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name in sorted([*folders, *contents]):
            entry = tarfile.TarInfo(name)
            entry.mtime = WHEN
            if name in folders:
                entry.type, entry.mode = tarfile.DIRTYPE, folders[name]
                archive.addfile(entry)
            else:
                content, entry.mode = contents[name]
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def main(root, version, layout):
    blobs = pathlib.Path(layout, "blobs/sha256")
    blobs.mkdir(parents=True)

    def put(content, media_type):
        """Writes a blob, and returns what names it."""
        digest = hashlib.sha256(content).hexdigest()
        (blobs / digest).write_bytes(content)
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(content)}

    def put_json(document, kind):
        content = json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
        return put(content, f"application/vnd.oci.image.{kind}.v1+json")

    when = datetime.datetime.fromtimestamp(WHEN, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    unpacked = layer(root)
    packed = gzip.compress(unpacked, 9, mtime=0)
    config = {
        "created": when,
        "architecture": "amd64",
        "os": "linux",
        "config": {
            "Entrypoint": ["/usr/bin/stripewise"],
            "Cmd": ["--help"],
            "Env": ["PATH=/usr/bin", "XDG_DATA_HOME=/data"],
            "WorkingDir": "/",
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(unpacked).hexdigest()}"]},
        "history": [{"created": when, "created_by": "packaging/image.py"}],
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": put_json(config, "config"),
        "layers": [put(packed, "application/vnd.oci.image.layer.v1.tar+gzip")],
        "annotations": {
            "org.opencontainers.image.title": "stripewise",
            "org.opencontainers.image.version": version,
            "org.opencontainers.image.created": when,
            "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
            "org.opencontainers.image.source": "https://github.com/stripewise/stripewise",
        },
    }
    described = put_json(manifest, "manifest") | {
        "annotations": {"org.opencontainers.image.ref.name": version},
        "platform": {"architecture": "amd64", "os": "linux"},
    }
    index = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [described],
    }
    pathlib.Path(layout, "index.json").write_text(json.dumps(index, sort_keys=True))
    pathlib.Path(layout, "oci-layout").write_text('{"imageLayoutVersion":"1.0.0"}')


if __name__ == "__main__":
    main(*sys.argv[1:])
