## The rules of `check`: what is wrong, why it matters, what to do, what can go wrong, the way back.

rule-md-sync-limit-title = a limit keeps rebuilds and checks far below the speed of the disks
rule-md-sync-limit-reason = An array has no redundancy until its rebuild ends. The limit is a rate of each member, and 200 MiB/s by default: a tenth of what an NVMe drive writes.
rule-md-sync-limit-fix = `sysctl dev.raid.speed_limit_max=2000000`, in a file of /etc/sysctl.d to keep it; for one array `echo 2000000 > /sys/block/mdX/md/sync_speed_max`.
rule-md-sync-limit-risk = A rebuild takes more of the disks from other work; md falls back to `speed_limit_min` while others use the array.
rule-md-sync-limit-undo = `sysctl dev.raid.speed_limit_max=200000`; `echo system > /sys/block/mdX/md/sync_speed_max`.

rule-md-grown-title = an array grew, and what is on it did not
rule-md-grown-reason = `mdadm --grow` makes the array larger, and nothing else: the physical volume, the encryption and the filesystem each need a command of their own.
rule-md-grown-fix = From below to the top: `pvresize /dev/mdX` or `cryptsetup resize NAME`, `lvextend`, then `resize2fs DEVICE` or `xfs_growfs PLACE`.
rule-md-grown-risk = Back up first. XFS cannot be made smaller again.
rule-md-grown-undo = ext4: unmount, `e2fsck -f`, `resize2fs DEVICE SIZE`. XFS: none.

rule-md-no-bitmap-title = a large array has no write-intent bitmap
rule-md-no-bitmap-reason = After a crash md reads the whole array, and a member that was gone for a minute is rebuilt from its first to its last sector. Up to version 4.3 mdadm gave each array with members of more than 100 GiB a bitmap; from 4.4 on it asks, and scripts that use `--run` get none.
rule-md-no-bitmap-fix = `mdadm --grow --bitmap=internal --bitmap-chunk=2G /dev/mdX`, which works while the array is used.
rule-md-no-bitmap-risk = Small random writes to hard disks get slower: `stripewise check --explain md.bitmap-chunk`.
rule-md-no-bitmap-undo = `mdadm --grow --bitmap=none /dev/mdX`.

rule-md-same-batch-title = the copies of a mirror are on SSDs that wear out together
rule-md-same-batch-reason = A mirror writes the same to both. Two drives of one model and one batch, with the same wear, reach their end in the same weeks, and the rebuild onto a third one is the largest load of all.
rule-md-same-batch-fix = Replace one of the two now, by another model or another batch.
rule-md-same-batch-risk = The rebuild reads all of the other drive: check its SMART values first.
rule-md-same-batch-undo = None needed.

rule-blk-scheduler-title = an I/O scheduler does not fit its disk
rule-blk-scheduler-reason = The order of I/Os matters for heads. It costs processor time on an NVMe drive, and twice on a virtual disk.
rule-blk-scheduler-fix = mq-deadline for hard disks, none for NVMe and virtual disks, with a udev rule.
rule-blk-scheduler-risk = Low: measure before and after.
rule-blk-scheduler-undo = Write the old name back.

rule-blk-readahead-title = read-ahead does not reach all disks of an array
rule-blk-readahead-reason = A sequential read with less than two full stripes ahead keeps one disk busy at a time. A volume on an array has a read-ahead of its own, and the topmost counts.
rule-blk-readahead-fix = `echo KIB > /sys/block/mdX/queue/read_ahead_kb`, with a udev rule.
rule-blk-readahead-risk = Random work reads what it does not need.
rule-blk-readahead-undo = Write the old number back.

rule-grub-distributor-title = the boot menu shows a fixed name of a release
rule-grub-distributor-reason = The menu shows the old release after the upgrade. On EFI grub-install derives the directory from it.
rule-grub-distributor-fix = GRUB_DISTRIBUTOR=`. /etc/os-release; echo ${"{"}NAME:-Debian{"}"}` in /etc/default/grub, then `update-grub`.
rule-grub-distributor-risk = On EFI a second boot entry appears: check `efibootmgr`.
rule-grub-distributor-undo = Put the old line back and run `update-grub`.

rule-grub-all-members-title = not every disk of the boot array can boot
rule-grub-all-members-reason = The host does not boot when the one disk with boot code fails. The upgrade of grub-pc fails on a disk that is gone.
rule-grub-all-members-fix = `dpkg-reconfigure grub-pc`, and select all members.
rule-grub-all-members-risk = Boot code on the wrong disk.
rule-grub-all-members-undo = `dpkg-reconfigure grub-pc` with the old disks.

rule-boot-space-title = /boot has no room for two more kernels
rule-boot-space-reason = The upgrade of the kernel stops half way, with a kernel and no initramfs.
rule-boot-space-fix = `apt-get autoremove`: it keeps the running kernel and the newest.
rule-boot-space-risk = Do not remove the running kernel.
rule-boot-space-undo = Install the kernel package again.

rule-fstab-names-title = a mount depends on a name or a device that may not be there
rule-fstab-names-reason = Names such as /dev/sda depend on the order in which disks answer. The boot waits 90 s for a device that is absent, and ends in emergency mode.
rule-fstab-names-fix = `UUID=` from `blkid`, and `nofail` for what the boot does not need.
rule-fstab-names-risk = A wrong UUID stops the boot.
rule-fstab-names-undo = Put the old line back.

rule-grub-elevator-stale-title = a kernel parameter for I/O schedulers has no effect
rule-grub-elevator-stale-reason = The single-queue block layer is gone since Linux 5.0, and its parameters with it: the tuning silently vanished.
rule-grub-elevator-stale-fix = A udev rule for queue/scheduler, and remove the parameter.
rule-grub-elevator-stale-risk = None.
rule-grub-elevator-stale-undo = Put the parameter back.

rule-boot-modules-gone-title = the running kernel's modules were removed
rule-boot-modules-gone-reason = No further module can be loaded: a filesystem, a device or a firewall rule that needs one fails until the reboot.
rule-boot-modules-gone-fix = Reboot into the installed kernel.
rule-boot-modules-gone-risk = Check first that the new kernel has an initramfs.
rule-boot-modules-gone-undo = Install the package of the running kernel again.

rule-boot-reboot-pending-title = an upgrade waits for a reboot
rule-boot-reboot-pending-reason = The host runs a kernel or a library that an upgrade has replaced, often for security.
rule-boot-reboot-pending-fix = Reboot.
rule-boot-reboot-pending-risk = Run the other rules first: they say what breaks at a reboot.
rule-boot-reboot-pending-undo = None needed.

rule-wc-flush-off-title = the kernel sends no flushes to a drive that caches writes
rule-wc-flush-off-reason = With `write through` in its queue the kernel drops every flush. What the drive still has in its cache is lost in a power cut, although fsync returned.
rule-wc-flush-off-fix = `echo "write back" > /sys/block/sdX/queue/write_cache`, and remove the udev rule that sets it.
rule-wc-flush-off-risk = Work with many fsyncs gets its true, slower speed back. A drive with power-loss protection loses nothing either way.
rule-wc-flush-off-undo = `echo "write through"` into the same file.

rule-ups-missing-for-risk-title = a setting that loses data in a power cut, and no UPS
rule-ups-missing-for-risk-reason = Flushes are off somewhere, and nothing shuts the host down when the mains fail. A UPS covers the mains, not a kernel panic, a power supply or a pulled plug.
rule-ups-missing-for-risk-fix = Turn flushes on again, or set up NUT or apcupsd with a shutdown, and test it once.
rule-ups-missing-for-risk-risk = An untested shutdown cuts the power under load.
rule-ups-missing-for-risk-undo = Stop nut-monitor or apcupsd.

