"""Tries the installed module, with pandas, polars or none of them: ci/wheel.sh calls it.

    try.py none|pandas|polars STORE

The store has one finished run of studies/flush.toml.
"""

import importlib.metadata
import os
import subprocess
import sys

import stripewise

library, store = sys.argv[1:]


def refused(call, error, *words):
    try:
        call()
    except error as found:
        assert all(word in str(found) for word in words), found
    else:
        raise AssertionError(f"no {error.__name__}")


# The program that came with the package, of its version.
assert stripewise.program().startswith(sys.prefix + os.sep), stripewise.program()
version = subprocess.check_output([stripewise.program(), "--version"], text=True)
assert version.split()[1] == importlib.metadata.version("stripewise"), version
whole = stripewise.document("runs", store=store)
assert [run["study"] for run in whole["runs"]] == ["flush"], whole
# What the program refuses says so, and a value is never an option.
refused(lambda: stripewise.document("show", "999", store=store), stripewise.Error, "999")
refused(lambda: stripewise.document("predict", device="--version", workload="read:4K"), stripewise.Error, "--version")
if library == "none":
    refused(lambda: stripewise.runs(store), ImportError, "neither pandas nor polars")
    print("the program and its documents work without a library")
    sys.exit()

refused(lambda: stripewise.runs(store, frame="arrow"), ValueError, "'arrow'")


def rows(frame):
    """Returns the rows of a frame as objects."""
    assert type(frame).__module__.split(".")[0] == library, type(frame)
    return frame.to_dict("records") if library == "pandas" else frame.to_dicts()


[run] = rows(stripewise.runs(store))
assert run["state"] == "done" and run["samples_counted"] == whole["runs"][0]["samples"]["counted"], run
cells, samples = rows(stripewise.cells(run["id"], store=store)), rows(stripewise.samples(store=store))
assert len(cells) == run["cell_count"] and len(samples) == run["samples_all"], (len(cells), len(samples))
assert all(cell["iops_low"] <= cell["iops"] <= cell["iops_high"] for cell in cells), cells
assert sum(cell["samples"] for cell in cells) == sum(sample["counted"] for sample in samples)

predicted = rows(stripewise.predict(["randread:4K", "randwrite:4K"], "sata-ssd", ["raid1", "raid5"], count=4))
asked = {(cell["stack_array_level"], cell["workload_pattern"]) for cell in predicted}
assert asked == {(level, load) for level in ("raid1", "raid5") for load in ("randread", "randwrite")}, asked
document = stripewise.document("predict", workload="randread:4K", device="sata-ssd", array="raid1:4")
[first] = [
    cell
    for cell in predicted
    if (cell["stack_array_level"], cell["workload_pattern"]) == ("raid1", "randread")
]
assert first["iops"] == document["cells"][0]["estimates"]["iops"]["value"], first
assert first["iops_low"] < first["iops"] < first["iops_high"], first
assert first["stack_devices"] == "4 x sata-ssd", first

advised = rows(stripewise.advise("randread:4K", "4 x sata-ssd", require=["survive=1", "capacity>=1T"]))
document = stripewise.document(
    "advise", workload="randread:4K", devices="4 x sata-ssd", require=["survive=1", "capacity>=1T"]
)
assert len(advised) == len(document["designs"]), len(advised)
assert advised[0]["design"] == document["designs"][document["best"]]["design"], advised[0]
assert any("advised" in design["roles"] for design in advised), advised
refused(lambda: stripewise.predict("randread:4K", "no-such-disk"), stripewise.Error, "no-such-disk")
print(f"{len(cells)} cells, {len(samples)} samples, {len(predicted)} predictions, {len(advised)} designs")
