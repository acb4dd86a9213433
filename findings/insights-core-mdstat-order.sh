#!/usr/bin/env bash
# insights-core 3.8.4 says of a degraded array that a working member is down and the failed one up.
#
# Guess before the run: md lists members in the order of its list, mostly the newest first, but
# writes [_UU] by slot (md_seq_show and each personality's status function in the kernel). A reader
# that lays the letters over the list as it stands is wrong for every array but symmetric ones.
# Seen: of `sdc1[2](F) sdb1[1] sda1[0]` with [3/2] [UU_], sda1 is "up": False and sdc1 is "up": True.
# With a spare beside the members, the same reader raises a ParseException: letters are fewer then.
# Version: insights-core 3.8.4 (PyPI).
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet insights-core==3.8.4 setuptools

cat >"$scratch/mdstat" <<'MDSTAT'
Personalities : [raid6] [raid5] [raid4] 
md0 : active raid5 sdc1[2](F) sdb1[1] sda1[0]
      2093056 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/2] [UU_]
      
unused devices: <none>
MDSTAT
sed 's/md0 : active raid5 /&sdd1[3](S) /' "$scratch/mdstat" >"$scratch/with-spare"
"$scratch/venv/bin/python" - "$scratch/mdstat" "$scratch/with-spare" <<'CHECK'
import sys
from insights.core.exceptions import ParseException
from insights.parsers.mdstat import Mdstat
from insights.tests import context_wrap
members = Mdstat(context_wrap(open(sys.argv[1]).read())).mds["md0"]["devices"]
up = {member["component_name"]: member["up"] for member in members}
print(up)
assert up == {"sdc1": True, "sdb1": True, "sda1": False}, up
try:
    print(Mdstat(context_wrap(open(sys.argv[2]).read())).mds)
    raise SystemExit("changed: an array with a spare is read")
except ParseException as error:
    print("with a spare:", error)
print("as seen: the failed sdc1 is up, the working sda1 is down")
CHECK
