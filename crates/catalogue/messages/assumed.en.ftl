# What profiles that come with the program assume, as their files have it; a test compares. Those of
# users keep their words.

shipped-assumed-device-flash-sata-1 = flash.read_ns, program_ns, erase_ns: 71 us, 1.5 ms and 4 ms, chosen so that one read takes the stated 100 us and the dies together program somewhat faster than the link
shipped-assumed-device-flash-sata-2 = flash.page_bytes, planes_count, channels_count, channel_bytes_per_s: 16 KiB, 2 planes, 8 channels of 400 MB/s
shipped-assumed-device-flash-sata-3 = flash.simulated_bytes: 256 MiB stand for all, because amplification depends on ratios; hence blocks of 8 pages, so that a die has 70 of them. 2 GiB and blocks of 16 pages give 1 % fewer steady random writes and take twenty times as long to fill
shipped-assumed-device-flash-sata-4 = flash.write_buffer_bytes: 2 MiB, small against what is simulated
shipped-assumed-device-flash-sata-5 = flash.flush_ns: 1.55 ms, so that a write and its flush take the 3.2 ms measured on one 850 EVO
shipped-assumed-device-flash-sata-6 = greedy collection and nothing else in the background: an 850 EVO was seen at 5000-8000 steady random writes a second, and this gives 22000; so ask it for ratios, not for rates
shipped-assumed-device-four-ssd-sata-1 = link.full_duplex: by class (a SATA SSD)
shipped-assumed-device-four-ssd-sata-2 = read.p99_over_p50: no row has latencies; 1.29 as of a Samsung 850 EVO
shipped-assumed-device-four-ssd-sata-3 = write.p99_over_p50: no row has latencies; 1.29 as of a Samsung 850 EVO
shipped-assumed-device-four-ssd-sata-4 = capacity_bytes: the least usual capacity that the study fits
shipped-assumed-device-four-ssd-sata-5 = rotational, queue_depth, cache.is_volatile: by class (a SATA SSD)
shipped-assumed-device-four-ssd-sata-6 = read.servers: no row has more than one I/O under way; 8 by class
shipped-assumed-device-four-ssd-sata-7 = write.servers: no row has more than one I/O under way; 2 by class
shipped-assumed-device-four-ssd-sata-8 = link.command_ns: no row has more than one I/O under way; 0
shipped-assumed-device-four-ssd-sata-9 = cache.flush_ns: no row has `fsync`; 3.2 ms by class
shipped-assumed-device-hdd-5400-1 = disk.seek_average_ns: 9.5 ms, the middle of what is stated
shipped-assumed-device-hdd-5400-2 = disk.heads_count: 6, three platters of 500 GB
shipped-assumed-device-hdd-5400-3 = disk.zones_count: 24
shipped-assumed-device-hdd-5400-4 = disk.seek_track_to_track_ns, seek_full_stroke_ns, track_switch_ns: 1, 20 and 1.2 ms, usual for such disks
shipped-assumed-device-hdd-5400-5 = disk.seek_write_track_to_track_ns, seek_write_average_ns: 0.1 and 1 ms longer than before reads, as in Hitachi's specifications of the 7K320 and 7K1000.C
shipped-assumed-device-hdd-5400-6 = disk.link: 280 MB/s and 0.1 ms a command
shipped-assumed-device-hdd-5400-7 = the buffer: 32 MB, half of it for reads in 16 segments, half for 512 runs of writes
shipped-assumed-device-hdd-5400-8 = disk.queue_wait_max_ns: 1 s
shipped-assumed-device-hdd-7200-1 = everything but the speed of rotation and the average seeks: 150 MB/s outside and 75 MB/s inside (Seagate Constellation ES: at most 140 MB/s; ES.3: 175 to 83 MB/s), four heads, 24 zones
shipped-assumed-device-hdd-7200-2 = disk.seek_track_to_track_ns, seek_full_stroke_ns, track_switch_ns: 0.8, 18 and 1 ms; the shortest seek before a write 0.1 ms longer, as in the Hitachi 7K320's specification
shipped-assumed-device-hdd-7200-3 = disk.link: 550 MB/s and 0.1 ms a command
shipped-assumed-device-hdd-7200-4 = the buffer: 64 MB, half of it for reads in 16 segments, half for 1024 runs of writes
shipped-assumed-device-hdd-7200-5 = shortest positioning time first: depth 32 gives 2.5 times the random reads of depth 1, where one 2 TB disk was measured at 1.6 and a 4 TB disk at 2.3 to 2.5
shipped-assumed-device-hdd-7200-6 = cached writes are written by address; a flush takes 14 ms for one 4 KiB write and 9.3 ms for each further one, where that disk took 28 ms and 9.4 ms a write
shipped-assumed-device-hgst-7k4000-1 = disk.sustained_outer_bytes_per_s: 165 MB/s, a fifth below the media rate (gaps, servo, switches); inner: half of it
shipped-assumed-device-hgst-7k4000-2 = disk.zones_count: 30
shipped-assumed-device-hgst-7k4000-3 = disk.seek_track_to_track_ns, seek_full_stroke_ns, track_switch_ns: 0.6, 17 and 0.8 ms, usual for such disks; the shortest seek before a write 0.1 ms longer
shipped-assumed-device-hgst-7k4000-5 = disk.read_segments_count, write_cache_runs_count: 16 segments, 32 MB and 1024 runs of the 64 MB for writes
shipped-assumed-device-intel-p4500-1 = link: 0.3 us a command; it limits no stated rate
shipped-assumed-device-intel-p4500-2 = read.servers = 38: gives the stated 490k a second
shipped-assumed-device-intel-p4500-3 = write.servers = 2: enough for the stated rates
shipped-assumed-device-intel-p4500-4 = the stated 10 us of a sequential read leave the device 3 us, and the stated 13 us of a sequential write 6 us: both shorter than its link and command may allow, so 4 KiB takes 3.3 and 5.9 us
shipped-assumed-device-intel-p4500-5 = sizes above 4 KiB: the time of the link more
shipped-assumed-device-intel-p4500-6 = p99_over_p50: 1.29, as measured on a Samsung 850 EVO
shipped-assumed-device-intel-p4500-7 = drain.buffer_bytes: 1 MiB, so that soon after the start a simulation shows the stated rate, which is that of a drive filled and overwritten
shipped-assumed-device-micron-1100-m2-1 = link: 535 and 505 MB/s and 1 us a command, which gives the stated sequential rates
shipped-assumed-device-micron-1100-m2-2 = read.servers = 4 and write.servers = 2: the whole numbers whose rates at depth 32 are nearest to the stated 55k and 83k (4 gives 6 % more reads, 2 gives 4 % more writes)
shipped-assumed-device-micron-1100-m2-3 = read.random above 4 KiB: the time of the link more
shipped-assumed-device-micron-1100-m2-4 = read.sequential: read ahead, so as fast as a write into the buffer
shipped-assumed-device-micron-1100-m2-5 = write above 4 KiB: the time of the link more
shipped-assumed-device-micron-1100-m2-7 = cache.flush_ns: 3.2 ms, as measured on a Samsung 850 EVO; the data sheet promises power-loss protection for data at rest only
shipped-assumed-device-micron-1100-m2-8 = no drain: how long Dynamic Write Acceleration lasts is not stated, so writes stay as fast as on a fresh drive
shipped-assumed-device-nvme-ssd-1 = everything: this is a class; the times are the stated rates at depth 1 (52.6 and 16.7 us), less the 7.2 us of the default host
shipped-assumed-device-nvme-ssd-2 = servers: 27 reading and 5 writing; with 0.55 us a command they give the stated rates of many jobs
shipped-assumed-device-nvme-ssd-3 = cache.flush_ns: 1 ms; consumer drives were seen between 0.5 and several ms
shipped-assumed-device-nvme-ssd-5 = drain.random_bytes_per_s: a sixteenth of the sequential rate, as on a filled and overwritten SATA SSD; not stated anywhere
shipped-assumed-device-samsung-850-evo-500-1 = link: 550 and 530 MB/s and 2.9 us a command, which gives the stated 540/520 MB/s and, at depth 32, the stated rates of 4 KiB within 5 %
shipped-assumed-device-samsung-850-evo-500-2 = read.servers = 10: more than the 9.8 that 98k over 10k reads a second needs; the link is what limits
shipped-assumed-device-samsung-850-evo-500-3 = write.servers = 2: one would do; the link is what limits
shipped-assumed-device-samsung-850-evo-500-4 = read.random above 4 KiB: 1.9 ns a byte more (530 MB/s), the slope of another SATA SSD, published from 8 to 128 KiB
shipped-assumed-device-samsung-850-evo-500-7 = write.p99_over_p50: as for reads
shipped-assumed-device-samsung-850-evo-500-8 = drain.random_bytes_per_s holds for a drive filled once and then overwritten; a fresh or trimmed one stays fast for longer
shipped-assumed-device-samsung-850-evo-500-9 = drain.buffer_bytes: not known, a small part of the 512 MB of memory
shipped-assumed-device-sata-ssd-1 = everything: this is a class; the times are 100 us reading and 30 us writing 4 KiB, less the 7.2 us of the default host
shipped-assumed-device-sata-ssd-2 = p99_over_p50 and cache.flush_ns: as measured on a Samsung 850 EVO
shipped-assumed-device-sata-ssd-3 = no drain: writes stay as fast as at first
shipped-assumed-host-default-1 = all of `cpu` but the locks: typical times of a desktop CPU at full clock, with 8 cores
shipped-assumed-host-default-2 = cpu.mirror_lock_ns, cpu.parity_lock_ns: published arrays of RAM disks on servers of 64 and more cores show 807 ns (raid1, Linux 5.10) and 500 ns (raid6 before 5.14), and 1.1 us for a bitmap's; cores of one desktop may hand a lock over faster
shipped-assumed-host-default-3 = cpu.cache_page_ns: a program read 3.0 GB/s through a full page cache on each of 32 drives, in blocks of 64 KiB (Jens Axboe, mm/filemap: add read support for RWF_UNCACHED, 2024: 96 GB/s); that is 1.37 us a page, less `copy_bytes_per_s` and `page_ns`; other cores took part in the work
shipped-assumed-host-default-4 = no uplink: that nothing limits all disks together
shipped-assumed-host-default-5 = `memory`: 16 GiB of page cache, 20 % of which may be dirty (the default of vm.dirty_ratio)
shipped-assumed-host-default-6 = all of `governor`: what each leaves of the clock while the load mostly waits for disks, and how much later a task wakes
shipped-assumed-host-desktop-2022-1 = how 1.43 us for an I/O among many are divided over submit_ns, bio_ns, page_ns and completion_ns
shipped-assumed-host-desktop-2022-2 = cpu.wake_ns: what is left of the 7.24 us of host `default` for one I/O at a time
shipped-assumed-host-desktop-2022-3 = cpu.mirror_lock_ns, cpu.parity_lock_ns: as host `default` has them
shipped-assumed-host-desktop-2022-4 = cpu.filesystem_ns: 2,006 ns for ext4 in a read of 512 bytes (Zhong et al., XRP, OSDI 2022; read in notes on it, schwifty50.medium.com, "notes on ebpf/kernel bypass/storage latency", which also have 379 ns of bio and 113 of the NVMe driver); taken for each filesystem and clock
shipped-assumed-host-desktop-2022-5 = the rest of `cpu`, `memory` and `governor`: as host `default` has them
shipped-assumed-host-i7-6700k-no-hwp-1 = cpu.cores: of the data sheet; two threads of a core count as one
shipped-assumed-host-i7-6700k-no-hwp-2 = clock.transition_us: what the firmware states to acpi-cpufreq is not known; Intel's boards state 10
shipped-assumed-host-i7-6700k-no-hwp-3 = no `clock.c_states`: the disks were measured on a host with idle states, so that their times contain those of leaving them
shipped-assumed-host-i7-6700k-no-hwp-4 = everything else but cpu.bio_ns, cpu.completion_ns, uplink.bytes_per_s: as host profile `default` has it
shipped-assumed-host-lab-1 = everything else but cpu.cores, cpu.stripe_ns, cpu.fletcher4_bytes_per_s, cpu.fill_bytes_per_s: as host profile `default` has it
shipped-assumed-host-server-2021-1 = cpu.cores: 64, as the largest of the series
shipped-assumed-host-server-2021-2 = how 1.83 us for an I/O among many are divided over submit_ns, bio_ns, page_ns and completion_ns
