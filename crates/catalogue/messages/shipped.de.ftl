# Texts that come with the program. Those of users keep their words.

## Questions of studies.

shipped-study-arrays-of-this-disk = Was gäben zwei, vier und sechs solcher Platten als RAID 0, 1, 10 und 5?
shipped-study-block-size = Wie ändert die Blockgröße, was diese Platte leistet?
shipped-study-buffered = Wie schnell ist gepuffertes sequenzielles I/O auf Arrays, und wie groß sind die Anforderungen an die Mitglieder?
shipped-study-chunk-size = Welche Chunkgröße für vier SATA-SSDs?
shipped-study-compression = Wie viel der Geschwindigkeit kommt von der Kompression?
shipped-study-failed-disk = Eine Platte fällt unter Last aus: Was bleibt vom Durchsatz, und wie lange dauert der Rebuild?
shipped-study-fake-raid = Ist das RAID eines Mainboards langsamer als das von Linux, oder wählt es nur einen anderen Chunk?
shipped-study-flush = Was riskiert man ohne Cache-Flushes, und gibt es einen besseren Weg?
shipped-study-flush-every = Was kostet ein Flush je Sekunde, und was nimmt ein Stromausfall dann mit?
shipped-study-four-ssd-lab = Welche Chunkgröße für vier SATA-SSDs als RAID 10, mit dem echten Treiber?
shipped-study-four-ssd-random = Welche Chunkgröße für vier SATA-SSDs als RAID 10?
shipped-study-fsync = Wie teilen sich Jobs, die jeden Schreibzugriff mit fsync sichern, in Dateisystemen und md die Flushes?
shipped-study-governor = Was verliert ein Array, wenn ein neuer Kernel ändert, was der Governor tut?
shipped-study-governor-passive = Welcher Governor kostet ein Array Geschwindigkeit?
shipped-study-governor-same = Lässt ein wechselnder Takt Gleiches verschieden aussehen?
shipped-study-imsm-or-md = Ist das RAID eines Mainboards (imsm) so gut wie das von Linux (md)?
shipped-study-lab-processor = Wie viel Zeit braucht der Prozessor des Labors für ein I/O, eine Seite, eine Anforderung, eine Schicht und einen Stripe?
shipped-study-mirrored-reads = Von welchen Platten eines gespiegelten Arrays kommen die Lesezugriffe?
shipped-study-pull-plug = Ignorierte Cache-Flushes machen die Datenbank zehnmal so schnell. Was nimmt ein Stromausfall mit?
shipped-study-pull-plug-database = Wie viel verliert eine Datenbank, die nicht auf die Platte wartet, und startet sie danach immer?
shipped-study-pull-plug-filesystems = Welches Dateisystem übersteht einen Stromausfall, mit Flushes und ohne?
shipped-study-raid-level = Welches RAID-Level für vier SSDs: Was leistet, kostet und übersteht jedes?
shipped-study-raid5-settings = Was ändern rmw_level und der Stripe-Cache bei kleinen Schreibzugriffen auf RAID 5?
shipped-study-same-thing-twice = Gibt diese Maschine auf dieselbe Frage dieselbe Antwort?
shipped-study-sync = Was kostet es, jeden Schreibzugriff zu sichern?
shipped-study-sync-every = Sichert ein Sync je Sekunde die Schreibzugriffe eines Gasts?
shipped-study-sync-writes = Welches Dateisystem ist am schnellsten, wenn jeder Schreibzugriff die Platte erreichen muss?
shipped-study-sync-writes-small = Stimmen Labor und Modell bei Schreibzugriffen überein, auf die ein fsync folgt?
shipped-study-system-on-array = Sollte das Betriebssystem eine eigene Platte haben?
shipped-study-this-disk = Wie schnell ist diese Platte allein?
shipped-study-tool-truth = Welches Messprogramm sagt, was eine Anwendung von diesem Array bekommt?
shipped-study-trace = Bedient ein Spiegel diese Aufzeichnung mit geringerer Latenz als eine einzelne Platte?
shipped-study-write-hole = Was nimmt ein Stromausfall mit, wenn mit ihm ein Mitglied des RAID 5 ausfällt?
shipped-study-zfs-scaling = Wie skaliert ein ZFS-Pool aus SSDs mit seinen Platten?

## Workloads.

