"""Runs, predictions and advice of Stripewise as data frames.

Each function calls the program that comes with this package and returns a frame of pandas or polars:
`frame="pandas"` or `frame="polars"`; without it that of the one that is installed, pandas first. Neither
is a dependency. `program` and `document` need neither.

Units are in the names of columns, as in `--json` and in docs/export.md: `latency_ns_p99`,
`bandwidth_bytes_per_s`. Of an estimate, `iops` is the value, and `iops_low` and `iops_high` are the ends
of its 95 % interval.
"""

import importlib.util
import json
import os
import subprocess
import sysconfig
import tempfile

__all__ = ["Error", "advise", "cells", "document", "predict", "program", "runs", "samples"]


class Error(Exception):
    """The program refused: `str()` is what it says, `code` its exit code."""

    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


def program():
    """Returns the path of the program. Raises `FileNotFoundError` if this package lost it."""
    # Where pip put it: the environment's scripts, or those of `pip install --user`.
    schemes = [sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")]
    tried = [os.path.join(sysconfig.get_path("scripts", scheme), "stripewise") for scheme in schemes]
    # `pip install --target DIR` puts it into DIR/bin.
    tried.append(os.path.join(os.path.dirname(os.path.dirname(__file__)), "bin", "stripewise"))
    for path in tried:
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(f"no program `stripewise` in {', '.join(tried)}: install the package again")


def document(command, *arguments, **options):
    """Returns what `stripewise COMMAND --json` prints, as Python's values.

    An option has the program's name with `_` for `-`. Its value is a text or a number; a list repeats
    the option, True gives it without a value, and None and False leave it out. Raises `Error`.
    """
    return json.loads(_call([*command.split(), *_arguments(options), "--json", "--", *arguments]))


def runs(store=None, tag=None, frame=None):
    """Returns the runs in a store, one row each: `id`, `study`, `world`, `state`, `samples_counted`, ..."""
    found = document("runs", store=store, tag=tag)["runs"]
    return _frame([{**_flat(run), "tags": " ".join(run["tags"])} for run in found], frame)


def cells(*run, store=None, frame=None):
    """Returns the estimates of runs (default: `latest`), one row for each cell; the columns of docs/export.md."""
    return _exported("cells", run, store, frame)


def samples(*run, store=None, frame=None):
    """Returns the samples of runs (default: `latest`), one row each; the columns of docs/export.md."""
    return _exported("samples", run, store, frame)


def predict(workload, device, array="none", frame=None, **options):
    """Returns what arrays of devices give under loads, one row for each cell.

    `workload`, `device` and `array` are as for `stripewise predict`, or lists of them; `options` are its
    others, such as `count=4` or `filesystem="ext4"`. Columns: the stack, the load, the metrics with their
    intervals, `bottleneck_limit`, `bottleneck_part`, and `state` of the devices (fresh or steady).
    """
    answer = document("predict", workload=workload, device=device, array=array, **options)
    rows = []
    for cell in answer["cells"]:
        row = _flat({key: cell[key] for key in ("stack", "workload", "conditions", "bottleneck") if key in cell})
        row["stack_devices"] = _devices(cell["stack"]["devices"])
        for metric, estimate in cell["estimates"].items():
            row |= {f"{metric}{end}": _of(estimate, key) for end, key in ENDS.items()}
        rows.append({**row, "state": cell["state"]})
    return _frame(rows, frame)


def advise(workload, devices, frame=None, **options):
    """Returns the designs that `stripewise advise` compared, the best first, one row each.

    `workload` and `devices` are as for the command, or lists of them; `options` are its others, such as
    `require=["survive=1", "capacity>=900G"]`. Columns: `design`, `roles` (such as `advised`), `fate` (such
    as `within` the tolerance of the best), `bytes_per_s`, and of the designs of interest what they keep
    and cost: `usable_bytes`, `commit_p99_ns`, `degraded_bytes_per_s`, `rebuild_ns`.
    """
    answer = document("advise", workload=workload, devices=devices, **options)
    front = {design["design"]: design for design in answer["front"]}
    rows = []
    for index, design in enumerate(answer["designs"]):
        more = front.get(design["design"], {})
        row = {**_flat(design), **_flat(more), "roles": " ".join(more.get("roles", []))}
        rows.append((index != answer["best"], -(row.get("bytes_per_s") or 0), row))
    rows.sort(key=lambda entry: entry[:2])
    return _frame([row for *_, row in rows], frame)


# An estimate's value and the ends of its interval, as columns end and as documents name them.
ENDS = {"": "value", "_low": "low", "_high": "high"}


def _of(estimate, key):
    return estimate[key] if estimate else None


def _devices(devices):
    return ", ".join(f"{device['count']} x {device['profile']}" for device in devices)


def _arguments(options):
    for name, value in options.items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is None or one is False:
                continue
            # With `=` a value that begins with `-` is no option.
            yield f"--{name.replace('_', '-')}" + ("" if one is True else f"={one}")


def _call(arguments):
    done = subprocess.run([program(), *arguments], stdin=subprocess.DEVNULL, capture_output=True)
    # 1 is an answer that is "no".
    if done.returncode not in (0, 1):
        raise Error(done.stderr.decode(errors="replace").strip(), done.returncode)
    return done.stdout


def _exported(rows, run, store, frame):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.parquet")
        _call(["export", *_arguments({"rows": rows, "store": store, "output": path}), "--", *map(str, run)])
        library = _library(frame)
        # A frame that reads the file later would find it gone; both read it whole.
        return library.read_parquet(path)


def _flat(value, prefix=""):
    """Returns the texts, numbers and truths in an object, and in objects in it, with joined names."""
    row = {}
    for key, inner in value.items():
        if isinstance(inner, dict):
            row |= _flat(inner, f"{prefix}{key}_")
        elif not isinstance(inner, list):
            row[prefix + key] = inner
    return row


def _library(frame):
    known = ("pandas", "polars")
    if frame is None:
        # A folder of that name in the working directory has a specification, too, but no origin.
        found = ((name, importlib.util.find_spec(name)) for name in known)
        frame = next((name for name, spec in found if spec and spec.origin), None)
        if frame is None:
            raise ImportError("neither pandas nor polars is installed; `document` needs neither")
    if frame not in known:
        raise ValueError(f"frame is {frame!r}; it can be {' or '.join(map(repr, known))}")
    return importlib.import_module(frame)


def _frame(rows, frame):
    # A column that one row lacks is unknown there.
    names = dict.fromkeys(key for row in rows for key in row)
    columns = {name: [row.get(name) for row in rows] for name in names}
    library = _library(frame)
    # In polars, a number without a fraction may stand above one with a fraction.
    return library.DataFrame(columns, **({"strict": False} if library.__name__ == "polars" else {}))
