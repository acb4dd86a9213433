#!/usr/bin/env python3
"""Prints what the static program is made of, as CycloneDX 1.5 (JSON).

    packaging/sbom.py

The parts: the packages of Rust from Cargo.lock that the program links (not those that only build or test
it), the C libraries that two of them carry, the packages of npm in its pages, and the C library and
Rust's own library of the machine that builds. The same tree, compilers and SOURCE_DATE_EPOCH give the same bytes.
"""

import datetime
import json
import os
import pathlib
import platform
import re
import subprocess
import tomllib
import uuid

TARGET = "x86_64-unknown-linux-gnu"
CARGO = os.environ.get("CARGO", "cargo")


def output(*command):
    return subprocess.check_output(command, text=True).strip()


def linked(metadata):
    """Returns the identities of the packages in the program, each with those that it needs."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    makes_code = {
        package["id"]: not any("proc-macro" in target["kind"] for target in package["targets"])
        for package in metadata["packages"]
    }
    program = next(package["id"] for package in metadata["packages"] if package["name"] == "stripewise")
    needs, pending = {}, [program]
    while pending:
        identity = pending.pop()
        if identity in needs:
            continue
        normal = (
            dependency["pkg"]
            for dependency in nodes[identity]["deps"]
            if any(kind["kind"] is None for kind in dependency["dep_kinds"])
        )
        needs[identity] = sorted(pkg for pkg in normal if makes_code[pkg])
        pending.extend(needs[identity])
    return program, needs


def of_rust(package, checksums):
    """Returns a package of Rust as a component."""
    name, version = package["name"], package["version"]
    component = {
        "type": "application" if name == "stripewise" else "library",
        "bom-ref": f"pkg:cargo/{name}@{version}",
        "name": name,
        "version": version,
        "purl": f"pkg:cargo/{name}@{version}",
    }
    if package["description"]:
        component["description"] = " ".join(package["description"].split())
    if package["license"]:
        # Some packages have `MIT/Apache-2.0`, which was written before expressions.
        component["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if (name, version) in checksums:
        component["hashes"] = [{"alg": "SHA-256", "content": checksums[name, version]}]
    return component


def carried(packages):
    """Returns the C libraries in packages of Rust, with the versions that their headers name."""
    sources = {
        "sqlite": ("libsqlite3-sys", "sqlite3/sqlite3.h", r'SQLITE_VERSION +"([\d.]+)"', "blessing"),
        "quickjs-ng": ("rquickjs-sys", "quickjs/quickjs.h", r"QJS_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)", "MIT"),
    }
    for name, (package, header, pattern, licence) in sources.items():
        [manifest] = {p["manifest_path"] for p in packages if p["name"] == package}
        version = ".".join(re.findall(pattern, (pathlib.Path(manifest).parent / header).read_text()))
        assert version, f"{header} of {package} names no version"
        yield {
            "type": "library",
            "bom-ref": f"pkg:generic/{name}@{version}",
            "name": name,
            "version": version,
            "purl": f"pkg:generic/{name}@{version}",
            "licenses": [{"expression": licence}],
        }


def of_npm():
    """Returns the packages of npm in the pages, from the heads of their licences."""
    text = pathlib.Path("crates/report/assets/LICENSES.txt").read_text()
    heads = re.findall(r"^(\S+) (\d+\.\d+\.\d+\S*) \(([^)]+)\)$", text, re.MULTILINE)
    assert heads, "crates/report/assets/LICENSES.txt has no head of a package"
    return [
        {
            "type": "library",
            "bom-ref": f"pkg:npm/{name.replace('@', '%40')}@{version}",
            "name": name,
            "version": version,
            "purl": f"pkg:npm/{name.replace('@', '%40')}@{version}",
            "licenses": [{"expression": licence}],
        }
        for name, version, licence in heads
    ]


def of_the_builder():
    """Returns the libraries that come from the machine that builds."""
    rustc = dict(line.split(": ", 1) for line in output("rustc", "-vV").splitlines() if ": " in line)
    _, libc = platform.libc_ver()
    return [
        {
            "type": "library",
            "bom-ref": "rust-std",
            "name": "rust-std",
            "version": rustc["release"],
            "licenses": [{"expression": "MIT OR Apache-2.0"}],
        },
        {
            "type": "library",
            "bom-ref": "glibc",
            "name": "glibc",
            "version": libc,
            "licenses": [{"expression": "LGPL-2.1-or-later"}],
        },
    ], [
        {"type": "application", "name": "rustc", "version": f"{rustc['release']} {rustc['commit-hash']}"},
        {"type": "application", "name": "cc", "version": output("cc", "--version").splitlines()[0]},
    ]


def main():
    metadata = json.loads(
        output(CARGO, "metadata", "--locked", "--format-version=1", "--filter-platform", TARGET)
    )
    locked = tomllib.loads(pathlib.Path("Cargo.lock").read_text())["package"]
    checksums = {(p["name"], p["version"]): p["checksum"] for p in locked if "checksum" in p}
    program, needs = linked(metadata)
    components = {p["id"]: of_rust(p, checksums) for p in metadata["packages"] if p["id"] in needs}
    own = components.pop(program)
    reference = lambda identity: own["bom-ref"] if identity == program else components[identity]["bom-ref"]
    libraries, tools = of_the_builder()
    libraries += [*of_npm(), *carried(metadata["packages"])]
    depends = {reference(of): [reference(needed) for needed in them] for of, them in needs.items()}
    depends[own["bom-ref"]] += [part["bom-ref"] for part in libraries]
    when = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.UTC)
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": when.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "tools": {"components": tools},
            "component": own,
        },
        "components": sorted([*components.values(), *libraries], key=lambda part: part["bom-ref"]),
        "dependencies": [
            {"ref": of, "dependsOn": sorted(set(them))} for of, them in sorted(depends.items())
        ],
    }
    content = json.dumps(document, sort_keys=True)
    serial = {"serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, content).urn}
    print(json.dumps({**document, **serial}, indent=1, sort_keys=True))


if __name__ == "__main__":
    main()
