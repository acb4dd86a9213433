# What profiles that come with the program assume, as their files have it; a test compares. Those of
# users keep their words.

shipped-assumed-device-flash-sata-1 = flash.read_ns, program_ns, erase_ns: 71 µs, 1,5 ms und 4 ms, so gewählt, dass ein Lesezugriff die angegebenen 100 µs dauert und die Dies zusammen etwas schneller programmieren als die Anbindung
shipped-assumed-device-flash-sata-2 = flash.page_bytes, planes_count, channels_count, channel_bytes_per_s: 16 KiB, 2 Planes, 8 Kanäle zu 400 MB/s
shipped-assumed-device-flash-sata-3 = flash.simulated_bytes: 256 MiB stehen für alles, weil die Verstärkung von Verhältnissen abhängt; daher Blöcke zu 8 Seiten, damit ein Die 70 davon hat. 2 GiB und Blöcke zu 16 Seiten ergeben dauerhaft 1 % weniger zufällige Schreibzugriffe und brauchen zwanzigmal so lange zum Füllen
shipped-assumed-device-flash-sata-4 = flash.write_buffer_bytes: 2 MiB, wenig gegen das, was simuliert wird
shipped-assumed-device-flash-sata-5 = flash.flush_ns: 1,55 ms, sodass ein Schreibzugriff und sein Flush die 3,2 ms dauern, die an einer 850 EVO gemessen wurden
shipped-assumed-device-flash-sata-6 = gierige Speicherbereinigung und sonst nichts im Hintergrund: Eine 850 EVO schaffte dauerhaft 5000 bis 8000 zufällige Schreibzugriffe je Sekunde, dies ergibt 22000; fragen Sie es daher nach Verhältnissen, nicht nach Raten
shipped-assumed-device-four-ssd-sata-1 = link.full_duplex: nach der Klasse (eine SATA-SSD)
shipped-assumed-device-four-ssd-sata-2 = read.p99_over_p50: keine Zeile hat Latenzen; 1,29 wie bei einer Samsung 850 EVO
shipped-assumed-device-four-ssd-sata-3 = write.p99_over_p50: keine Zeile hat Latenzen; 1,29 wie bei einer Samsung 850 EVO
shipped-assumed-device-four-ssd-sata-4 = capacity_bytes: die kleinste übliche Größe, auf die die Studie passt
shipped-assumed-device-four-ssd-sata-5 = rotational, queue_depth, cache.is_volatile: nach der Klasse (eine SATA-SSD)
shipped-assumed-device-four-ssd-sata-6 = read.servers: keine Zeile hat mehr als ein I/O unterwegs; 8 nach der Klasse
shipped-assumed-device-four-ssd-sata-7 = write.servers: keine Zeile hat mehr als ein I/O unterwegs; 2 nach der Klasse
shipped-assumed-device-four-ssd-sata-8 = link.command_ns: keine Zeile hat mehr als ein I/O unterwegs; 0
shipped-assumed-device-four-ssd-sata-9 = cache.flush_ns: keine Zeile hat `fsync`; 3,2 ms nach der Klasse
shipped-assumed-device-hdd-5400-1 = disk.seek_average_ns: 9,5 ms, die Mitte der Angaben
shipped-assumed-device-hdd-5400-2 = disk.heads_count: 6, drei Platten zu 500 GB
shipped-assumed-device-hdd-5400-3 = disk.zones_count: 24
shipped-assumed-device-hdd-5400-4 = disk.seek_track_to_track_ns, seek_full_stroke_ns, track_switch_ns: 1, 20 und 1,2 ms, üblich bei solchen Festplatten
shipped-assumed-device-hdd-5400-5 = disk.seek_write_track_to_track_ns, seek_write_average_ns: 0,1 und 1 ms länger als vor Lesezugriffen, wie in Hitachis Spezifikationen der 7K320 und 7K1000.C
shipped-assumed-device-hdd-5400-6 = disk.link: 280 MB/s und 0,1 ms je Befehl
shipped-assumed-device-hdd-5400-7 = der Puffer: 32 MB, die Hälfte für Lesezugriffe in 16 Segmenten, die Hälfte für 512 Folgen von Schreibzugriffen
shipped-assumed-device-hdd-5400-8 = disk.queue_wait_max_ns: 1 s
shipped-assumed-device-hdd-7200-1 = alles außer der Drehzahl und den mittleren Suchzeiten: 150 MB/s außen und 75 MB/s innen (Seagate Constellation ES: höchstens 140 MB/s; ES.3: 175 bis 83 MB/s), vier Köpfe, 24 Zonen
shipped-assumed-device-hdd-7200-2 = disk.seek_track_to_track_ns, seek_full_stroke_ns, track_switch_ns: 0,8, 18 und 1 ms; die kürzeste Suche vor einem Schreibzugriff 0,1 ms länger, wie in der Spezifikation der Hitachi 7K320
shipped-assumed-device-hdd-7200-3 = disk.link: 550 MB/s und 0,1 ms je Befehl
shipped-assumed-device-hdd-7200-4 = der Puffer: 64 MB, die Hälfte für Lesezugriffe in 16 Segmenten, die Hälfte für 1024 Folgen von Schreibzugriffen
shipped-assumed-device-hdd-7200-5 = kürzeste Positionierzeit zuerst: Tiefe 32 ergibt das 2,5-Fache der zufälligen Lesezugriffe von Tiefe 1; gemessen wurden an einer Platte mit 2 TB das 1,6-Fache und an einer mit 4 TB das 2,3- bis 2,5-Fache
shipped-assumed-device-hdd-7200-6 = Schreibzugriffe im Cache werden nach Adresse geschrieben; ein Flush dauert 14 ms bei einem Schreibzugriff von 4 KiB und 9,3 ms für jeden weiteren, während jene Platte 28 ms und 9,4 ms je Schreibzugriff brauchte
shipped-assumed-device-hgst-7k4000-1 = disk.sustained_outer_bytes_per_s: 165 MB/s, ein Fünftel unter der Rate des Mediums (Lücken, Servo, Wechsel); innen: die Hälfte davon
shipped-assumed-device-hgst-7k4000-2 = disk.zones_count: 30
shipped-assumed-device-hgst-7k4000-3 = disk.seek_track_to_track_ns, seek_full_stroke_ns, track_switch_ns: 0,6, 17 und 0,8 ms, üblich bei solchen Festplatten; die kürzeste Suche vor einem Schreibzugriff 0,1 ms länger
shipped-assumed-device-hgst-7k4000-5 = disk.read_segments_count, write_cache_runs_count: 16 Segmente, 32 MB und 1024 Folgen der 64 MB für Schreibzugriffe
shipped-assumed-device-intel-p4500-1 = link: 0,3 µs je Befehl; sie begrenzt keine angegebene Rate
shipped-assumed-device-intel-p4500-2 = read.servers = 38: ergibt die angegebenen 490k je Sekunde
shipped-assumed-device-intel-p4500-3 = write.servers = 2: genug für die angegebenen Raten
shipped-assumed-device-intel-p4500-4 = die angegebenen 10 µs eines sequenziellen Lesezugriffs lassen dem Gerät 3 µs, die angegebenen 13 µs eines sequenziellen Schreibzugriffs 6 µs: beides womöglich kürzer, als Anbindung und Befehl erlauben, daher dauern 4 KiB 3,3 und 5,9 µs
shipped-assumed-device-intel-p4500-5 = Größen über 4 KiB: um die Zeit der Anbindung länger
shipped-assumed-device-intel-p4500-6 = p99_over_p50: 1,29, wie an einer Samsung 850 EVO gemessen
shipped-assumed-device-intel-p4500-7 = drain.buffer_bytes: 1 MiB, damit eine Simulation bald nach dem Beginn die angegebene Rate zeigt, die eines gefüllten und überschriebenen Laufwerks
shipped-assumed-device-micron-1100-m2-1 = link: 535 und 505 MB/s und 1 µs je Befehl, was die angegebenen sequenziellen Raten ergibt
shipped-assumed-device-micron-1100-m2-2 = read.servers = 4 und write.servers = 2: die ganzen Zahlen, deren Raten bei Tiefe 32 den angegebenen 55k und 83k am nächsten kommen (4 ergibt 6 % mehr Lesezugriffe, 2 ergibt 4 % mehr Schreibzugriffe)
shipped-assumed-device-micron-1100-m2-3 = read.random über 4 KiB: um die Zeit der Anbindung länger
shipped-assumed-device-micron-1100-m2-4 = read.sequential: im Voraus gelesen, daher so schnell wie ein Schreibzugriff in den Puffer
shipped-assumed-device-micron-1100-m2-5 = write über 4 KiB: um die Zeit der Anbindung länger
shipped-assumed-device-micron-1100-m2-7 = cache.flush_ns: 3,2 ms, wie an einer Samsung 850 EVO gemessen; das Datenblatt verspricht Schutz bei Stromausfall nur für ruhende Daten
shipped-assumed-device-micron-1100-m2-8 = kein drain: Wie lange Dynamic Write Acceleration reicht, ist nicht angegeben; Schreibzugriffe bleiben daher so schnell wie auf einem frischen Laufwerk
shipped-assumed-device-nvme-ssd-1 = alles: Dies ist eine Klasse; die Zeiten sind die angegebenen Raten bei Tiefe 1 (52,6 und 16,7 µs) ohne die 7,2 µs des Hosts `default`
shipped-assumed-device-nvme-ssd-2 = servers: 27 lesend und 5 schreibend; mit 0,55 µs je Befehl ergeben sie die angegebenen Raten vieler Jobs
shipped-assumed-device-nvme-ssd-3 = cache.flush_ns: 1 ms; bei Laufwerken für Privatkunden wurden 0,5 bis mehrere ms beobachtet
shipped-assumed-device-nvme-ssd-5 = drain.random_bytes_per_s: ein Sechzehntel der sequenziellen Rate, wie bei einer gefüllten und überschriebenen SATA-SSD; nirgends angegeben
shipped-assumed-device-samsung-850-evo-500-1 = link: 550 und 530 MB/s und 2,9 µs je Befehl, was die angegebenen 540/520 MB/s und bei Tiefe 32 die angegebenen Raten von 4 KiB bis auf 5 % ergibt
shipped-assumed-device-samsung-850-evo-500-2 = read.servers = 10: mehr als die 9,8, die 98k gegen 10k Lesezugriffe je Sekunde brauchen; die Anbindung begrenzt
shipped-assumed-device-samsung-850-evo-500-3 = write.servers = 2: einer wäre genug; die Anbindung begrenzt
shipped-assumed-device-samsung-850-evo-500-4 = read.random über 4 KiB: 1,9 ns je Byte mehr (530 MB/s), die Steigung einer anderen SATA-SSD, veröffentlicht von 8 bis 128 KiB
shipped-assumed-device-samsung-850-evo-500-7 = write.p99_over_p50: wie bei Lesezugriffen
shipped-assumed-device-samsung-850-evo-500-8 = drain.random_bytes_per_s gilt für ein einmal gefülltes und dann überschriebenes Laufwerk; ein frisches oder getrimmtes bleibt länger schnell
shipped-assumed-device-samsung-850-evo-500-9 = drain.buffer_bytes: nicht bekannt, ein kleiner Teil der 512 MB Speicher
shipped-assumed-device-sata-ssd-1 = alles: Dies ist eine Klasse; die Zeiten sind 100 µs lesend und 30 µs schreibend für 4 KiB, ohne die 7,2 µs des Hosts `default`
shipped-assumed-device-sata-ssd-2 = p99_over_p50 und cache.flush_ns: wie an einer Samsung 850 EVO gemessen
shipped-assumed-device-sata-ssd-3 = kein drain: Schreibzugriffe bleiben so schnell wie am Anfang
shipped-assumed-host-default-1 = alles unter `cpu` außer den Sperren: typische Zeiten einer Desktop-CPU mit vollem Takt und 8 Kernen
shipped-assumed-host-default-2 = cpu.mirror_lock_ns, cpu.parity_lock_ns: Veröffentlichte Arrays aus RAM-Disks auf Servern mit 64 und mehr Kernen zeigen 807 ns (raid1, Linux 5.10) und 500 ns (raid6 vor 5.14), und 1,1 µs für die einer Bitmap; die Kerne eines Desktops geben eine Sperre womöglich schneller weiter
shipped-assumed-host-default-3 = cpu.cache_page_ns: Ein Programm las 3,0 GB/s durch einen vollen Page-Cache von jedem von 32 Laufwerken, in Blöcken von 64 KiB (Jens Axboe, mm/filemap: add read support for RWF_UNCACHED, 2024: 96 GB/s); das sind 1,37 µs je Seite, ohne `copy_bytes_per_s` und `page_ns`; andere Kerne halfen dabei
shipped-assumed-host-default-4 = kein uplink: dass nichts alle Platten gemeinsam begrenzt
shipped-assumed-host-default-5 = `memory`: 16 GiB Page-Cache, von denen 20 % ungeschrieben sein dürfen (der Standard von vm.dirty_ratio)
shipped-assumed-host-default-6 = alles unter `governor`: was jeder vom Takt lässt, während die Last meist auf Platten wartet, und wie viel später eine Task aufwacht
shipped-assumed-host-desktop-2022-1 = wie sich 1,43 µs für ein I/O unter vielen auf submit_ns, bio_ns, page_ns und completion_ns verteilen
shipped-assumed-host-desktop-2022-2 = cpu.wake_ns: was von den 7,24 µs des Hosts `default` für ein einzelnes I/O übrig bleibt
shipped-assumed-host-desktop-2022-3 = cpu.mirror_lock_ns, cpu.parity_lock_ns: wie beim Host `default`
shipped-assumed-host-desktop-2022-4 = cpu.filesystem_ns: 2006 ns für ext4 bei einem Lesezugriff von 512 Byte (Zhong et al., XRP, OSDI 2022; gelesen in Notizen dazu, schwifty50.medium.com, „notes on ebpf/kernel bypass/storage latency“, die auch 379 ns für bio und 113 für den NVMe-Treiber nennen); für jedes Dateisystem und jeden Takt verwendet
shipped-assumed-host-desktop-2022-5 = der Rest von `cpu`, `memory` und `governor`: wie beim Host `default`
shipped-assumed-host-i7-6700k-no-hwp-1 = cpu.cores: aus dem Datenblatt; zwei Threads eines Kerns zählen als einer
shipped-assumed-host-i7-6700k-no-hwp-2 = clock.transition_us: Was die Firmware acpi-cpufreq angibt, ist nicht bekannt; Intels Mainboards geben 10 an
shipped-assumed-host-i7-6700k-no-hwp-3 = kein `clock.c_states`: Die Platten wurden auf einem Host mit Ruhezuständen gemessen, sodass ihre Zeiten auch die des Aufwachens enthalten
shipped-assumed-host-i7-6700k-no-hwp-4 = alles außer cpu.bio_ns, cpu.completion_ns, uplink.bytes_per_s: wie im Hostprofil `default`
shipped-assumed-host-lab-1 = alles außer cpu.cores, cpu.stripe_ns, cpu.fletcher4_bytes_per_s, cpu.fill_bytes_per_s: wie im Hostprofil `default`
shipped-assumed-host-server-2021-1 = cpu.cores: 64, wie beim größten der Reihe
shipped-assumed-host-server-2021-2 = wie sich 1,83 µs für ein I/O unter vielen auf submit_ns, bio_ns, page_ns und completion_ns verteilen
