# Texts that come with the program, as their files have them, without a full stop at the end of a
# description; a test compares. Those of users keep their words.

## Questions of studies.

shipped-study-arrays-of-this-disk = What would two, four and six of this disk give as RAID 0, 1, 10 and 5?
shipped-study-block-size = How does block size change what this disk gives?
shipped-study-buffered = How fast is buffered sequential I/O on arrays, and how large are the members' requests?
shipped-study-chunk-size = Which chunk size for four SATA SSDs?
shipped-study-compression = How much of the speed comes from compression?
shipped-study-failed-disk = A disk fails under load: what is left of the throughput, and how long does the rebuild take?
shipped-study-fake-raid = Is a board's RAID slower than Linux's own, or does it only choose another chunk?
shipped-study-flush = What does switching cache flushes off risk, and is there a better way?
shipped-study-flush-every = What does a flush each second cost, and what does a power cut take with it?
shipped-study-four-ssd-lab = Which chunk size for four SATA SSDs as RAID 10, on the real driver?
shipped-study-four-ssd-random = Which chunk size for four SATA SSDs as RAID 10?
shipped-study-fsync = How do filesystems and md share flushes among jobs that fsync each write?
shipped-study-governor = What does an array lose when a kernel upgrade changes what the governor does?
shipped-study-governor-passive = Which governor costs an array speed?
shipped-study-governor-same = Does a changing clock make equal things look different?
shipped-study-imsm-or-md = Is a board's RAID (imsm) as good as Linux's own (md)?
shipped-study-lab-processor = What does the processor of the lab take for an I/O, a page, a request, a layer and a stripe?
shipped-study-mirrored-reads = Which disks of a mirrored array do the reads come from?
shipped-study-pull-plug = Ignored cache flushes make the database ten times as fast. What does a power cut take?
shipped-study-pull-plug-database = How much does a relaxed database lose, and does it always come back?
shipped-study-pull-plug-filesystems = Which filesystem survives a power cut, with flushes and without?
shipped-study-raid-level = Which RAID level for four SSDs: what does each give, cost and survive?
shipped-study-raid5-settings = What do rmw_level and the stripe cache change for small writes on RAID 5?
shipped-study-same-thing-twice = Does this machine give the same answer to the same question?
shipped-study-sync = What does it cost to make each write durable?
shipped-study-sync-every = Does a sync each second make the writes of a guest durable?
shipped-study-sync-writes = Which filesystem is fastest if every write must reach the disk?
shipped-study-sync-writes-small = Do the lab and the model agree on writes that are followed by an fsync?
shipped-study-system-on-array = Should the operating system have a disk of its own?
shipped-study-this-disk = How fast is this disk, alone?
shipped-study-tool-truth = Which benchmark tool tells what an application gets from this array?
shipped-study-trace = Does a mirror serve this trace with a lower latency than one disk?
shipped-study-write-hole = What does a power cut take if a member of the RAID 5 fails with it?
shipped-study-zfs-scaling = How does a ZFS pool of SSDs scale with its disks?

## Workloads.