shipped-workload-as-ssd-4k-64 = AS SSD, 4K-64Thrd
shipped-workload-as-ssd-4k = AS SSD, 4K
shipped-workload-as-ssd-seq = AS SSD, sequenziell
shipped-workload-atto = ATTO Disk Benchmark: sequenziell, 512 Byte bis 8M bei Tiefe 4
shipped-workload-backup = Sicherung: Zwei große Dateien werden von Anfang bis Ende gelesen
shipped-workload-badblocks = badblocks, Lesetest: die Platte von Anfang bis Ende in Schritten von 64K
shipped-workload-bench-sh = bench.sh: dd if=/dev/zero bs=512k count=2048 conv=fdatasync
shipped-workload-cdm-rnd4k-q1t1 = CrystalDiskMark RND4K Q1T1
shipped-workload-cdm-rnd4k-q32t1 = CrystalDiskMark RND4K Q32T1
shipped-workload-cdm-seq1m-q1t1 = CrystalDiskMark SEQ1M Q1T1
shipped-workload-cdm-seq1m-q8t1 = CrystalDiskMark SEQ1M Q8T1
shipped-workload-dd-direct = dd if=/dev/zero bs=1M count=1024 oflag=direct
shipped-workload-dd-fdatasync = dd if=/dev/zero bs=1M count=1024 conv=fdatasync
shipped-workload-f3read = f3read: liest die Dateien von f3write zurück, wenn die Caches geleert sind
shipped-workload-f3write = f3write: füllt ein Laufwerk mit Dateien von 1G, je Sekunde ein fdatasync
shipped-workload-feed-updater-pages = Die Datenbankseiten neben der Aktualisierung einer Webanwendung
shipped-workload-feed-updater = Aktualisierung einer Webanwendung: kleine Transaktionen mit Pausen, Seiten daneben
shipped-workload-fileserver = Dateiserver: zufälliges Lesen und Schreiben von 512 Byte bis 64K, 80 % lesend
shipped-workload-gnome-disks-access = GNOME Disks, Zugriffszeit: zufälliges Lesen einer Seite
shipped-workload-gnome-disks = GNOME Disks, Übertragungsrate: Lesen von je 100M, über die ganze Platte verteilt
shipped-workload-hd-tune-access = HD Tune, zufälliger Zugriff: 512 Byte, 4K, 64K und 1M, einer nach dem anderen
shipped-workload-hd-tune = HD Tune, Lesetest: die Platte von Anfang bis Ende in Blöcken von 64K
shipped-workload-hdparm-t = hdparm -t: gepuffertes sequenzielles Lesen von 2M, wenn die Caches geleert sind
shipped-workload-mail = Mailserver: Lesen von Nachrichten zu 16K, und ein fsync nach jeder geschriebenen
shipped-workload-mysql-in-vm-log = Das Redo-Log von MySQL in einer virtuellen Maschine: ein Flush je Commit
shipped-workload-mysql-in-vm = MySQL in einer virtuellen Maschine: zufällige Seiten zu 16K, das Redo-Log daneben
shipped-workload-oltp-log = Das Log einer Datenbank: ein Schreibzugriff und ein fdatasync je Commit
shipped-workload-oltp = Transaktionen: zufällige Seiten einer Datenbank zu 8K, ihr Log daneben
shipped-workload-phoronix-fio-rand = Phoronix Test Suite, pts/fio: zufällig mit 4K und 2M, Tiefe 64
shipped-workload-phoronix-fio-seq = Phoronix Test Suite, pts/fio: sequenziell mit 4K und 2M, Tiefe 64
shipped-workload-snia-iops = SNIA SSS PTS, IOPS-Test: sieben Mischungen aus acht Blockgrößen, zufällig
shipped-workload-snia-latency = SNIA SSS PTS, Latenztest: ein zufälliges I/O nach dem anderen, 8K bis 512 Byte
shipped-workload-snia-throughput = SNIA SSS PTS, Durchsatztest: sequenziell, 1M und 128K
shipped-workload-system = Das kleine I/O eines Betriebssystems: 4K, meist lesend, eins nach dem anderen
shipped-workload-video-import = Ein neuer Film wird neben den Strömen eines Videoservers geschrieben
shipped-workload-video = Videoserver: 16 sequenzielle Ströme werden gelesen, ein neuer Film daneben geschrieben
shipped-workload-vm-host = Host virtueller Maschinen: acht Gäste mit gemischten Größen, meist 4K und 8K
shipped-workload-yabs = YABS (yabs.sh): zufällig 50/50 mit 4K, 64K, 512K und 1M, Tiefe 64, zwei Jobs

## Profiles of devices.

shipped-device-flash-sata = Eine SATA-SSD mit 500 GB als Dies, Kanäle und Übersetzungsschicht, gefüllt und überschrieben
shipped-device-four-ssd-sata = Eine SATA-SSD mit etwa 500 MB/s: eine der vier einer veröffentlichten RAID-10-Studie
shipped-device-hdd-5400 = Eine Festplatte mit 5400 U/min und 1,5 TB, SATA 3 Gb/s, von etwa 2010
shipped-device-hdd-7200 = Eine Festplatte mit 7200 U/min und 2 TB, SATA 6 Gb/s, als Geräteklasse
shipped-device-hgst-7k4000 = HGST 7K4000 mit 4 TB, 7200 U/min, SATA 6 Gb/s
shipped-device-intel-p4500 = NVMe der Klasse Intel P4500, 2 TB, PCIe 3.0 x4, mit Schutz bei Stromausfall
shipped-device-micron-1100-m2 = Micron 1100 M.2, SATA 6 Gb/s, 3D-TLC-Flash, Klasse mit 256 GB
shipped-device-nvme-ssd = Eine NVMe-SSD mit 1 TB an PCIe 3.0 x4 ohne Schutz bei Stromausfall, als Geräteklasse
shipped-device-samsung-850-evo-500 = Samsung SSD 850 EVO mit 500 GB, SATA 6 Gb/s, 32-lagiger TLC-V-NAND
shipped-device-sata-ssd = Eine SATA-SSD mit 1 TB, als Geräteklasse

## Profiles of hosts.

shipped-host-default = Neuerer Desktop, nicht gemessen
shipped-host-desktop-2022 = Desktop von 2022 mit 16 Kernen, als Geräteklasse
shipped-host-i7-6700k-no-hwp = Intel i7-6700K mit vier SATA-Platten am Mainboard, ohne HWP: Der Kernel stellt den Takt
shipped-host-i7-6700k = Intel i7-6700K mit 4,2 GHz und vier SATA-Platten am Mainboard, der Host einer veröffentlichten RAID-10-Studie
shipped-host-lab = Der Prozessor des Labors: ein Gast in virtueller Zeit, ein Befehl je Nanosekunde, Linux 6.1
shipped-host-server-2021 = Workstation oder Server von 2021 mit 64 Kernen, als Geräteklasse
