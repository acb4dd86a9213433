#!/usr/bin/env bash
# Lints the Ansible role in packaging/ansible, and plays it against a fresh Debian in a directory, which
# stands for a host: installs, judges, measures a study, fetches the answers, and does it again. Needs
# root, mmdebstrap, Debian's mirror and Python's.
#
#   ci/ansible.sh PACKAGE|PROGRAM
#
# The argument is a Debian package (`make deb`), or the program alone.
set -euo pipefail
what=$(realpath "$1")
cd "$(dirname "$0")/.."
. ci/fresh-debian.sh

python3 -m venv "$folder/python"
"$folder/python/bin/pip" install --quiet "ansible-core==2.19.14" "ansible-lint==26.10.1"
export PATH="$folder/python/bin:$PATH"
(cd packaging/ansible && ansible-lint --offline -q --profile production .)

fresh_debian bookworm python3,fio

# In place of ssh: the last argument is the command for the host.
cat >"$folder/ssh" <<'END'
#!/bin/sh
for command; do :; done
exec chroot "$STRIPEWISE_ROOT" sh -c "$command"
END
chmod +x "$folder/ssh"
export STRIPEWISE_ROOT=$root ANSIBLE_SSH_EXECUTABLE=$folder/ssh ANSIBLE_SSH_TRANSFER_METHOD=piped
export ANSIBLE_SSH_ARGS= ANSIBLE_HOST_KEY_CHECKING=False ANSIBLE_NOCOWS=1

cat >"$folder/study.toml" <<'END'
question = "How fast does this filesystem write?"
[workload]
pattern = "randwrite"
block_size = "64K"
size = "16M"
[stack.here]
filesystem = "existing"
[repeat]
sample = "1s"
budget = "10s"
END
case $what in
*.deb) install="stripewise_deb=$what" ;;
*) install="stripewise_binary=$what" ;;
esac
echo "box ansible_connection=ssh ansible_python_interpreter=/usr/bin/python3 ansible_remote_tmp=/tmp" \
    >"$folder/inventory"
play() {
    ansible-playbook -i "$folder/inventory" packaging/ansible/playbook.yml -e "$install" \
        -e stripewise_results="$folder/results" -e "{\"stripewise_studies\": [\"$folder/study.toml\"]}" "$@"
}

echo "install, judge, measure, fetch"
play -e stripewise_fail_on=never >"$folder/log" 2>&1 || fail "$(cat "$folder/log")"
python3 - "$folder/results/box" <<'END'
import json, sys
judged = json.load(open(sys.argv[1] + "/check.json"))
runs = json.load(open(sys.argv[1] + "/study.json"))["runs"]
assert judged and len(runs) == 1 and runs[0]["state"] == "done" and runs[0]["samples"], (judged, runs)
print(f"{len(runs[0]['samples'])} samples were fetched")
END
echo "again, and with a program that fails"
play -e stripewise_fail_on=never >"$folder/log" 2>&1 || fail "$(cat "$folder/log")"
printf '#!/bin/sh\nexit 2\n' >"$folder/broken"
chmod +x "$folder/broken"
cp "$folder/broken" "$root/usr/local/bin/stripewise"
if play -e "$(printf '{"stripewise_deb": "", "stripewise_binary": "%s"}' "$folder/broken")" >"$folder/log" 2>&1; then
    fail "a check that failed was taken for an answer: $(cat "$folder/log")"
fi
echo "the role is sound"
