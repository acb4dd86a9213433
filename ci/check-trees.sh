#!/usr/bin/env bash
# Judges trees of real packages with `stripewise check`: pristine roots of three Debian releases and of
# unstable, one with thirteen errors planted into the configuration of its packages, and one before and after an upgrade
# to the next release.
#
#   ci/check-trees.sh FOLDER     the roots and the reports go to FOLDER; roots are kept for the next call
#
# Needs root, mmdebstrap and a Debian mirror (DEBIAN_MIRROR), 6 GB and a quarter of an hour. Takes the
# program from STRIPEWISE_BIN (target/release/stripewise). Ends with 1 if a planted error is not found.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(realpath -m "${STRIPEWISE_BIN:-target/release/stripewise}")
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
mkdir -p "$1"
cd "$1"
packages=apache2,nginx-light,php-fpm,mariadb-server,postgresql,slapd,mdadm,lvm2,openssh-server,smartmontools,grub-pc,ifupdown,cron,xfsprogs
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

root() {
    [ -e "$1/etc/os-release" ] || mmdebstrap --quiet --variant=standard --include="$packages" "$1" "$1" "$mirror"
}

# Runs a command in a root, without the services of its packages.
inside() {
    printf '#!/bin/sh\nexit 101\n' >"$1/usr/sbin/policy-rc.d"
    chmod +x "$1/usr/sbin/policy-rc.d"
    unshare --mount --pid --fork sh -c 'mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" sh -ec "$1"' "$1" "$2"
    rm "$1/usr/sbin/policy-rc.d"
}

judge() {
    "$program" check --json "$@" || [ $? -eq 1 ]
}

# Prints a line for each rule that failed or informs, and the counts.
summary() {
    python3 -c '
import json, sys
found = json.load(open(sys.argv[1]))
for one in found["results"]:
    if one["outcome"] in ("fail", "info"):
        said = "; ".join(one["failed"] + one["noted"])
        print("  {outcome} {id}: ".format(**one) + said[:160])
print("  " + ", ".join("{1} {0}".format(*pair) for pair in found["summary"].items()))' "$1"
}

# Fails if one of the rules did not fail.
must_fail() {
    report=$1
    shift
    python3 -c '
import json, sys
failed = {one["id"] for one in json.load(open(sys.argv[1]))["results"] if one["outcome"] == "fail"}
missed = [rule for rule in sys.argv[2:] if rule not in failed]
print("  planted {}, not found: {}".format(len(sys.argv) - 2, ", ".join(missed) or "none"))
sys.exit(bool(missed))' "$report" "$@"
}

# Collects the facts of a root with its databases running.
collected() {
    cp "$program" "$1/usr/local/bin/stripewise"
    inside "$1" "
        rm -rf /root/facts
        for cluster in /etc/postgresql/*/main; do
            version=\$(basename \$(dirname \$cluster))
            [ -x /usr/lib/postgresql/\$version/bin/postgres ] && pg_ctlcluster \$version main start || true
        done
        install -d -o mysql /run/mysqld
        (mariadbd-safe --skip-networking > /dev/null 2>&1 &)
        for _ in 1 2 3 4 5 6 7 8 9; do mariadb-admin ping > /dev/null 2>&1 && break; sleep 1; done
        stripewise collect --out /root/facts
        mariadb-admin shutdown || true
        for version in \$(ls /etc/postgresql); do pg_ctlcluster \$version main stop || true; done"
    rm -rf "$2"
    mv "$1/root/facts" "$2"
}

plant() {
    rm "$1/etc/ldap/slapd.d/cn=config/cn=module{0}.ldif"
    printf '<Directory /srv/old>\n    Order deny,allow\n    Deny from all\n</Directory>\n' >"$1/etc/apache2/conf-enabled/old.conf"
    rm -f "$1/etc/apache2/mods-enabled/access_compat.load"
    echo 'LoadModule php7_module /usr/lib/apache2/modules/libphp7.4.so' >"$1/etc/apache2/mods-enabled/php7.4.load"
    sed -i -e 's/^GRUB_DISTRIBUTOR=.*/GRUB_DISTRIBUTOR="Debian 11"/' -e 's/^GRUB_CMDLINE_LINUX_DEFAULT=.*/GRUB_CMDLINE_LINUX_DEFAULT="quiet elevator=noop"/' "$1/etc/default/grub"
    # In files that others include.
    echo 'fsync = OFF' >"$(echo "$1"/etc/postgresql/*/main/conf.d)/tuning.conf"
    printf 'server {\n location ~ \\.php$ { fastcgi_pass unix:/run/php/php5.6-fpm.sock; }\n}\n' >"$1/etc/nginx/sites-enabled/old"
    sed -i '0,/^global {/s//global {\n\tuse_lvmetad = 1/' "$1/etc/lvm/lvm.conf"
    printf '5 4 * * * nosuchuser /usr/local/bin/backup\n' >"$1/etc/cron.d/backup"
    echo 'deb http://deb.debian.org/debian bullseye main' >"$1/etc/apt/sources.list.d/old.list"
    echo 'LABEL=data /srv ext4 nobarrier 0 2' >>"$1/etc/fstab"
    printf '<?php\n' >"$1/var/www/html/wp-config.php"
    chown 1000:33 "$1/var/www/html/wp-config.php"
    chmod 604 "$1/var/www/html/wp-config.php"
    install -D /dev/null "$1/var/www/html/tt-rss/update_daemon2.php"
    echo '*/30 * * * * root php /var/www/html/tt-rss/update.php --feeds --quiet' >>"$1/etc/crontab"
}
planted=(ldap.module apache.access22 apache.module-gone grub.distributor grub.elevator-stale lvm.conf-stale cron.user-missing apt.mixed-release mnt.nobarrier web.wp-perms feeds.updater db.durability nginx.php-socket)

for suite in bullseye bookworm trixie sid; do
    root "$suite"
    echo "pristine $suite"
    judge --root "$suite" >"$suite.json"
    summary "$suite.json"
done

echo "bookworm, its services running"
rm -rf before-root
cp -a --reflink=auto bookworm before-root
# A cluster whose text indexes depend on the C library, which the upgrade replaces.
inside before-root "
    apt-get -q update
    apt-get -qy install locales
    echo en_US.UTF-8 UTF-8 >>/etc/locale.gen
    locale-gen
    pg_dropcluster 15 main
    pg_createcluster --locale en_US.UTF-8 15 main" >locale.log 2>&1
collected before-root before
judge --root before >before.json
summary before.json

echo "bookworm, with errors planted"
rm -rf planted-root
cp -a --reflink=auto bookworm planted-root
plant planted-root
collected planted-root planted
judge --root planted >planted.json
summary planted.json
must_fail planted.json "${planted[@]}"

echo "the same root, upgraded to trixie and planted"
inside before-root "
    sed -i s/bookworm/trixie/g /etc/apt/sources.list
    apt-get -q update
    apt-get -qy -o Dpkg::Options::=--force-confold full-upgrade
    apt-get -qy autoremove" >upgrade.log 2>&1
plant before-root
collected before-root after
judge --before before --after after >turned.json
judge --root after >after.json
summary after.json
must_fail after.json "${planted[@]}" mariadb.upgrade pg.collation
"$program" check --before before --after after --plain >turned.txt || [ $? -eq 1 ]
head -n 60 turned.txt
