#!/bin/sh
# Hosts on this machine, for tests of `run --hosts`: each has a network namespace, a mount namespace with a
# disk of its own, a home and an sshd.
#
#   ci/hosts.sh up DIR COUNT PROGRAM [MIB]   makes hosts h1 ... in DIR; PROGRAM is their stripewise, or `copy`
#   ci/hosts.sh down DIR                     ends them and removes what they were made of
#   ci/hosts.sh in DIR HOST COMMAND...       runs a command on a host, past ssh
#   ci/hosts.sh cut DIR HOST                 takes its link away: nothing comes from it or reaches it
#   ci/hosts.sh join DIR HOST                gives it back
#   ci/hosts.sh kill DIR HOST                kills all its processes, without a word to others, as a power cut
#   ci/hosts.sh start DIR HOST               starts it again, with the disk as it was left
#   ci/hosts.sh clock DIR HOST SECONDS       moves the time of day that its stripewise reads (not with `copy`)
#   ci/hosts.sh left DIR HOST                prints what of a run is on it: files, processes, listeners
#
# DIR/ssh is an ssh that knows the hosts. Needs root, iproute2 and openssh-server; exits with 77 where
# namespaces or loop devices are not allowed.
set -eu
action=$1 dir=$2
shift 2
# Interface names have 15 characters.
sum=$(printf %s "$dir" | cksum | cut -d' ' -f1)
tag=h$(printf %s "$sum" | cut -c1-6)
# Several tests have hosts at the same time.
net=10.$((sum % 100 + 100)).$((sum / 100 % 250))

host_pid() { cat "$dir/$1/pid"; }
space_of() { echo "$tag-$1"; }
link_of() { echo "$tag${1#h}"; }

await_host() {
    tries=0
    until "$dir/ssh" -o BatchMode=yes -o ConnectTimeout=2 "$1" true 2>/dev/null; do
        tries=$((tries + 1))
        [ "$tries" -lt 50 ] || { cat "$dir/$1/sshd.log" >&2; exit 1; }
        sleep 0.1
    done
}

up_host() {
    name=h$1 address=$net.$(($1 + 1)) home=$dir/h$1
    mkdir -p "$home/bin" "$home/root" "$home/disk"
    case $program in copy) ;; *) ln -s "$program" "$home/bin/stripewise" ;; esac
    truncate -s "${mib}M" "$home/image"
    mkfs.ext4 -q -F "$home/image"
    ssh-keygen -q -t ed25519 -N '' -f "$home/key"
    cat >"$home/sshd_config" <<END
Port 22
ListenAddress $address
HostKey $home/key
AuthorizedKeysFile $dir/user.pub
StrictModes no
PidFile none
UsePAM no
PasswordAuthentication no
PermitRootLogin yes
SetEnv PATH=$home/bin:/usr/sbin:/usr/bin:/sbin:/bin
END
    echo "$name $(cat "$home/key.pub")" >>"$dir/known_hosts"
    printf 'Host %s\n HostName %s\n HostKeyAlias %s\n' "$name" "$address" "$name" >>"$dir/ssh_config"
    ip netns add "$tag-$name"
    ip link add "$tag$1" type veth peer name eth0 netns "$tag-$name"
    ip link set "$tag$1" master "$tag" up
    ip -n "$tag-$name" addr add "$address/24" dev eth0
    ip -n "$tag-$name" link set eth0 up
    ip -n "$tag-$name" link set lo up
    start_host "$1"
}

start_host() {
    name=h$1 home=$dir/h$1
    # Mounts of the host end with its last process. Counters of disks are hidden, as from a client of a
    # file server: below the images of all hosts is one disk, which other programs use, too.
    setsid ip netns exec "$tag-$name" unshare -m sh -c '
        mount --make-rprivate / && mount -o loop "$1/image" "$1/disk" && mkdir -p "$1/disk/test" &&
        for hidden in /sys/block /sys/dev/block /sys/class/block; do mount -t tmpfs none $hidden; done &&
        mount --bind "$1/disk" /mnt && mount --bind "$1/root" /root &&
        echo $$ >"$1/pid" && mkdir -p /run/sshd && exec /usr/sbin/sshd -D -e -f "$1/sshd_config"' \
        sh "$home" >"$home/sshd.log" 2>&1 </dev/null &
}

