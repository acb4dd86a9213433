#!/usr/bin/python3
"""A store with one fault that few power cuts meet; the mode `correct` has none.

planted_store.py MODE load|check

Values go to `wal.G`, each flushed and then acknowledged. Every 32nd value seals the log: all values of
the log and this one go to `seg.G`, and a new log begins. Modes:

  directory  the directory of `seg.G` is not flushed after the rename
  rename     `seg.G` is renamed before its data is flushed
  header     the header of a new log is written after its first record is acknowledged
"""

import hashlib
import os
import sys
import time

mode, phase = sys.argv[1:3]
EVERY = 32
HEADER = b"good".ljust(512, b".")
LIMIT = int(os.environ.get("STRIPEWISE_SIZE") or 0)


def value(number):
    return b"%d." % number * 20


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def record(number):
    data = b"%d %s" % (number, value(number))
    return (b"%s %s" % (digest(data).encode(), data)).ljust(512, b" ")


def flush_directory():
    directory = os.open(".", os.O_RDONLY)
    os.fsync(directory)
    os.close(directory)


def say(word, number):
    data = value(number)
    print(word, number, len(data), digest(data), flush=True)


def new_log(generation):
    log = os.open(f"wal.{generation}", os.O_RDWR | os.O_CREAT, 0o644)
    os.pwrite(log, bytes(512) if mode == "header" else HEADER, 0)
    os.fsync(log)
    flush_directory()
    return log


def seal(generation, last):
    first = generation * EVERY + 1
    segment = os.open("segment", os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
    os.write(segment, b"".join(map(record, range(first, last + 1))))
    if mode != "rename":
        os.fsync(segment)
    os.rename("segment", f"seg.{generation}")
    if mode != "directory":
        flush_directory()
    say("ack", last)
    time.sleep(0.003)
    os.fsync(segment)
    flush_directory()
    os.close(segment)


def load():
    generation, number, log = 0, 0, new_log(0)
    while not LIMIT or number < LIMIT:
        number += 1
        if number % EVERY == 0:
            seal(generation, number)
            os.close(log)
            os.unlink(f"wal.{generation}")
            generation += 1
            log = new_log(generation)
            print("event sealed", flush=True)
            continue
        os.pwrite(log, record(number), 512 * (number % EVERY))
        os.fdatasync(log)
        say("ack", number)
        time.sleep(0.003)
        if mode == "header" and number % EVERY == 1:
            os.pwrite(log, HEADER, 0)
            os.fdatasync(log)


def check():
    found = set()
    for name in sorted(os.listdir(".")):
        data = open(name, "rb").read() if name[:3] in ("wal", "seg") else b""
        if name.startswith("wal") and data[:512] != HEADER:
            continue
        for start in range(0, len(data), 512):
            words = data[start : start + 512].rstrip().split(b" ", 1)
            if len(words) == 2 and digest(words[1]).encode() == words[0]:
                found.add(int(words[1].split(b" ")[0]))
    for number in sorted(found):
        say("ack", number)


load() if phase == "load" else check()
