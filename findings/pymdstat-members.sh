#!/usr/bin/env bash
# pymdstat 0.5.1 forgets members that work, and takes a level for a member.
#
# Guess before the run: it cuts flags such as (F) out of a line with the pattern `\(.+\)`, which
# reaches from the first bracket to the last; and it splits at everything that is not a letter or
# a digit, so that `dm-3` is two words.
# Seen, without an error:
# - of five members of which the first is a spare and the last has failed, one is listed;
# - a mirror of LVM volumes that is (auto-read-only) has no type, and the members raid1, 3, dm and 0.
# Version: pymdstat 0.5.1 (PyPI).
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet pymdstat==0.5.1

cat >"$scratch/mdstat" <<'MDSTAT'
Personalities : [raid1] [raid6] [raid5] [raid4] 
md0 : active raid5 sde1[5](S) sdd1[4] sdc1[2] sdb1[1] sda1[0](F)
      6279168 blocks super 1.2 level 5, 512k chunk, algorithm 2 [4/3] [_UUU]
      
md1 : active (auto-read-only) raid1 dm-3[1] dm-2[0]
      1046528 blocks super 1.2 [2/2] [UU]
      
unused devices: <none>
MDSTAT
"$scratch/venv/bin/python" - "$scratch/mdstat" <<'CHECK'
import sys
from pymdstat import MdStat
arrays = MdStat(sys.argv[1]).get_stats()["arrays"]
print(arrays)
assert arrays["md0"]["components"] == {"sde1": "5"}, arrays["md0"]
assert arrays["md1"]["type"] is None, arrays["md1"]
assert set(arrays["md1"]["components"]) == {"raid1", "3", "dm", "0"}, arrays["md1"]
print("as seen: one of five members of md0, and a member of md1 called raid1")
CHECK