case $action in
up)
    count=$1 program=$2 mib=${3:-64}
    mkdir -p "$dir"
    probe() { ip netns add "$tag-probe" && ip netns del "$tag-probe" && losetup -f; }
    probe >/dev/null 2>"$dir/why" || { cat "$dir/why" >&2; exit 77; }
    ssh-keygen -q -t ed25519 -N '' -f "$dir/user"
    cat >"$dir/ssh_config" <<END
User root
IdentityFile $dir/user
IdentitiesOnly yes
UserKnownHostsFile $dir/known_hosts
GlobalKnownHostsFile /dev/null
END
    printf '#!/bin/sh\nexec /usr/bin/ssh -F %s/ssh_config "$@"\n' "$dir" >"$dir/ssh"
    chmod 755 "$dir/ssh"
    ip link add "$tag" type bridge
    ip addr add "$net.1/24" dev "$tag"
    ip link set "$tag" up
    i=1
    while [ "$i" -le "$count" ]; do
        up_host "$i"
        i=$((i + 1))
    done
    i=1
    while [ "$i" -le "$count" ]; do
        await_host "h$i"
        i=$((i + 1))
    done
    ;;
in)
    host=$1
    shift
    exec nsenter -t "$(host_pid "$host")" -n -m "$@"
    ;;
cut) ip link set "$(link_of "$1")" down ;;
join) ip link set "$(link_of "$1")" up ;;
kill)
    ip link set "$(link_of "$1")" down
    ip netns pids "$(space_of "$1")" | xargs -r kill -9 || true
    # Its mounts end with its last process.
    while [ -n "$(ip netns pids "$(space_of "$1")")" ]; do sleep 0.05; done
    ;;
start)
    ip link set "$(link_of "$1")" up
    start_host "${1#h}"
    await_host "$1"
    ;;
clock)
    # No namespace has a time of day of its own, so the program is told another one.
    cat >"$dir/clock.c" <<END
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t id, struct timespec *now) {
    int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(id, now);
    if (!failed && id == CLOCK_REALTIME) now->tv_sec += atol(getenv("CLOCK_OFF"));
    return failed;
}
END
    cc -shared -fPIC -o "$dir/clock.so" "$dir/clock.c" -ldl
    program=$(readlink "$dir/$1/bin/stripewise")
    rm "$dir/$1/bin/stripewise"
    printf '#!/bin/sh\nCLOCK_OFF=%s LD_PRELOAD=%s exec %s "$@"\n' "$2" "$dir/clock.so" "$program" >"$dir/$1/bin/stripewise"
    chmod 755 "$dir/$1/bin/stripewise"
    ;;
left)
    "$0" in "$dir" "$1" sh -c 'cd /mnt/test && find . -mindepth 1; cd /root && find .cache/stripewise/hosts -mindepth 1 -maxdepth 1 2>/dev/null; ss -ltnuH | grep -v ":22 "' || true
    for pid in $(ip netns pids "$(space_of "$1")"); do
        name=$(cat "/proc/$pid/comm" 2>/dev/null) || continue
        case $name in stripewise | fio) echo "process $name" ;; esac
    done
    ;;
down)
    for space in $(ip netns list | cut -d' ' -f1 | grep "^$tag-" || true); do
        ip netns pids "$space" | xargs -r kill -9 2>/dev/null || true
        ip netns del "$space"
    done
    # The kernel removes those of an ended namespace later than the next hosts may be made.
    for link in $(ip -o link show type veth | grep -o "$tag[0-9]*" || true); do
        ip link del "$link" 2>/dev/null || true
    done
    ip link del "$tag" 2>/dev/null || true
    rm -rf "$dir"
    ;;
esac
