#!/bin/sh
# Hosts on this machine, for tests of `run --hosts`: each has a network namespace, a mount namespace with a
# disk of its own, a home and an sshd.
#
#   ci/hosts.sh up DIR COUNT PROGRAM [MIB]   makes hosts h1 ... in DIR; PROGRAM is their stripewise, or `copy`
#   ci/hosts.sh down DIR                     ends them and removes what they were made of
#   ci/hosts.sh in DIR HOST COMMAND...       runs a command on a host, past ssh
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
        tries=0
        until "$dir/ssh" -o BatchMode=yes -o ConnectTimeout=2 "h$i" true 2>/dev/null; do
            tries=$((tries + 1))
            [ "$tries" -lt 50 ] || { cat "$dir/h$i/sshd.log" >&2; exit 1; }
            sleep 0.1
        done
        i=$((i + 1))
    done
    ;;
in)
    host=$1
    shift
    exec nsenter -t "$(host_pid "$host")" -n -m "$@"
    ;;
down)
    for space in $(ip netns list | cut -d' ' -f1 | grep "^$tag-" || true); do
        ip netns pids "$space" | xargs -r kill -9 2>/dev/null || true
        ip netns del "$space"
    done
    ip link del "$tag" 2>/dev/null || true
    rm -rf "$dir"
    ;;
esac