shipped-workload-as-ssd-4k-64 = AS SSD, 4K-64Thrd
shipped-workload-as-ssd-4k = AS SSD, 4K
shipped-workload-as-ssd-seq = AS SSD, sequential
shipped-workload-atto = ATTO Disk Benchmark: sequential, 512 bytes to 8M at depth 4
shipped-workload-backup = Backup: two large files are read from end to end
shipped-workload-badblocks = badblocks, read-only test: the disk from end to end in steps of 64K
shipped-workload-bench-sh = bench.sh: dd if=/dev/zero bs=512k count=2048 conv=fdatasync
shipped-workload-cdm-rnd4k-q1t1 = CrystalDiskMark RND4K Q1T1
shipped-workload-cdm-rnd4k-q32t1 = CrystalDiskMark RND4K Q32T1
shipped-workload-cdm-seq1m-q1t1 = CrystalDiskMark SEQ1M Q1T1
shipped-workload-cdm-seq1m-q8t1 = CrystalDiskMark SEQ1M Q8T1
shipped-workload-dd-direct = dd if=/dev/zero bs=1M count=1024 oflag=direct
shipped-workload-dd-fdatasync = dd if=/dev/zero bs=1M count=1024 conv=fdatasync
shipped-workload-f3read = f3read: reads the files of f3write back, if caches are dropped
shipped-workload-f3write = f3write: fills a drive with files of 1G, an fdatasync each second
shipped-workload-feed-updater-pages = The database pages beside the updater of a web application
shipped-workload-feed-updater = Updater of a web application: small transactions with pauses, pages beside
shipped-workload-fileserver = File server: random reads and writes of 512 bytes to 64K, 80 % reads
shipped-workload-gnome-disks-access = GNOME Disks, access time: random reads of one page
shipped-workload-gnome-disks = GNOME Disks, transfer rate: reads of 100M all over the disk
shipped-workload-hd-tune-access = HD Tune, random access: 512 bytes, 4K, 64K and 1M, one at a time
shipped-workload-hd-tune = HD Tune, read benchmark: the disk from end to end in blocks of 64K
shipped-workload-hdparm-t = hdparm -t: buffered sequential reads of 2M, if caches are dropped
shipped-workload-mail = Mail server: reads of 16K messages, and an fsync after each written one
shipped-workload-mysql-in-vm-log = The redo log of MySQL in a virtual machine: a flush for each commit
shipped-workload-mysql-in-vm = MySQL in a virtual machine: random 16K pages, its redo log beside
shipped-workload-oltp-log = The log of a database: a write and an fdatasync for each commit
shipped-workload-oltp = Transactions: random 8K pages of a database, its log beside
shipped-workload-phoronix-fio-rand = Phoronix Test Suite, pts/fio: random at 4K and 2M, depth 64
shipped-workload-phoronix-fio-seq = Phoronix Test Suite, pts/fio: sequential at 4K and 2M, depth 64
shipped-workload-snia-iops = SNIA SSS PTS, IOPS test: seven mixes of eight block sizes, random
shipped-workload-snia-latency = SNIA SSS PTS, latency test: one random I/O at a time, 8K to 512 bytes
shipped-workload-snia-throughput = SNIA SSS PTS, throughput test: sequential, 1M and 128K
shipped-workload-system = An operating system's own small I/O: 4K, mostly reads, one at a time
shipped-workload-video-import = A new film is written beside the streams of a video server
shipped-workload-video = Video server: 16 sequential streams read, one new film written beside
shipped-workload-vm-host = Host of virtual machines: eight guests with mixed sizes, mostly 4K and 8K
shipped-workload-yabs = YABS (yabs.sh): random 50/50 at 4K, 64K, 512K and 1M, depth 64, two jobs

## Profiles of devices.

shipped-device-flash-sata = A SATA SSD of 500 GB as dies, channels and a translation layer, filled and overwritten
shipped-device-four-ssd-sata = A SATA SSD of about 500 MB/s: one of the four of a published RAID 10 study
shipped-device-hdd-5400 = A 5400 rpm disk of 1.5 TB, SATA 3 Gb/s, of about 2010
shipped-device-hdd-7200 = A 7200 rpm disk of 2 TB, SATA 6 Gb/s, as a class
shipped-device-hgst-7k4000 = HGST 7K4000 4 TB, 7200 rpm, SATA 6 Gb/s
shipped-device-intel-p4500 = Intel P4500-class NVMe, 2 TB, PCIe 3.0 x4, power-loss protection
shipped-device-micron-1100-m2 = Micron 1100 M.2, SATA 6 Gb/s, 3D TLC flash, class of 256 GB
shipped-device-nvme-ssd = An NVMe SSD of 1 TB on PCIe 3.0 x4 without power-loss protection, as a class
shipped-device-samsung-850-evo-500 = Samsung SSD 850 EVO 500 GB, SATA 6 Gb/s, 32-layer TLC V-NAND
shipped-device-sata-ssd = A SATA SSD of 1 TB, as a class

## Profiles of hosts.

shipped-host-default = Modern desktop, not measured
shipped-host-desktop-2022 = Desktop of 2022 with 16 cores, as a class
shipped-host-i7-6700k-no-hwp = Intel i7-6700K with four SATA disks on its board, without HWP: the kernel sets its clock
shipped-host-i7-6700k = Intel i7-6700K at 4.2 GHz with four SATA disks on its board, the host of a published RAID 10 study
shipped-host-lab = The processor of the lab: a guest in virtual time, an instruction a nanosecond, Linux 6.1
shipped-host-server-2021 = Workstation or server of 2021 with 64 cores, as a class