rule-monitor-deaf-title = nobody hears of a failed disk
rule-monitor-deaf-reason = An array without a monitor runs degraded until the next disk fails.
rule-monitor-deaf-fix = Enable mdmonitor and smartd, set MAILADDR, install a mail agent, and send a test: `mdadm --monitor --scan --test --oneshot`.
rule-monitor-deaf-risk = None.
rule-monitor-deaf-undo = `systemctl disable --now mdmonitor smartd`.

rule-cpu-clock-title = the processors' clock follows the load, or their governor changed
rule-cpu-clock-reason = `powersave` with intel_pstate or amd-pstate in active mode is the normal governor, and raises the clock with the load. Work that mostly waits for disks looks like little load, so an array is slower than under `performance`. A kernel upgrade can change the driver or the governor without a word.
rule-cpu-clock-fix = Measure with `performance`: write it to each /sys/devices/system/cpu/cpufreq/*/scaling_governor, and keep it with `cpufreq.default_governor=performance` on the kernel command line if it helps.
rule-cpu-clock-risk = Power and heat.
rule-cpu-clock-undo = Write the old word back, and remove the parameter.

rule-raid-cache-battery-title = a RAID controller caches writes without a healthy battery
rule-raid-cache-battery-reason = The controller answers a flush from its own memory. Without a battery or capacitor a power cut takes what is there: the databases and the filesystem lose what they were promised.
rule-raid-cache-battery-fix = Replace the battery. Until then `storcli64 /cX/vall set wrcache=wt`, or `ssacli controller slot=N modify nobatterywritecache=disable`.
rule-raid-cache-battery-risk = Without the cache writes are as slow as the disks.
rule-raid-cache-battery-undo = `storcli64 /cX/vall set wrcache=wb`; `ssacli controller slot=N modify nobatterywritecache=enable`.

rule-raid-hidden-disk-title = a disk behind a RAID controller failed or has errors, which the kernel cannot see
rule-raid-hidden-disk-reason = The kernel sees the controller's volume, and smartd without `-d` asks the volume. The disks behind it fail one after the other, and the first word of it is a failed volume.
rule-raid-hidden-disk-fix = Replace the disk; and name each in smartd.conf: `/dev/bus/0 -d megaraid,8 -a -m root`.
rule-raid-hidden-disk-risk = The rebuild reads all other disks.
rule-raid-hidden-disk-undo = None needed.

rule-db-durability-title = a crash can damage a database, or lose its last commits
rule-db-durability-reason = `fsync=off`, `full_page_writes=off` and a doublewrite buffer that is off can leave pages that are half old and half new. `synchronous_commit=off` and `innodb_flush_log_at_trx_commit` 0 or 2 lose about a second, and nothing else.
rule-db-durability-fix = Turn the settings of the first group on again. If commits are too slow, relax `synchronous_commit` or `innodb_flush_log_at_trx_commit=2` instead.
rule-db-durability-risk = Slower commits.
rule-db-durability-undo = Put the old value back and reload the server.

rule-mariadb-upgrade-title = the system tables are those of an older MariaDB
rule-mariadb-upgrade-reason = Grants, events and statistics fail in odd ways until `mariadb-upgrade` has run.
rule-mariadb-upgrade-fix = Dump, then `mariadb-upgrade`.
rule-mariadb-upgrade-risk = It checks all tables, which takes long.
rule-mariadb-upgrade-undo = Restore the dump.

rule-pg-collation-title = text indexes were sorted by another C library, or an old cluster is left
rule-pg-collation-reason = A new glibc sorts differently, and indexes over text then miss rows.
rule-pg-collation-fix = `REINDEX DATABASE`, then `ALTER DATABASE name REFRESH COLLATION VERSION`.
rule-pg-collation-risk = Long locks.
rule-pg-collation-undo = None needed.

rule-pg-no-binaries-title = a PostgreSQL cluster has no server of its version
rule-pg-no-binaries-reason = The upgrade brought a new version and removed the old one: the cluster does not start, and its data is not in the new cluster.
rule-pg-no-binaries-fix = Install the old server package again, then `pg_upgradecluster VERSION CLUSTER`.
rule-pg-no-binaries-risk = The upgrade needs space for a second copy.
rule-pg-no-binaries-undo = `pg_dropcluster` the new cluster; the old one stays until you remove it.

rule-db-hdd-defaults-title = MariaDB runs with the default buffer pool, or SSD settings on a hard disk
rule-db-hdd-defaults-reason = 128 MiB of buffer pool make the disk read what memory could hold. Neighbouring pages written together save seeks on a hard disk.
rule-db-hdd-defaults-fix = The buffer pool first, then the size of the log.
rule-db-hdd-defaults-risk = Memory that other programs then lack.
rule-db-hdd-defaults-undo = Put the old values back and restart.

rule-mnt-nobarrier-title = a filesystem is mounted without barriers
rule-mnt-nobarrier-reason = The filesystem sends no flush to the disk. After a power cut its journal and its data can disagree, although fsync returned.
rule-mnt-nobarrier-fix = Remove `nobarrier` or `barrier=0` from /etc/fstab and remount.
rule-mnt-nobarrier-risk = fsync gets its true, slower speed back.
rule-mnt-nobarrier-undo = `mount -o remount,barrier=0` (ext4).

rule-mnt-writeback-title = an ext4 filesystem journals with data=writeback
rule-mnt-writeback-reason = After a crash a file can contain old blocks of other files: data is not written before the metadata that points to it.
rule-mnt-writeback-fix = `data=ordered` in /etc/fstab, or `tune2fs -o journal_data_ordered`, and mount again.
rule-mnt-writeback-risk = Slower under heavy metadata load.
rule-mnt-writeback-undo = `data=writeback` in /etc/fstab.

rule-fs-ext4-errors-title = an ext4 filesystem has recorded errors
rule-fs-ext4-errors-reason = The kernel found inconsistent metadata, and counts on until a check resets the count. It goes on writing unless the filesystem is mounted with `errors=remount-ro`.
rule-fs-ext4-errors-fix = Back up, unmount, `e2fsck -f`.
rule-fs-ext4-errors-risk = e2fsck can move files to lost+found.
rule-fs-ext4-errors-undo = None; restore from the backup.

rule-fs-read-only-title = a filesystem that should be writable is read-only
rule-fs-read-only-reason = fstab mounts it for writing. The kernel turns a filesystem read-only when it finds an error in it or its disk fails.
rule-fs-read-only-fix = Read the kernel log, check the disk, then the filesystem.
rule-fs-read-only-risk = `mount -o remount,rw` without a check can make damage worse.
rule-fs-read-only-undo = `mount -o remount,ro`.

rule-fs-btrfs-errors-title = btrfs has counted errors of a device
rule-fs-btrfs-errors-reason = The counts stay until an administrator resets them: read, write and flush errors, checksums that do not match, and old generations.
rule-fs-btrfs-errors-fix = `btrfs scrub start`, read the kernel log, replace the device if the counts grow; then `btrfs device stats --reset`.
rule-fs-btrfs-errors-risk = A scrub of single data reports files that it cannot repair.
rule-fs-btrfs-errors-undo = None.

rule-fs-full-title = a filesystem is nearly full
rule-fs-full-reason = Databases stop when they cannot write. Allocation in a nearly full filesystem is slow and fragments files.
rule-fs-full-fix = Remove files or grow the filesystem.
rule-fs-full-risk = None.
rule-fs-full-undo = None needed.

rule-mnt-nobarrier-stale-title = fstab mounts XFS with an option that no longer exists
rule-mnt-nobarrier-stale-reason = Linux 4.19 removed `barrier` and `nobarrier` from XFS: the mount fails after the upgrade.
rule-mnt-nobarrier-stale-fix = Remove the option from /etc/fstab.
rule-mnt-nobarrier-stale-risk = None: XFS has sent barriers since.
rule-mnt-nobarrier-stale-undo = Put the option back.

rule-ssd-trim-title = an SSD never hears which blocks are free
rule-ssd-trim-reason = Write speed falls when the drive finds no free blocks. Neither a timer nor the mount option discards, or a layer in between passes no discards on.
rule-ssd-trim-fix = `systemctl enable --now fstrim.timer`. Where a layer ends discards: `stripewise check --explain ssd.discard-path`.
rule-ssd-trim-risk = With LUKS, discards show which blocks are used. With RAID 5 or 6 on disks that do not return zeros after a discard, the parity becomes wrong.
rule-ssd-trim-undo = `systemctl disable --now fstrim.timer`.

rule-fs-stripe-title = ext4 does not know the stripes of its array
rule-fs-stripe-reason = The allocator places files without regard to chunks and full stripes, so a RAID 5 or 6 reads before it writes more often.
rule-fs-stripe-fix = `tune2fs -E stride=CHUNK/BLOCK,stripe_width=STRIPE/BLOCK /dev/mdX`.
rule-fs-stripe-risk = Low: only new files are placed differently.
rule-fs-stripe-undo = `tune2fs` with the old values.

rule-ups-not-running-title = a UPS is configured, and no program watches it
rule-ups-not-running-reason = The battery ends, and the host stops as if there were no UPS. An array with parity and without a journal or a partial parity log then has the write hole, although other rules count the UPS.
rule-ups-not-running-fix = `systemctl enable --now nut-monitor` or `apcupsd`, and test a shutdown once.
rule-ups-not-running-risk = An untested shutdown cuts the power under load.
rule-ups-not-running-undo = `systemctl disable --now nut-monitor` or `apcupsd`.

rule-lvm-thin-stuck-title = a thin pool should grow by itself, and cannot
rule-lvm-thin-stuck-reason = lvm.conf lets thin pools grow, but dmeventd does not monitor this one, or its volume group has no room for one step. A full pool turns writes into errors.
rule-lvm-thin-stuck-fix = `lvchange --monitor y VG/POOL` and `systemctl enable --now lvm2-monitor`; or `vgextend VG DEVICE`.
rule-lvm-thin-stuck-risk = None.
rule-lvm-thin-stuck-undo = `lvchange --monitor n VG/POOL`; `vgreduce VG DEVICE`.

rule-boot-esp-one-disk-title = only one disk of the boot mirror has an EFI system partition
rule-boot-esp-one-disk-reason = The firmware reads the boot loader from that partition, and knows nothing of arrays. When its disk fails, all data is there and the host does not boot.
rule-boot-esp-one-disk-fix = Make a partition of type EF00 on another member, copy /boot/efi to it, and add it to the firmware: `efibootmgr --create --disk /dev/sdY --part N --loader '\EFI\debian\shimx64.efi'`. Copy again after each upgrade of GRUB.
rule-boot-esp-one-disk-risk = A wrong partition number: check it with `lsblk` before.
rule-boot-esp-one-disk-undo = `efibootmgr --bootnum NNNN --delete-bootnum`, and remove the partition.

rule-boot-initramfs-stale-title = the initramfs of another installed kernel is older than mdadm.conf
rule-boot-initramfs-stale-reason = mdadm.conf-stale looks at the running kernel. The next boot takes the newest one, and you choose an old one if that fails; its initramfs then assembles the arrays of an old mdadm.conf.
rule-boot-initramfs-stale-fix = `update-initramfs -u -k all`, or `dracut --regenerate-all --force`.
rule-boot-initramfs-stale-risk = A wrong mdadm.conf is then in all of them: check it with `mdadm --detail --scan` first.
rule-boot-initramfs-stale-undo = Put the old mdadm.conf back, and run the same command.

rule-disk-link-title = a disk runs on a slower link than it could, or than the other members of its array
rule-disk-link-reason = 3 Gb/s is half of what a SATA SSD does, and the kernel settles on it without a word after errors. An array writes, checks and rebuilds as fast as its slowest member.
rule-disk-link-fix = Move the disk to another port, replace the cable, reseat the drive; then read the kernel log for resets of the link.
rule-disk-link-risk = Downtime, and a degraded array while a member is moved.
rule-disk-link-undo = None needed.

rule-lvm-thin-full-title = a thin pool is nearly full, or will not grow
rule-lvm-thin-full-reason = A full pool turns writes into errors, and can lose the last ones.
rule-lvm-thin-full-fix = `thin_pool_autoextend_threshold = 80` and `thin_pool_autoextend_percent = 20` in lvm.conf, and monitoring on.
rule-lvm-thin-full-risk = The volume group must have free extents.
rule-lvm-thin-full-undo = Put 100 back.

rule-lvm-snapshot-full-title = a snapshot is nearly full
rule-lvm-snapshot-full-reason = A full classic snapshot becomes invalid, and everything on it is gone.
rule-lvm-snapshot-full-fix = `lvextend` it, or remove it.
rule-lvm-snapshot-full-risk = None.
rule-lvm-snapshot-full-undo = None needed.

rule-lvm-conf-stale-title = lvm.conf has settings of an older LVM or of other disks
rule-lvm-conf-stale-reason = LVM 2.03 has no lvmetad, and ignores its setting. A filter with names such as /dev/sda hides a physical volume when the names change.
rule-lvm-conf-stale-fix = Take the new lvm.conf and port only your differences; write filters with /dev/disk/by-id.
rule-lvm-conf-stale-risk = A wrong filter hides the volume of the root filesystem: rebuild the initramfs, and keep the old one.
rule-lvm-conf-stale-undo = Put the old file back.

rule-lvm-align-title = data does not begin at a full stripe or a physical block
rule-lvm-align-reason = Every aligned write touches two stripes or two physical blocks, and so reads before it writes.
rule-lvm-align-fix = Only by making it anew: `pvmove` to an aligned volume.
rule-lvm-align-risk = All data moves.
rule-lvm-align-undo = None.

rule-md-degraded-title = an md array runs without all of its members
rule-md-degraded-reason = A RAID 5 without one disk has no redundancy, and rebuilds every read of that disk from all the others.
rule-md-degraded-fix = Read the SMART values of the remaining members first, then `mdadm /dev/mdX --add /dev/sdY`.
rule-md-degraded-risk = The rebuild reads every sector of every other disk; a second bad sector ends the array.
rule-md-degraded-undo = `mdadm --fail` and `mdadm --remove` the added disk.

rule-md-frozen-title = an array is kept from rebuilding, growing and scrubbing
rule-md-frozen-reason = While `sync_action` is `frozen`, md starts no rebuild, even with a spare, no reshape and no scrub. mdadm freezes an array while it changes it; if it is killed, the array stays frozen.
rule-md-frozen-fix = If no mdadm is at work (`pgrep -a mdadm`), `echo idle > /sys/block/mdX/md/sync_action`: md then starts what is due.
rule-md-frozen-risk = A rebuild reads every sector of the other members; a grow that was interrupted may need its backup file first (`mdadm --grow --continue`).
rule-md-frozen-undo = `echo frozen > /sys/block/mdX/md/sync_action`.

rule-md-bad-blocks-title = md keeps a list of blocks that a member lost
rule-md-bad-blocks-reason = md lists a block instead of failing the member when neither a read nor a rebuild gave its data, or when a write to it failed. The member counts as healthy, but those blocks have one copy less; blocks that are in the list of every copy cannot be read, and a rebuild copies the gap to the new disk's list.
rule-md-bad-blocks-fix = Replace the member while the array still has the data elsewhere: `mdadm /dev/mdX --add-spare /dev/sdNEW`, then `mdadm /dev/mdX --replace /dev/sdOLD`. If two members list the same sectors, find their files and restore them from a backup: a block leaves the list when it is written.
rule-md-bad-blocks-risk = The copy reads the other members where the old one has gaps. `--update=force-no-bbl` only forgets the list: what it named then reads as wrong data.
rule-md-bad-blocks-undo = Keep the replaced disk until the array was checked.

rule-md-mismatch-title = parity or copies of an array do not match its data
rule-md-mismatch-reason = On a clean RAID 5 or 6 a mismatch means memory, a cable, a controller, or a stop without a clean shutdown. On RAID 1 and 10 swap and pages that change while they are written cause mismatches too. md counts sectors of whole I/Os: 128 is one check of 64 KiB.
rule-md-mismatch-fix = Test the memory and the cables, then `echo repair > /sys/block/mdX/md/sync_action`.
rule-md-mismatch-risk = `repair` computes the parity again from the data, so a wrong data block becomes final: back up first.
rule-md-mismatch-undo = None: a repair overwrites the old parity.

rule-md-write-hole-title = a power cut can leave an array with wrong parity
rule-md-write-hole-reason = A power cut between the write of the data and the write of the parity leaves wrong parity, and a disk that fails before the resync ends is rebuilt from it. Only a journal or a partial parity log closes this gap.
rule-md-write-hole-fix = `mdadm --grow --consistency-policy=ppl /dev/mdX` (RAID 5 only), or a write journal: `mdadm --manage /dev/mdX --add-journal`; or a UPS that shuts the host down.
rule-md-write-hole-risk = A partial parity log costs write speed and excludes a bitmap. An array whose journal fails becomes read-only.
rule-md-write-hole-undo = `mdadm --grow --consistency-policy=resync /dev/mdX`.

rule-md-erc-timeout-title = the kernel gives up on a member before the disk does
rule-md-erc-timeout-reason = A desktop disk retries a bad sector for minutes. The kernel resets it after 30 s, and md removes it from the array.
rule-md-erc-timeout-fix = `smartctl -l scterc,70,70 /dev/sdX` at each start; if the disk has no such setting, `echo 180 > /sys/block/sdX/device/timeout`.
rule-md-erc-timeout-risk = 180 s means long stalls. Error recovery control on a disk without redundancy gives up sooner.
rule-md-erc-timeout-undo = `smartctl -l scterc,0,0 /dev/sdX`, or 30 in the file.

rule-mdadm-conf-stale-title = mdadm.conf does not know a running array
rule-mdadm-conf-stale-reason = After the next boot the array is called md127, and fstab or filters of LVM do not find it.
rule-mdadm-conf-stale-fix = `mdadm --detail --scan`, take the missing lines into mdadm.conf, and `update-initramfs -u`.
rule-mdadm-conf-stale-risk = A wrong ARRAY line stops the boot: keep the old initramfs.
rule-mdadm-conf-stale-undo = Put the old file back and run `update-initramfs -u`.

rule-md-no-scrub-title = nothing reads the whole array from time to time
rule-md-no-scrub-reason = A bad sector in a place that nobody reads is found only when a rebuild needs it, and then there is no copy left.
rule-md-no-scrub-fix = `systemctl enable --now mdcheck_start.timer mdcheck_continue.timer`, or keep `AUTOCHECK=true` in /etc/default/mdadm.
rule-md-no-scrub-risk = A check reads all disks for hours; md slows it down while others use the array.
rule-md-no-scrub-undo = `systemctl disable --now mdcheck_start.timer`.

rule-md-raid0-layout-title = a RAID 0 of unequal disks may not assemble after a reboot
rule-md-raid0-layout-reason = Linux 3.14 changed where the data of such an array lies. From 5.4 on the kernel refuses to guess: without a layout in the superblock or a default the array does not start.
rule-md-raid0-layout-fix = Find out under which kernel the array was filled, then add `raid0.default_layout=2` (3.14 and later) or `1` to the kernel command line.
rule-md-raid0-layout-risk = The wrong layout shows wrong data behind the end of the smallest disk: check files before you write.
rule-md-raid0-layout-undo = Remove the word from the command line.

rule-md-metadata-old-title = an array has a superblock of version 0.90
rule-md-metadata-old-reason = Version 0.90 stands at the end of a device and does not say whether it belongs to the disk or to its last partition. It is limited to 28 devices and to 2 TB of each with older kernels.
rule-md-metadata-old-fix = `mdadm --stop /dev/mdX`, then `mdadm --assemble --update=metadata /dev/mdX ...` turns it into version 1.0.
rule-md-metadata-old-risk = Boot loaders and initramfs must find the array under its new version.
rule-md-metadata-old-undo = None: 1.0 cannot be turned back.

rule-md-stripe-cache-title = the stripe cache has its default size
rule-md-stripe-cache-reason = With few stripes in memory md cannot collect sequential writes to full stripes, and reads old data or parity first. Random writes gain little.
rule-md-stripe-cache-fix = `echo 4096 > /sys/block/mdX/md/stripe_cache_size`, in a udev rule to keep it.
rule-md-stripe-cache-risk = Memory: size x 4 KiB x disks, so 8192 with 3 disks takes 96 MiB.
rule-md-stripe-cache-undo = `echo 256 > /sys/block/mdX/md/stripe_cache_size`.

rule-md-bitmap-chunk-title = a write-intent bitmap slows down random writes to hard disks
rule-md-bitmap-chunk-reason = The first write into each region moves the heads to the bitmap and back. With many small regions most random writes are a first write.
rule-md-bitmap-chunk-fix = `mdadm --grow --bitmap=none /dev/mdX`, then `mdadm --grow --bitmap=internal --bitmap-chunk=2G /dev/mdX`; `check` simulates what that gives.
rule-md-bitmap-chunk-risk = A crash is followed by a longer resync: of each region that was written. While the bitmap is replaced there is none.
rule-md-bitmap-chunk-undo = The same commands with the old chunk.

rule-nvme-worn-title = an NVMe drive is past its rated writes, or reports errors of its flash
rule-nvme-worn-reason = At 100 % a drive has used up the writes that its maker rated it for. A media error is a block that the drive could not read. Some drives turn read-only when their spare blocks end.
rule-nvme-worn-fix = Copy the data, then replace the drive; in a mirror replace one drive at a time.
rule-nvme-worn-risk = The rebuild reads all of the other drive.
rule-nvme-worn-undo = None needed.

rule-db-volatile-cache-title = a database lies on a drive with a volatile write cache
rule-db-volatile-cache-reason = Each commit waits until the drive has emptied its cache, which on flash without power-loss protection takes milliseconds. Data is at risk only if flushes do not arrive: wc.flush-off, mnt.nobarrier, vm.cache-unsafe.
rule-db-volatile-cache-fix = A drive with power-loss protection: most report no volatile cache, and answer a flush at once.
rule-db-volatile-cache-risk = None: this is no failure.
rule-db-volatile-cache-undo = None needed.

rule-ssd-discard-path-title = discards end on their way to an SSD
rule-ssd-discard-path-reason = The drive takes them, and a controller, a bridge, an encryption or an array does not pass them on. The drive then copies blocks that no file has any more, and writes get slower. RAID 4, 5 and 6 refuse discards unless their module was told that they are safe; since Linux 7.2 they take them all the same and drop them, so that `fstrim` reports success.
rule-ssd-discard-path-fix = Encryption: `discard` in crypttab, then `cryptsetup refresh`. RAID 4, 5 and 6: `raid456.devices_handle_discard_safely=Y`, only if all drives return zeros after a discard; md reads it when the array starts. A controller or bridge: another one, or HBA mode.
rule-ssd-discard-path-risk = With encryption, discards show which blocks are used. With RAID 5 or 6 on other drives the parity becomes wrong.
rule-ssd-discard-path-undo = Remove the option or parameter.

rule-md-newer-format-title = an array cannot start under a kernel that is installed
rule-md-newer-format-reason = Since Linux 6.19 md writes the block size of a new array into its superblock, or of an older one if it was written to `md/logical_block_size`. Earlier kernels take a superblock with it for damaged (`does not have a valid v1.2 superblock`), although `mdadm --examine` calls it clean: a fallback kernel or a rescue system does not start the array.
rule-md-newer-format-fix = Remove the older kernels, or keep one that is at least 6.19 as a fallback, and a rescue system of that age. The size cannot be taken out again: an array that older kernels must start is made anew under one of them.
rule-md-newer-format-risk = Without any older kernel, a fault of the newest one leaves nothing to boot: keep two.
rule-md-newer-format-undo = Install the kernels again.

rule-md-spare-sectors-title = a spare has larger sectors than its array
rule-md-spare-sectors-reason = When a member fails, kernels from 6.19 on do not use it. Earlier ones rebuild onto it, and the running array's sectors become as large: direct I/O and filesystems in smaller blocks fail from then on.
rule-md-spare-sectors-fix = Replace the spare: `mdadm /dev/mdX --remove /dev/sdSPARE`, then add a drive with sectors of the array's size. Some drives can be formatted to 512 bytes (`nvme format --lbaf`, `sg_format`), which deletes all that is on them.
rule-md-spare-sectors-risk = None: the spare holds no data. Until another is added, none stands by.
rule-md-spare-sectors-undo = Add the spare again.

rule-md-want-replacement-title = md asks for a replacement of a member
rule-md-want-replacement-reason = After an error that it could work around, md keeps the member and marks it: `degraded` stays 0, and programs see no error. md replaces a marked member by itself only if a spare stands by; until then the next error on another member may find no good copy.
rule-md-want-replacement-fix = Read the SMART values of the member, then add a spare: `mdadm /dev/mdX --add-spare /dev/sdNEW`. md copies the member to it, and removes the member afterwards.
rule-md-want-replacement-risk = The copy reads the marked member, and the others where it has gaps.
rule-md-want-replacement-undo = If the drive is sound, clear the mark: `echo -want_replacement > /sys/block/mdX/md/dev-sdOLD/state`.

rule-md-lockless-bitmap-title = an array with a lockless bitmap cannot start under a kernel that is installed
rule-md-lockless-bitmap-reason = Kernels before 6.18 do not know the version of this bitmap, and refuse the whole array. So do newer ones without `CONFIG_MD_LLBITMAP`, such as Debian's 7.3, which no name of a kernel tells.
rule-md-lockless-bitmap-fix = Keep a second kernel and a rescue system that know it, and look for `CONFIG_MD_LLBITMAP=y` in `/boot/config-RELEASE`. Or take the usual bitmap: `mdadm --grow /dev/mdX --bitmap=none`, then `--bitmap=internal`.
rule-md-lockless-bitmap-risk = Without a bitmap, a power cut or a removed member costs a resync of the whole array.
rule-md-lockless-bitmap-undo = `mdadm --grow /dev/mdX --bitmap=none`, then `--bitmap=lockless`.

rule-md-no-atomic-writes-title = drives promise atomic writes, and their array does not
rule-md-no-atomic-writes-reason = A program that asks for a write that is whole or absent gets `EOPNOTSUPP` from such an array; some programs then blame something else. RAID 4, 5 and 6 write data and parity apart, and can promise nothing. RAID 0, 1 and 10 pass on what their drives promise, but not in Linux 6.12.
rule-md-no-atomic-writes-fix = Leave the second write of databases on (`innodb_doublewrite`, `full_page_writes`). Where it costs too much, use RAID 10 under a kernel that passes the promise on.
rule-md-no-atomic-writes-risk = None.
rule-md-no-atomic-writes-undo = None needed.

rule-fs-xfs-log-stripe-title = the log of XFS does not fit its array
rule-fs-xfs-log-stripe-reason = XFS begins each write of its log at a multiple of the log's stripe unit, and fills it up to the next one. `mkfs.xfs` takes the chunk of an array for it, or 32 KiB without a warning if that exceeds 256 KiB: then each fsync writes 32 KiB or more instead of 4. Without a unit, a RAID 5 or 6 first reads the blocks that such a write covers in part.
rule-fs-xfs-log-stripe-fix = Where programs call fsync often, make the next filesystem with `mkfs.xfs -l su=4k`, or its log on a mirror (`-l logdev=`). The unit of a filesystem that exists cannot be changed.
rule-fs-xfs-log-stripe-risk = Making a filesystem deletes all that is on the device.
rule-fs-xfs-log-stripe-undo = Make it without the option.

rule-dm-integrity-journal-title = dm-integrity writes all data twice
rule-dm-integrity-journal-reason = With its journal, the default, dm-integrity writes data and checksums into the journal first and then to their places. A 4K random write wrote 10.6 times its sectors here, and 1.5 times without a journal.
rule-dm-integrity-journal-fix = `mode=bitmap` in /etc/integritytab, or `integritysetup open --integrity-bitmap-mode`, then close and open the device. LVM: `--raidintegritymode bitmap` of `lvcreate` and `lvconvert`. LUKS2 has no bitmap: `cryptsetup open --integrity-no-journal` leaves the journal out.
rule-dm-integrity-journal-risk = After a power cut, checksums of regions that were being written are computed again from what is there: damage in them is not found.
rule-dm-integrity-journal-undo = `mode=journal`.

rule-pg-checksums-title = a PostgreSQL cluster has no checksums of its pages
rule-pg-checksums-reason = A disk, a cable or a rebuild that changes a page is not noticed: the server returns wrong rows, and copies them into the backup. Up to version 17 clusters have none unless they were asked for.
rule-pg-checksums-fix = Stop the cluster, `pg_checksums --enable -D DATA`, start it; then `pg_checksums --check` from time to time, or `pg_basebackup`, which checks what it copies.
rule-pg-checksums-risk = It rewrites every page: back up first. Reads and writes take a few percent more processor time.
rule-pg-checksums-undo = Stop the cluster, `pg_checksums --disable -D DATA`.

rule-swap-one-disk-title = swap lies on one disk of a mirror, or on a degraded array
rule-swap-one-disk-reason = When that disk fails, every program with memory in swap ends, and the kernel can hang: the mirror kept the files and lost the host. On an array that is degraded the next failure does it.
rule-swap-one-disk-fix = `swapoff /dev/sdX2`, then swap on a mirror of its own or a file on the mirror. For a degraded array replace the member first.
rule-swap-one-disk-risk = `swapoff` needs memory for all that is swapped out: look at `free` before.
rule-swap-one-disk-undo = `swapon /dev/sdX2`.

rule-db-torn-page-title = a database relies on atomic writes that its disk does not promise
rule-db-torn-page-reason = Without a doublewrite buffer or full page writes a page must reach the disk whole or not at all. A power cut in a write that is larger than the device's atomic unit leaves half a page, and no copy to repair it from.
rule-db-torn-page-fix = Turn `innodb_doublewrite` or `full_page_writes` on.
rule-db-torn-page-risk = More writes.
rule-db-torn-page-undo = Put the old value back and restart the server.

rule-ldap-module-title = a directory server needs or loads a module that it does not have
rule-ldap-module-reason = slapd does not start: `UNKNOWN attributeDescription`, `config error processing olcDatabase={"{"}1{"}"}hdb`. OpenLDAP 2.5 has no back_hdb and back_bdb any more.
rule-ldap-module-fix = Add olcModuleLoad with `slapmodify -n0`. For hdb and bdb: `slapcat` with the old slapd before the upgrade, `slapadd` into mdb after it.
rule-ldap-module-risk = An edit of slapd.d by hand breaks the checksum line of the file.
rule-ldap-module-undo = `slapmodify -n0` with the opposite change; keep a copy of slapd.d.

rule-feeds-updater-title = a feed reader is updated twice, not at all, or as the wrong user
rule-feeds-updater-reason = Two updaters lock each other out and load feeds twice; without one the feeds stand still after a move; another user than the owner of its cache cannot write there, and root leaves files that the web server cannot write.
rule-feeds-updater-fix = Keep one systemd service or timer, or one cron job, as the owner of the reader's cache, which is the web server's user.
rule-feeds-updater-risk = Files that root wrote must be given back: `chown -R www-data` on cache and feed icons.
rule-feeds-updater-undo = Enable the old unit or line again.

rule-cron-user-missing-title = a cron job runs as a user who does not exist
rule-cron-user-missing-reason = cron refuses the whole file with `bad username` and runs none of its jobs, which happens after a move without the old users.
rule-cron-user-missing-fix = Create the user, or name another in the file.
rule-cron-user-missing-risk = Files of the job may belong to the old number of the user.
rule-cron-user-missing-undo = Put the old name back.

rule-apt-mixed-release-title = package sources name another release than the installed one
rule-apt-mixed-release-reason = The next upgrade takes packages of two releases, which removes what does not fit together.
rule-apt-mixed-release-fix = Name one release in all files of /etc/apt, or finish the upgrade.
rule-apt-mixed-release-risk = Another vendor may have no packages for the new release: disable it first.
rule-apt-mixed-release-undo = Put the old name back and `apt-get update`.

rule-apt-no-security-title = no source of security updates
rule-apt-no-security-reason = Fixes of known holes never arrive. The name of the suite changed with Debian 11, so an old line finds nothing after an upgrade.
rule-apt-no-security-fix = `deb http://security.debian.org/debian-security CODENAME-security main`.
rule-apt-no-security-risk = None.
rule-apt-no-security-undo = Remove the line.

rule-net-interface-gone-title = the network configuration names an interface that does not exist
rule-net-interface-gone-reason = After a move or an upgrade the card may have another name: the host comes up without a network.
rule-net-interface-gone-fix = Write the new name from `ip link`, or pin it with a systemd.link(5) file.
rule-net-interface-gone-risk = Keep a console open: a mistake cuts the connection.
rule-net-interface-gone-undo = Put the old name back.

rule-smart-bad-sectors-title = a disk has sectors that it cannot read
rule-smart-bad-sectors-reason = A pending sector is lost data as soon as a rebuild reads it.
rule-smart-bad-sectors-fix = Replace the disk. Scrub or copy before.
rule-smart-bad-sectors-risk = Copying can finish a dying disk: copy what matters most first.
rule-smart-bad-sectors-undo = None.

rule-smart-crc-growing-title = transfers to a disk are damaged on the way
rule-smart-crc-growing-reason = The cable or the backplane: random slow I/Os, and md removes a healthy disk.
rule-smart-crc-growing-fix = Replace the cable.
rule-smart-crc-growing-risk = None.
rule-smart-crc-growing-undo = None needed.

rule-disk-smr-title = a shingled disk is part of an array or a pool
rule-disk-smr-reason = A rebuild falls to a few MB/s when the disk's cache zone is full, and the disk is removed for its long stalls. A disk whose `zoned` is `host-managed` cannot become a member at all: mdadm cannot write its superblock, and names another reason.
rule-disk-smr-fix = Replace it by a disk with conventional recording.
rule-disk-smr-risk = Cost, and a rebuild.
rule-disk-smr-undo = None.

rule-disk-apm-title = a disk parks its heads too often
rule-disk-apm-reason = The first I/O after parking waits about a second, and disks are made for a limited number of cycles.
rule-disk-apm-fix = `hdparm -B 254 /dev/sdX`.
rule-disk-apm-risk = More power.
rule-disk-apm-undo = `hdparm -B 128 /dev/sdX`.

rule-nvme-link-title = a drive's link is slower than it could be
rule-nvme-link-reason = Half the speed, without any error message.
rule-nvme-link-fix = Reseat the drive, replace the cable, check the firmware's settings of the slot.
rule-nvme-link-risk = Downtime.
rule-nvme-link-undo = None needed.

rule-cpu-governor-title = processors stay at a low clock
rule-cpu-governor-reason = Commits wait for a processor to wake up and to speed up. `powersave` means two things: with acpi-cpufreq and with intel_pstate in passive mode it is the lowest clock, with intel_pstate in active mode it is the normal governor.
rule-cpu-governor-fix = `schedutil` or `performance`; in active mode `balance_performance` as energy_performance_preference.
rule-cpu-governor-risk = Power and heat.
rule-cpu-governor-undo = Write the old word back.

rule-vm-dirty-title = memory holds more unwritten data than the disk writes in 10 s
rule-vm-dirty-reason = One large copy delays every fsync for as long as the disk needs for what is in memory.
rule-vm-dirty-fix = `vm.dirty_bytes` of 256 MiB to 1 GiB, and a quarter of it as `vm.dirty_background_bytes`.
rule-vm-dirty-risk = Lower speed of bursts.
rule-vm-dirty-undo = `vm.dirty_ratio=20` and `vm.dirty_background_ratio=10`.

rule-vm-cache-unsafe-title = a virtual machine's flushes are dropped
rule-vm-cache-unsafe-reason = With `unsafe` a crash of the host can break the guest's filesystem, and not only lose the last seconds.
rule-vm-cache-unsafe-fix = `cache='none'` or `writeback`; relax the guest's database instead if commits are too slow.
rule-vm-cache-unsafe-risk = Commits get their true, slower speed back.
rule-vm-cache-unsafe-undo = Put `cache='unsafe'` back and restart the guest.

rule-vm-virtio-title = a virtual disk is emulated, or writes through
rule-vm-virtio-reason = An emulated IDE or SATA disk costs CPU for each I/O, and IDE has a queue depth of 1. `writethrough` and `directsync` flush after every write.
rule-vm-virtio-fix = `bus='virtio'` or `scsi` with virtio-scsi, `cache='none' io='native' discard='unmap'`.
rule-vm-virtio-risk = The guest's initramfs must have the driver first.
rule-vm-virtio-undo = Put the old bus and cache back.

rule-apache-access22-title = Apache has access rules of the old syntax
rule-apache-access22-reason = `Invalid command 'Order'` stops Apache without mod_access_compat, and answers 500 where it stands in .htaccess. Mixed with `Require` in one place it grants or denies what nobody meant.
rule-apache-access22-fix = `Require all granted` or `Require all denied`, then `apache2ctl -t`.
rule-apache-access22-risk = Access opened wider than before: test from outside.
rule-apache-access22-undo = Put the old lines back and `a2enmod access_compat`.

rule-apache-module-gone-title = Apache loads a module that is not installed
rule-apache-module-gone-reason = Apache does not start: after an upgrade the module of the old PHP is gone, and its link in mods-enabled stays.
rule-apache-module-gone-fix = `a2dismod` the old one, `a2enmod` the new one, `apache2ctl -t`.
rule-apache-module-gone-risk = Handlers of sites change with the PHP version.
rule-apache-module-gone-undo = `a2enmod` the old one.

rule-web-wp-perms-title = files of a web root are open to the wrong users
rule-web-wp-perms-reason = The classes of permissions do not add up: the first that matches decides. 0604 denies the group, which may be the web server's, and admits everybody else to the password of the database.
rule-web-wp-perms-fix = wp-config.php 0640 with the web server's group, .htaccess 0644 or 0640, files 0644, directories 0755.
rule-web-wp-perms-risk = 403 or 500 if the group is wrong: test with `runuser -u www-data -- cat FILE`.
rule-web-wp-perms-undo = `chmod` with the old mode.

rule-nginx-php-socket-title = nginx passes PHP to a socket that no pool opens
rule-nginx-php-socket-reason = Pages answer `502 Bad Gateway`: the upgrade brought another PHP, whose socket has another name.
rule-nginx-php-socket-fix = Write the socket of the installed version, or link /run/php/php-fpm.sock.
rule-nginx-php-socket-risk = Sites may not be ready for the new PHP.
rule-nginx-php-socket-undo = Put the old socket back and install the old PHP.

rule-zfs-state-title = a pool is degraded, has errors, or was not scrubbed for 35 days
rule-zfs-state-reason = Silent errors are found only by a scrub, and repaired only while there is a good copy.
rule-zfs-state-fix = `zpool replace`, and a scrub timer: `systemctl enable --now zfs-scrub-monthly@POOL.timer`.
rule-zfs-state-risk = A scrub loads all disks for hours.
rule-zfs-state-undo = `zpool scrub -s POOL` stops it.

rule-zfs-sync-disabled-title = a dataset ignores fsync
rule-zfs-sync-disabled-reason = fsync returns at once. A crash loses up to zfs_txg_timeout (5 s) of writes that programs believe are durable; the pool stays consistent.
rule-zfs-sync-disabled-fix = `zfs set sync=standard DATASET`, or a log device with power-loss protection.
rule-zfs-sync-disabled-risk = Slower commits.
rule-zfs-sync-disabled-undo = `zfs set sync=disabled DATASET`.

rule-zfs-recordsize-db-title = the records of a database's dataset are larger than its pages
rule-zfs-recordsize-db-reason = Every write of a page reads and writes a whole record.
rule-zfs-recordsize-db-fix = `zfs set recordsize=16K DATASET` (8K to 16K for PostgreSQL), then write the files anew.
rule-zfs-recordsize-db-risk = Compression gets worse, and there is more metadata.
rule-zfs-recordsize-db-undo = `zfs set recordsize=128K DATASET`.

rule-zfs-ashift-title = a pool writes 512-byte sectors to disks with 4 KiB sectors
rule-zfs-ashift-reason = Each small write is a read, a change and a write inside the disk.
rule-zfs-ashift-fix = Only a new vdev: `zpool create -o ashift=12`.
rule-zfs-ashift-risk = All data moves.
rule-zfs-ashift-undo = None.

rule-zfs-cheap-wins-title = a dataset misses settings that cost almost nothing
rule-zfs-cheap-wins-reason = lz4 saves more I/O than it costs CPU; atime writes on every read; xattr=dir keeps each attribute in a hidden directory.
rule-zfs-cheap-wins-fix = `zfs set compression=lz4 atime=off xattr=sa DATASET`.
rule-zfs-cheap-wins-risk = Only new data changes.
rule-zfs-cheap-wins-undo = `zfs inherit` or the old values.

## What the rules find.

check-host-lost = host { $host } was not judged: { $error }
check-host-summary = { $host }: { $counts }
check-found = { $place }: { $what }
check-no-proof = no command or study shows it
check-proof = `{ $command }`
check-proof-simulated = { $proof }; for a finding, `stripewise check` simulates the cost on this machine's array
check-with-all-members = with all members
check-with-large-chunks = with bitmap chunks of 2 GiB
check-with-performance = with performance, at 4.2 GHz on host profile i7-6700k-no-hwp
check-with-powersave = at its 0.8 GHz, the most that powersave can cost
check-with-read-ahead = with { $kib } KiB
check-with-stripes = with 4096 stripes
check-without-bitmap = without a bitmap
found-access-compat-not-enabled = { $file }: `{ $old }`, and access_compat is not enabled
found-another-member = { $md }: { $disk } has { $words }, another member { $words_other }
found-array-not = array { $uuid } is not in { $path }
found-array-not-started = { $uuid } of mdadm.conf does not run; { $kernel } cannot start it if Linux 6.19 or later made it
found-array-promises-no-atomic = { $md } promises no write that is whole or absent, its drives promise { $bytes } bytes
found-ashift-9-sectors-bytes = ashift is 9, and { $disk } has sectors of { $bytes } bytes
found-battery-cache = { $name }: battery { $power }, cache { $state }
found-battery-caches-writes = { $name }: battery { $power }, and it caches writes
found-begins-byte-no-multiple = { $place } begins at byte { $start }, no multiple of { $stripe }
found-beside = { $file }: `{ $old }` beside `{ $new }`
found-bitmap = { $md }: bitmap chunk { $chunk } MiB on hard disks
found-bitmap-and-stripe = { $md }: bitmap chunk { $chunk } MiB on hard disks, full stripe { $stripe } KiB
found-both-used-or-more = { $md }: { $disks }, both { $model }, have used { $used } % or more of their writes
found-btrfs-errors = { $place }, device { $device }: { $counts }
found-by-name = /etc/fstab: { $place } by the name { $device }
found-changed = changed from { $old } to { $new }
found-clock = { $governor } of { $driver }
found-clock-preference = { $governor } of { $driver }, energy preference { $preference }
found-cluster-no-checksums = cluster { $name } has no checksums
found-cluster-there-no = cluster { $name }: there is no { $server }
found-clusters-versions = clusters of versions { $versions }
found-consistency-policy-no-ups = { $md }: consistency policy `{ $policy }`, and no UPS is configured
found-controller = controller { $at }, { $list } { $place }: { $state }
found-controller-volume-cache-battery = controller { $at } ({ $name }), volume { $volume }: cache { $cache }, battery { $power }
found-crc-errors-grew = { $disk }: CRC errors grew from { $before } to { $now }
found-critical-warning-used-media = critical warning { $warning }, { $used } % used, { $media } media errors
found-data-metadata = { $volume }: data { $data } %, metadata { $metadata } %
found-data-writeback = { $place }: data=writeback
found-database-collation-library = database { $name }: collation { $recorded }, the library has { $now }
found-debconf-names-does-not = debconf names { $device }, which does not exist
found-device-errors = { $pool }: { $name } has { $count } { $kind } errors
found-device-is = { $pool }: { $name } is { $state }
found-discards-dropped = { $place }: { $layer } takes discards and sends its members none: `fstrim` says that it trimmed, and no drive hears of it
found-discards-end = { $place }: discards end at { $layer }
found-discards-end-encryption = { $place }: discards end at { $layer } (encryption)
found-discards-end-parity = { $place }: discards end at { $layer } (an array with parity)
found-disks-only-one = of the disks of { $md } only { $having } has one
found-dmeventd-does-not-monitor = { $name }: dmeventd does not monitor it
found-drive-cache-kernel-says = { $disk }: the drive's cache is on, and the kernel says `write through`
found-error-recovery-control-off = { $disk }: error recovery control is off or unsupported, and the kernel waits { $timeout } s
found-errors = { $place }: { $count } errors
found-errors-could-not-correct = { $disk }: { $reported } errors that it could not correct, now or earlier
found-etc-fstab = { $place }: `{ $option }` in /etc/fstab
found-fails-no-ups-configured = { $id } fails, and no UPS is configured
found-faulty = { $md }: { $member } is faulty
found-filter-names-disks-can = a filter names disks that can change: { $filter }
found-fits = { $disk }: { $chosen }; { $better } fits
found-frozen = { $md } is frozen
found-frozen-lacks-members = { $md } is frozen, and lacks { $count } of its members
found-gib-gib = { $what } has { $used } GiB of the { $bytes } GiB of { $device }
found-grub-distributor-not = GRUB_DISTRIBUTOR="{ $value }": `{ $word }` is not in "{ $now }"
found-in = { $place }: `{ $option }` in { $file }
found-innodb-buffer-pool-size = innodb_buffer_pool_size is the default, 128 MiB, of { $kib } GiB
found-innodb-doublewrite-off-filesystem = innodb_doublewrite is off on a filesystem that overwrites in place
found-innodb-flush-log-trx = innodb_flush_log_at_trx_commit = { $commit }: a crash loses about 1 s
found-innodb-flush-neighbors-0 = innodb_flush_neighbors = 0 on hard disk { $name }
found-inodes-used = { $place }: { $used } % of its inodes used
found-installed = { $file }: { $suite }; installed is { $codename }
found-installed-not-loaded = { $module } is installed and not loaded
found-installed-nothing-updates-feeds = { $reader } is installed, and nothing updates its feeds
found-integrity-journal = { $name } writes all data twice
found-integrity-mode-unknown = { $name }: /etc/integritytab does not name it; with a journal it writes all data twice
found-invalid = { $volume }: it is invalid
found-is = { $md } is { $state }
found-is-being-replaced = { $md }: { $member } is being replaced
found-kernel-command-line = kernel command line: { $word }
found-kernel-no-longer-sets = the kernel no longer sets the clock; before: { $old }
found-kernel-sets-clock-now = the kernel sets the clock now: { $new }
found-kib-for-each-member = { $md }: { $limit } KiB/s for each member, its slowest disk does about { $slowest }: a rebuild takes { $hours } h or more
found-kib-two-full-stripes = { $name }: { $now } KiB, two full stripes are { $needed } KiB
found-last-scrub-days-ago = { $pool }: the last scrub was { $age } days ago
found-last-scrub-left-errors = { $pool }: the last scrub left { $errors } errors
found-limited = { $place }: limited to { $limit } of { $hardware }
found-link-can = { $disk }: its link has { $words }, it can { $words_other }
found-link-speed = { $device }: link speed { $current } of { $most }
found-link-width = { $device }: link width { $current } of { $most }
found-load-cycles-hours = { $disk }: { $cycles } load cycles in { $hours } hours
found-log-padded = { $place }: each write of the log is padded to { $kib } KiB
found-log-unaligned = { $place }: the log's writes begin and end inside of blocks
found-looks-shingled-may-be = { $disk } looks shingled; it may be part of a pool
found-lost-blocks-places = { $md }: { $member } lost blocks in { $ranges } places
found-mariadb-upgrade-not-run = mariadb-upgrade has not run for { $version }
found-mdadm-conf-mailaddr-there = mdadm.conf has MAILADDR, and there is no /usr/sbin/sendmail
found-mdadm-conf-neither-mailaddr = mdadm.conf has neither MAILADDR nor PROGRAM
found-mdmonitor-does-not-run = mdmonitor does not run
found-media-errors = { $disk }: { $errors } media errors
found-media-errors-grew = { $disk }: media errors grew from { $before } to { $errors }
found-media-errors-no-new = { $disk }: { $errors } media errors, no new ones
found-members-different-sizes-no = { $md }: members of different sizes, and no layout is recorded
found-members-gib-no-bitmap = { $md }: members of { $size } GiB, and no bitmap
found-members-missing = { $md }: { $count } of its members missing
found-members-missing-shown = { $md }: { $count } of its members missing, { $shown }
found-metadata-0-90 = { $md } has metadata 0.90
found-mib-free-two-kernels = { $place }: { $free } MiB free, two kernels need { $needed } MiB
found-mib-may-be-unwritten = { $limit } MiB may be unwritten, which take { $seconds } s
found-mode-keeps-web-server = { $path }: mode { $mode } keeps the web server out
found-mode-lets-everybody-read = { $path }: mode { $mode } lets everybody read it
found-mounted-read-only = { $place } is mounted read-only
found-neither-fstrim-timer-nor = { $place } on { $disk }: neither fstrim.timer nor `discard`
found-neither-nut-upsmon-nor = neither NUT's upsmon nor apcupsd runs
found-never-grows-by-itself = { $text }, and it never grows by itself
found-never-scrubbed = { $pool } was never scrubbed
found-next-boot-takes = { $found }, and the next boot takes it
found-no-battery = missing
found-no-boot-code = { $disk } of { $md } has no boot code
found-no-device = /etc/fstab: { $place }: there is no { $device }
found-no-m-smartd-writes = { $path } has no `-m`: smartd writes to the log alone
found-no-periodic-check = { $md } has no periodic check
found-no-pool-listens = { $name }: no pool listens on { $socket }
found-no-scrub-ended-for = { $pool }: no scrub ended for { $age } days
found-no-source-debian-or = no source of Debian's or Ubuntu's packages is configured
found-no-suite-security = no suite { $codename }-security
found-nvme-backup = backup of its volatile memory failed
found-nvme-read-only = read-only
found-nvme-region = persistent memory region read-only
found-nvme-reliability = reliability degraded
found-nvme-spare = few spare blocks
found-nvme-temperature = temperature out of its limits
found-older = { $image } is older than { $path }
found-older-kernels-refuse = { $md } does not start under { $kernels }
found-one-step-takes-mib = { $name }: one step takes { $step } MiB, its volume group has { $free }
found-other-capitals = /etc/fstab: { $place }: { $device } is there in other capitals
found-own-verdict-failed = its own verdict is FAILED
found-pages-bytes-promises = { $name }: pages of { $page } bytes, { $top } promises { $unit }
found-passes-no-discards = { $place }: { $disk } passes no discards on
found-pending-uncorrectable-sectors = { $pending } pending, { $uncorrectable } uncorrectable sectors
found-physical-volume = the physical volume
found-physical-volume-data-byte = physical volume { $device }: data at byte { $start }, no multiple of { $stripe }
found-policies = { $count } policies: { $clock }
found-policy = 1 policy: { $clock }
found-postgresql = PostgreSQL { $name }: { $value }
found-promises-bytes-if-server = { $name }: { $top } promises { $unit } bytes, if the server asks for atomic writes (RWF_ATOMIC)
found-rated-writes = { $disk }: { $used } % of its rated writes
found-rated-writes-used = { $disk }: { $used } % of its rated writes are used
found-read-write-verify-errors = { $read } read, { $write } write and { $verify } verify errors uncorrected, { $pending } pending, { $grown } grown defects
found-reallocated-sectors-before-tells = { $disk }: { $now } reallocated sectors; `--before` tells whether they grow
found-reallocated-sectors-grew = { $disk }: reallocated sectors grew from { $before } to { $now }
found-reboot-required = a reboot is required: { $packages }
found-recordsize = { $place } on { $device }: recordsize { $size }
found-runs-as-root = { $reader }: { $place } runs it as root
found-runs-as-who-does = { $name }: { $place } runs it as { $user }, who does not own { $written }/
found-sectors-do-not-match = { $md } ({ $level }): { $count } sectors do not match
found-slapd-lacks = there is no { $module } in this slapd
found-slapd-loads = there is no { $module } in this slapd, and it is loaded
found-slow = { $policy }: { $driver } with { $word }
found-slow-with-others = { $policy } and { $more } more: { $driver } with { $word }
found-smartd-does-not-run = smartd does not run
found-snapshot-used = { $volume }: { $used } % used
found-space-used = { $place }: { $used } % of its space used
found-spare-blocks-below = { $disk }: { $spare } % spare blocks, below { $spare_min } %
found-spare-larger-sectors = { $md }: the spare { $member } has sectors of { $own } bytes, the array of { $whole }
found-state = { $md }: its state is `{ $state }`
found-stripe-width-kib-array = { $place }: stripe width { $width } KiB, the array's is { $stripe } KiB
found-stripes-matters-for-sequential = { $md }: { $stripes } stripes; matters for sequential writes
found-swap-alone-although-copies = swap on { $disk } alone, although { $md } copies it
found-swap-alone-degraded = swap on { $disk } alone, and { $md } on it is degraded
found-swap-lacks-members = swap on { $md }, which lacks { $count } of its members
found-swap-may-be-member = swap on { $disk }, which may be the member that { $md } lacks
found-sync-disabled = { $name }: sync=disabled
found-tables-server = the tables are of { $done }, the server is { $version }
found-takes-trim-controller-or = { $disk } takes TRIM, and its controller or bridge passes none on
found-there-no = { $file }: there is no { $path }
found-there-no-lib-modules = there is no /lib/modules/{ $release }
found-turbo-off-no-turbo = turbo is off (no_turbo)
found-updated-times = { $reader } is updated { $count } times: { $places }
found-use-devicesfile-1-there = use_devicesfile = 1, and there is no devices file
found-use-lvmetad-1-there = use_lvmetad = 1, and there is no lvmetad
found-user = { $path }: user `{ $user }`
found-volatile-cache = { $name }: { $disk } has a volatile cache
found-wants-replacement = { $md } asks for a replacement of { $member }
found-warns = { $disk } warns ({ $warning }): { $warnings }
found-works-because-access-compat = { $file }: `{ $old }` works because access_compat is enabled
found-zoned-discard-bytes = { $disk }: zoned `{ $zoned }`, discard { $discards } bytes
