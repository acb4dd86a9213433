## Die Regeln von `check`: was nicht stimmt, warum es zählt, was zu tun ist, was dabei geschehen kann, der Rückweg.

rule-md-sync-limit-title = eine Grenze hält Wiederaufbau und Prüfung weit unter der Geschwindigkeit der Platten
rule-md-sync-limit-reason = Ein Array hat keine Redundanz, bis sein Wiederaufbau endet. Die Grenze gilt für jedes Mitglied und ist ohne Einstellung 200 MiB/s: ein Zehntel dessen, was ein NVMe-Laufwerk schreibt.
rule-md-sync-limit-fix = `sysctl dev.raid.speed_limit_max=2000000`, dauerhaft in einer Datei von /etc/sysctl.d; für ein einzelnes Array `echo 2000000 > /sys/block/mdX/md/sync_speed_max`.
rule-md-sync-limit-risk = Ein Wiederaufbau nimmt anderer Arbeit mehr von den Platten; md geht auf `speed_limit_min` zurück, solange andere das Array benutzen.
rule-md-sync-limit-undo = `sysctl dev.raid.speed_limit_max=200000`; `echo system > /sys/block/mdX/md/sync_speed_max`.

rule-md-grown-title = ein Array ist gewachsen, und was darauf liegt, nicht
rule-md-grown-reason = `mdadm --grow` vergrößert das Array und sonst nichts: Das physische Volume, die Verschlüsselung und das Dateisystem brauchen je einen eigenen Befehl.
rule-md-grown-fix = Von unten nach oben: `pvresize /dev/mdX` oder `cryptsetup resize NAME`, `lvextend`, dann `resize2fs DEVICE` oder `xfs_growfs PLACE`.
rule-md-grown-risk = Erst sichern. XFS kann nicht wieder verkleinert werden.
rule-md-grown-undo = ext4: aushängen, `e2fsck -f`, `resize2fs DEVICE SIZE`. XFS: keiner.

rule-md-no-bitmap-title = ein großes Array hat keine Write-Intent-Bitmap
rule-md-no-bitmap-reason = Nach einem Absturz liest md das ganze Array, und ein Mitglied, das eine Minute fehlte, wird vom ersten bis zum letzten Sektor neu aufgebaut. Bis Version 4.3 gab mdadm jedem Array mit Mitgliedern von mehr als 100 GiB eine Bitmap; ab 4.4 fragt es, und Skripte mit `--run` bekommen keine.
rule-md-no-bitmap-fix = `mdadm --grow --bitmap=internal --bitmap-chunk=2G /dev/mdX`; das geht, während das Array benutzt wird.
rule-md-no-bitmap-risk = Kleine zufällige Schreibzugriffe auf Festplatten werden langsamer: `stripewise check --explain md.bitmap-chunk`.
rule-md-no-bitmap-undo = `mdadm --grow --bitmap=none /dev/mdX`.

rule-md-same-batch-title = die Kopien eines Spiegels liegen auf SSDs, die gemeinsam verschleißen
rule-md-same-batch-reason = Ein Spiegel schreibt auf beide dasselbe. Zwei Laufwerke eines Modells und einer Charge mit gleichem Verschleiß kommen in denselben Wochen an ihr Ende, und der Wiederaufbau auf ein drittes ist die größte Last von allen.
rule-md-same-batch-fix = Eines der beiden jetzt ersetzen, durch ein anderes Modell oder eine andere Charge.
rule-md-same-batch-risk = Der Wiederaufbau liest das andere Laufwerk ganz: erst seine SMART-Werte ansehen.
rule-md-same-batch-undo = Nicht nötig.

rule-blk-scheduler-title = ein I/O-Scheduler passt nicht zu seiner Platte
rule-blk-scheduler-reason = Die Reihenfolge von I/Os zählt für Köpfe. Auf einem NVMe-Laufwerk kostet sie Prozessorzeit, auf einer virtuellen Platte zweimal.
rule-blk-scheduler-fix = mq-deadline für Festplatten, none für NVMe und virtuelle Platten, mit einer udev-Regel.
rule-blk-scheduler-risk = Gering: vorher und nachher messen.
rule-blk-scheduler-undo = Den alten Namen wieder hineinschreiben.

rule-blk-readahead-title = das Vorauslesen erreicht nicht alle Platten eines Arrays
rule-blk-readahead-reason = Wer sequenziell liest und weniger als zwei volle Streifen vorausliest, beschäftigt immer nur eine Platte. Ein Volume auf einem Array hat ein eigenes Vorauslesen, und das oberste zählt.
rule-blk-readahead-fix = `echo KIB > /sys/block/mdX/queue/read_ahead_kb`, mit einer udev-Regel.
rule-blk-readahead-risk = Zufällige Arbeit liest, was sie nicht braucht.
rule-blk-readahead-undo = Die alte Zahl wieder hineinschreiben.

rule-grub-distributor-title = das Startmenü zeigt einen festen Namen einer Version
rule-grub-distributor-reason = Das Menü zeigt nach dem Upgrade die alte Version. Auf EFI leitet grub-install das Verzeichnis daraus ab.
rule-grub-distributor-fix = GRUB_DISTRIBUTOR=`. /etc/os-release; echo ${"{"}NAME:-Debian{"}"}` in /etc/default/grub, dann `update-grub`.
rule-grub-distributor-risk = Auf EFI entsteht ein zweiter Starteintrag: `efibootmgr` ansehen.
rule-grub-distributor-undo = Die alte Zeile zurückschreiben und `update-grub` ausführen.

rule-grub-all-members-title = nicht jede Platte des Start-Arrays kann starten
rule-grub-all-members-reason = Der Host startet nicht, wenn die eine Platte mit Startcode ausfällt. Das Upgrade von grub-pc scheitert an einer Platte, die fort ist.
rule-grub-all-members-fix = `dpkg-reconfigure grub-pc`, und alle Mitglieder auswählen.
rule-grub-all-members-risk = Startcode auf der falschen Platte.
rule-grub-all-members-undo = `dpkg-reconfigure grub-pc` mit den alten Platten.

rule-boot-space-title = /boot hat keinen Platz für zwei weitere Kernel
rule-boot-space-reason = Das Upgrade des Kernels bleibt auf halbem Weg stehen, mit einem Kernel und ohne initramfs.
rule-boot-space-fix = `apt-get autoremove`: Es behält den laufenden Kernel und den neuesten.
rule-boot-space-risk = Den laufenden Kernel nicht entfernen.
rule-boot-space-undo = Das Kernelpaket wieder installieren.

rule-fstab-names-title = ein Einhängen hängt von einem Namen oder Gerät ab, das fehlen kann
rule-fstab-names-reason = Namen wie /dev/sda hängen davon ab, in welcher Reihenfolge Platten antworten. Der Start wartet 90 s auf ein Gerät, das fehlt, und endet im Notfallmodus.
rule-fstab-names-fix = `UUID=` aus `blkid`, und `nofail` für alles, was der Start nicht braucht.
rule-fstab-names-risk = Eine falsche UUID hält den Start auf.
rule-fstab-names-undo = Die alte Zeile zurückschreiben.

rule-grub-elevator-stale-title = ein Kernelparameter für I/O-Scheduler wirkt nicht
rule-grub-elevator-stale-reason = Die Blockschicht mit einer einzigen Warteschlange gibt es seit Linux 5.0 nicht mehr, und ihre Parameter auch nicht: Die Einstellung verschwand ohne ein Wort.
rule-grub-elevator-stale-fix = Eine udev-Regel für queue/scheduler, und den Parameter entfernen.
rule-grub-elevator-stale-risk = Keines.
rule-grub-elevator-stale-undo = Den Parameter zurückschreiben.

rule-boot-modules-gone-title = die Module des laufenden Kernels wurden entfernt
rule-boot-modules-gone-reason = Kein weiteres Modul kann geladen werden: Ein Dateisystem, ein Gerät oder eine Firewallregel, die eines braucht, scheitert bis zum Neustart.
rule-boot-modules-gone-fix = Mit dem installierten Kernel neu starten.
rule-boot-modules-gone-risk = Erst nachsehen, ob der neue Kernel ein initramfs hat.
rule-boot-modules-gone-undo = Das Paket des laufenden Kernels wieder installieren.

rule-boot-reboot-pending-title = ein Upgrade wartet auf einen Neustart
rule-boot-reboot-pending-reason = Auf dem Host läuft ein Kernel oder eine Bibliothek, die ein Upgrade ersetzt hat, oft aus Gründen der Sicherheit.
rule-boot-reboot-pending-fix = Neu starten.
rule-boot-reboot-pending-risk = Erst die anderen Regeln prüfen: Sie sagen, was bei einem Neustart bricht.
rule-boot-reboot-pending-undo = Nicht nötig.

rule-wc-flush-off-title = der Kernel schickt einem Laufwerk, das Schreibzugriffe puffert, keine Flushes
rule-wc-flush-off-reason = Mit `write through` in der Warteschlange verwirft der Kernel jeden Flush. Was noch im Cache des Laufwerks liegt, geht bei einem Stromausfall verloren, obwohl fsync zurückkam.
rule-wc-flush-off-fix = `echo "write back" > /sys/block/sdX/queue/write_cache`, und die udev-Regel entfernen, die es setzt.
rule-wc-flush-off-risk = Arbeit mit vielen fsyncs bekommt ihre wahre, langsamere Geschwindigkeit zurück. Ein Laufwerk mit Schutz gegen Stromausfall verliert in keinem Fall etwas.
rule-wc-flush-off-undo = `echo "write through"` in dieselbe Datei.

rule-ups-missing-for-risk-title = eine Einstellung, die bei Stromausfall Daten verliert, und keine USV
rule-ups-missing-for-risk-reason = Irgendwo sind Flushes abgeschaltet, und nichts fährt den Host herunter, wenn das Netz ausfällt. Eine USV hilft gegen den Ausfall des Netzes, nicht gegen eine Kernel-Panik, ein defektes Netzteil oder einen gezogenen Stecker.
rule-ups-missing-for-risk-fix = Flushes wieder einschalten, oder NUT oder apcupsd mit Herunterfahren einrichten und einmal erproben.
rule-ups-missing-for-risk-risk = Ein Herunterfahren, das niemand erprobt hat, schaltet den Strom unter Last ab.
rule-ups-missing-for-risk-undo = nut-monitor oder apcupsd anhalten.

rule-monitor-deaf-title = niemand erfährt von einer ausgefallenen Platte
rule-monitor-deaf-reason = Ein Array ohne Überwachung läuft unvollständig, bis die nächste Platte ausfällt.
rule-monitor-deaf-fix = mdmonitor und smartd einschalten, MAILADDR setzen, ein Mailprogramm installieren und eine Probe schicken: `mdadm --monitor --scan --test --oneshot`.
rule-monitor-deaf-risk = Keines.
rule-monitor-deaf-undo = `systemctl disable --now mdmonitor smartd`.

rule-cpu-clock-title = der Takt der Prozessoren folgt der Last, oder ihr Governor hat gewechselt
rule-cpu-clock-reason = `powersave` mit intel_pstate oder amd-pstate im aktiven Modus ist der normale Governor und hebt den Takt mit der Last. Arbeit, die meist auf Platten wartet, sieht nach wenig Last aus; darum ist ein Array langsamer als unter `performance`. Ein Kernel-Upgrade kann den Treiber oder den Governor wechseln, ohne es zu sagen.
rule-cpu-clock-fix = Mit `performance` messen: in jedes /sys/devices/system/cpu/cpufreq/*/scaling_governor schreiben und, wenn es hilft, mit `cpufreq.default_governor=performance` auf der Kernelzeile behalten.
rule-cpu-clock-risk = Strom und Wärme.
rule-cpu-clock-undo = Das alte Wort zurückschreiben und den Parameter entfernen.

rule-raid-cache-battery-title = ein RAID-Controller puffert Schreibzugriffe ohne gesunde Batterie
rule-raid-cache-battery-reason = Der Controller beantwortet einen Flush aus seinem eigenen Speicher. Ohne Batterie oder Kondensator nimmt ein Stromausfall mit, was dort liegt: Datenbanken und Dateisystem verlieren, was ihnen zugesagt war.
rule-raid-cache-battery-fix = Die Batterie ersetzen. Bis dahin `storcli64 /cX/vall set wrcache=wt` oder `ssacli controller slot=N modify nobatterywritecache=disable`.
rule-raid-cache-battery-risk = Ohne den Cache sind Schreibzugriffe so langsam wie die Platten.
rule-raid-cache-battery-undo = `storcli64 /cX/vall set wrcache=wb`; `ssacli controller slot=N modify nobatterywritecache=enable`.

rule-raid-hidden-disk-title = eine Platte hinter einem RAID-Controller ist ausgefallen oder hat Fehler, die der Kernel nicht sieht
rule-raid-hidden-disk-reason = Der Kernel sieht das Volume des Controllers, und smartd fragt ohne `-d` das Volume. Die Platten dahinter fallen eine nach der anderen aus, und die erste Nachricht davon ist ein ausgefallenes Volume.
rule-raid-hidden-disk-fix = Die Platte ersetzen; und jede in smartd.conf nennen: `/dev/bus/0 -d megaraid,8 -a -m root`.
rule-raid-hidden-disk-risk = Der Wiederaufbau liest alle anderen Platten.
rule-raid-hidden-disk-undo = Nicht nötig.

rule-db-durability-title = ein Absturz kann eine Datenbank beschädigen oder ihre letzten Commits verlieren
rule-db-durability-reason = `fsync=off`, `full_page_writes=off` und ein abgeschalteter Doublewrite-Puffer können Seiten hinterlassen, die halb alt und halb neu sind. `synchronous_commit=off` und `innodb_flush_log_at_trx_commit` 0 oder 2 verlieren etwa eine Sekunde und sonst nichts.
rule-db-durability-fix = Die Einstellungen der ersten Gruppe wieder einschalten. Sind Commits zu langsam, stattdessen `synchronous_commit` lockern oder `innodb_flush_log_at_trx_commit=2` setzen.
rule-db-durability-risk = Langsamere Commits.
rule-db-durability-undo = Den alten Wert zurückschreiben und den Server neu laden.

rule-mariadb-upgrade-title = die Systemtabellen sind die eines älteren MariaDB
rule-mariadb-upgrade-reason = Rechte, Ereignisse und Statistiken versagen auf seltsame Weise, bis `mariadb-upgrade` gelaufen ist.
rule-mariadb-upgrade-fix = Einen Dump ziehen, dann `mariadb-upgrade`.
rule-mariadb-upgrade-risk = Es prüft alle Tabellen, und das dauert lange.
rule-mariadb-upgrade-undo = Den Dump wieder einspielen.

rule-pg-collation-title = Textindizes wurden von einer anderen C-Bibliothek sortiert, oder ein alter Cluster ist übrig
rule-pg-collation-reason = Eine neue glibc sortiert anders, und Indizes über Text finden dann Zeilen nicht.
rule-pg-collation-fix = `REINDEX DATABASE`, dann `ALTER DATABASE name REFRESH COLLATION VERSION`.
rule-pg-collation-risk = Lange Sperren.
rule-pg-collation-undo = Nicht nötig.

rule-pg-no-binaries-title = ein PostgreSQL-Cluster hat keinen Server seiner Version
rule-pg-no-binaries-reason = Das Upgrade brachte eine neue Version und entfernte die alte: Der Cluster startet nicht, und seine Daten sind nicht im neuen Cluster.
rule-pg-no-binaries-fix = Das alte Serverpaket wieder installieren, dann `pg_upgradecluster VERSION CLUSTER`.
rule-pg-no-binaries-risk = Das Upgrade braucht Platz für eine zweite Kopie.
rule-pg-no-binaries-undo = `pg_dropcluster` für den neuen Cluster; der alte bleibt, bis Sie ihn entfernen.

rule-db-hdd-defaults-title = MariaDB läuft mit dem voreingestellten Bufferpool oder mit SSD-Einstellungen auf einer Festplatte
rule-db-hdd-defaults-reason = Mit 128 MiB Bufferpool liest die Platte, was im Speicher Platz hätte. Benachbarte Seiten gemeinsam zu schreiben, spart auf einer Festplatte Kopfbewegungen.
rule-db-hdd-defaults-fix = Erst den Bufferpool, dann die Größe des Logs.
rule-db-hdd-defaults-risk = Speicher, der dann anderen Programmen fehlt.
rule-db-hdd-defaults-undo = Die alten Werte zurückschreiben und neu starten.

rule-mnt-nobarrier-title = ein Dateisystem ist ohne Barrieren eingehängt
rule-mnt-nobarrier-reason = Das Dateisystem schickt der Platte keinen Flush. Nach einem Stromausfall können sich sein Journal und seine Daten widersprechen, obwohl fsync zurückkam.
rule-mnt-nobarrier-fix = `nobarrier` oder `barrier=0` aus /etc/fstab entfernen und neu einhängen.
rule-mnt-nobarrier-risk = fsync bekommt seine wahre, langsamere Geschwindigkeit zurück.
rule-mnt-nobarrier-undo = `mount -o remount,barrier=0` (ext4).

rule-mnt-writeback-title = ein ext4-Dateisystem führt sein Journal mit data=writeback
rule-mnt-writeback-reason = Nach einem Absturz kann eine Datei alte Blöcke anderer Dateien enthalten: Daten werden nicht vor den Metadaten geschrieben, die auf sie zeigen.
rule-mnt-writeback-fix = `data=ordered` in /etc/fstab, oder `tune2fs -o journal_data_ordered`, und neu einhängen.
rule-mnt-writeback-risk = Langsamer bei starker Last auf Metadaten.
rule-mnt-writeback-undo = `data=writeback` in /etc/fstab.

rule-fs-ext4-errors-title = ein ext4-Dateisystem hat Fehler vermerkt
rule-fs-ext4-errors-reason = Der Kernel fand widersprüchliche Metadaten und zählt weiter, bis eine Prüfung den Zähler zurücksetzt. Er schreibt weiter, außer das Dateisystem ist mit `errors=remount-ro` eingehängt.
rule-fs-ext4-errors-fix = Sichern, aushängen, `e2fsck -f`.
rule-fs-ext4-errors-risk = e2fsck kann Dateien nach lost+found verschieben.
rule-fs-ext4-errors-undo = Keiner; aus der Sicherung zurückspielen.

rule-fs-read-only-title = ein Dateisystem, das beschreibbar sein soll, ist nur lesbar
rule-fs-read-only-reason = fstab hängt es zum Schreiben ein. Der Kernel macht ein Dateisystem nur lesbar, wenn er einen Fehler darin findet oder seine Platte versagt.
rule-fs-read-only-fix = Das Kernellog lesen, die Platte prüfen, dann das Dateisystem.
rule-fs-read-only-risk = `mount -o remount,rw` ohne Prüfung kann den Schaden vergrößern.
rule-fs-read-only-undo = `mount -o remount,ro`.

rule-fs-btrfs-errors-title = btrfs hat Fehler eines Geräts gezählt
rule-fs-btrfs-errors-reason = Die Zähler bleiben, bis ein Administrator sie zurücksetzt: Fehler beim Lesen, Schreiben und Flush, Prüfsummen, die nicht stimmen, und alte Generationen.
rule-fs-btrfs-errors-fix = `btrfs scrub start`, das Kernellog lesen und das Gerät ersetzen, wenn die Zähler wachsen; dann `btrfs device stats --reset`.
rule-fs-btrfs-errors-risk = Ein Scrub von Daten mit einer einzigen Kopie meldet Dateien, die er nicht reparieren kann.
rule-fs-btrfs-errors-undo = Keiner.

rule-fs-full-title = ein Dateisystem ist fast voll
rule-fs-full-reason = Datenbanken halten an, wenn sie nicht schreiben können. In einem fast vollen Dateisystem ist das Belegen langsam, und Dateien werden zerstückelt.
rule-fs-full-fix = Dateien entfernen oder das Dateisystem vergrößern.
rule-fs-full-risk = Keines.
rule-fs-full-undo = Nicht nötig.

rule-mnt-nobarrier-stale-title = fstab hängt XFS mit einer Option ein, die es nicht mehr gibt
rule-mnt-nobarrier-stale-reason = Linux 4.19 hat `barrier` und `nobarrier` aus XFS entfernt: Das Einhängen scheitert nach dem Upgrade.
rule-mnt-nobarrier-stale-fix = Die Option aus /etc/fstab entfernen.
rule-mnt-nobarrier-stale-risk = Keines: XFS schickt seither immer Barrieren.
rule-mnt-nobarrier-stale-undo = Die Option zurückschreiben.

rule-ssd-trim-title = eine SSD erfährt nie, welche Blöcke frei sind
rule-ssd-trim-reason = Die Schreibgeschwindigkeit fällt, wenn das Laufwerk keine freien Blöcke findet. Weder ein Timer noch die Einhängeoption gibt Blöcke frei, oder eine Schicht dazwischen reicht Discards nicht weiter.
rule-ssd-trim-fix = `systemctl enable --now fstrim.timer`. Wo eine Schicht Discards beendet: `stripewise check --explain ssd.discard-path`.
rule-ssd-trim-risk = Mit LUKS zeigen Discards, welche Blöcke benutzt sind. Mit RAID 5 oder 6 auf Platten, die nach einem Discard keine Nullen liefern, wird die Parität falsch.
rule-ssd-trim-undo = `systemctl disable --now fstrim.timer`.

rule-fs-stripe-title = ext4 kennt die Streifen seines Arrays nicht
rule-fs-stripe-reason = Das Belegen achtet nicht auf Chunks und volle Streifen; darum liest ein RAID 5 oder 6 öfter, bevor es schreibt.
rule-fs-stripe-fix = `tune2fs -E stride=CHUNK/BLOCK,stripe_width=STRIPE/BLOCK /dev/mdX`.
rule-fs-stripe-risk = Gering: Nur neue Dateien werden anders gelegt.
rule-fs-stripe-undo = `tune2fs` mit den alten Werten.

rule-ups-not-running-title = eine USV ist eingerichtet, und kein Programm beobachtet sie
rule-ups-not-running-reason = Die Batterie geht zu Ende, und der Host bleibt stehen, als gäbe es keine USV. Ein Array mit Parität, aber ohne Journal oder Partial Parity Log hat dann das Write Hole, obwohl andere Regeln die USV zählen.
rule-ups-not-running-fix = `systemctl enable --now nut-monitor` oder `apcupsd`, und das Herunterfahren einmal erproben.
rule-ups-not-running-risk = Ein Herunterfahren, das niemand erprobt hat, schaltet den Strom unter Last ab.
rule-ups-not-running-undo = `systemctl disable --now nut-monitor` oder `apcupsd`.

rule-lvm-thin-stuck-title = ein Thin-Pool soll von selbst wachsen und kann es nicht
rule-lvm-thin-stuck-reason = lvm.conf lässt Thin-Pools wachsen, aber dmeventd überwacht diesen nicht, oder seine Volumegruppe hat keinen Platz für einen Schritt. Ein voller Pool macht aus Schreibzugriffen Fehler.
rule-lvm-thin-stuck-fix = `lvchange --monitor y VG/POOL` und `systemctl enable --now lvm2-monitor`; oder `vgextend VG DEVICE`.
rule-lvm-thin-stuck-risk = Keines.
rule-lvm-thin-stuck-undo = `lvchange --monitor n VG/POOL`; `vgreduce VG DEVICE`.

rule-boot-esp-one-disk-title = nur eine Platte des Startspiegels hat eine EFI-Systempartition
rule-boot-esp-one-disk-reason = Die Firmware liest den Bootloader aus dieser Partition und weiß nichts von Arrays. Fällt ihre Platte aus, sind alle Daten da, und der Host startet nicht.
rule-boot-esp-one-disk-fix = Auf einem anderen Mitglied eine Partition vom Typ EF00 anlegen, /boot/efi dorthin kopieren und der Firmware bekannt machen: `efibootmgr --create --disk /dev/sdY --part N --loader '\EFI\debian\shimx64.efi'`. Nach jedem Upgrade von GRUB erneut kopieren.
rule-boot-esp-one-disk-risk = Eine falsche Partitionsnummer: vorher mit `lsblk` nachsehen.
rule-boot-esp-one-disk-undo = `efibootmgr --bootnum NNNN --delete-bootnum`, und die Partition entfernen.

rule-boot-initramfs-stale-title = das initramfs eines anderen installierten Kernels ist älter als mdadm.conf
rule-boot-initramfs-stale-reason = mdadm.conf-stale betrachtet den laufenden Kernel. Der nächste Start nimmt den neuesten, und wenn der scheitert, wählen Sie einen alten; sein initramfs setzt dann die Arrays einer alten mdadm.conf zusammen.
rule-boot-initramfs-stale-fix = `update-initramfs -u -k all` oder `dracut --regenerate-all --force`.
rule-boot-initramfs-stale-risk = Eine falsche mdadm.conf steckt dann in allen: erst mit `mdadm --detail --scan` prüfen.
rule-boot-initramfs-stale-undo = Die alte mdadm.conf zurücklegen und denselben Befehl ausführen.

rule-disk-link-title = eine Platte hängt an einer langsameren Verbindung, als sie könnte, oder als die anderen Mitglieder ihres Arrays
rule-disk-link-reason = 3 Gb/s sind die Hälfte dessen, was eine SATA-SSD leistet, und der Kernel begnügt sich nach Fehlern ohne ein Wort damit. Ein Array schreibt, prüft und baut so schnell wieder auf wie sein langsamstes Mitglied.
rule-disk-link-fix = Die Platte an einen anderen Anschluss setzen, das Kabel ersetzen, das Laufwerk neu einsetzen; dann im Kernellog nach Resets der Verbindung sehen.
rule-disk-link-risk = Ausfallzeit, und ein unvollständiges Array, während ein Mitglied umgesetzt wird.
rule-disk-link-undo = Nicht nötig.

rule-lvm-thin-full-title = ein Thin-Pool ist fast voll oder wächst nicht
rule-lvm-thin-full-reason = Ein voller Pool macht aus Schreibzugriffen Fehler und kann die letzten verlieren.
rule-lvm-thin-full-fix = `thin_pool_autoextend_threshold = 80` und `thin_pool_autoextend_percent = 20` in lvm.conf, und Überwachung einschalten.
rule-lvm-thin-full-risk = Die Volumegruppe muss freie Extents haben.
rule-lvm-thin-full-undo = Wieder 100 eintragen.

rule-lvm-snapshot-full-title = ein Snapshot ist fast voll
rule-lvm-snapshot-full-reason = Ein voller klassischer Snapshot wird ungültig, und alles darauf ist verloren.
rule-lvm-snapshot-full-fix = Mit `lvextend` vergrößern oder entfernen.
rule-lvm-snapshot-full-risk = Keines.
rule-lvm-snapshot-full-undo = Nicht nötig.

rule-lvm-conf-stale-title = lvm.conf hat Einstellungen eines älteren LVM oder anderer Platten
rule-lvm-conf-stale-reason = LVM 2.03 hat kein lvmetad und übergeht dessen Einstellung. Ein Filter mit Namen wie /dev/sda versteckt ein physisches Volume, wenn sich die Namen ändern.
rule-lvm-conf-stale-fix = Die neue lvm.conf nehmen und nur die eigenen Abweichungen übertragen; Filter mit /dev/disk/by-id schreiben.
rule-lvm-conf-stale-risk = Ein falscher Filter versteckt das Volume des Wurzeldateisystems: das initramfs neu bauen und das alte behalten.
rule-lvm-conf-stale-undo = Die alte Datei zurücklegen.

rule-lvm-align-title = Daten beginnen nicht an einem vollen Streifen oder physischen Block
rule-lvm-align-reason = Jeder ausgerichtete Schreibzugriff berührt zwei Streifen oder zwei physische Blöcke und liest darum, bevor er schreibt.
rule-lvm-align-fix = Nur durch Neuanlegen: `pvmove` auf ein ausgerichtetes Volume.
rule-lvm-align-risk = Alle Daten werden verschoben.
rule-lvm-align-undo = Keiner.

rule-md-degraded-title = ein md-Array läuft ohne alle seine Mitglieder
rule-md-degraded-reason = Ein RAID 5, dem eine Platte fehlt, hat keine Redundanz und errechnet jeden Lesezugriff auf diese Platte aus allen anderen.
rule-md-degraded-fix = Erst die SMART-Werte der übrigen Mitglieder lesen, dann `mdadm /dev/mdX --add /dev/sdY`.
rule-md-degraded-risk = Der Wiederaufbau liest jeden Sektor jeder anderen Platte; ein zweiter defekter Sektor ist das Ende des Arrays.
rule-md-degraded-undo = `mdadm --fail` und `mdadm --remove` für die hinzugefügte Platte.

rule-md-frozen-title = ein Array wird am Wiederaufbau, am Wachsen und am Scrub gehindert
rule-md-frozen-reason = Solange `sync_action` auf `frozen` steht, beginnt md keinen Wiederaufbau, auch nicht mit einer Reserveplatte, keinen Umbau und keinen Scrub. mdadm friert ein Array ein, während es das Array ändert; wird mdadm dabei beendet, bleibt das Array eingefroren.
rule-md-frozen-fix = Wenn kein mdadm arbeitet (`pgrep -a mdadm`): `echo idle > /sys/block/mdX/md/sync_action`. md beginnt dann, was fällig ist.
rule-md-frozen-risk = Ein Wiederaufbau liest jeden Sektor der anderen Mitglieder; ein unterbrochenes Wachsen braucht vielleicht erst seine Sicherungsdatei (`mdadm --grow --continue`).
rule-md-frozen-undo = `echo frozen > /sys/block/mdX/md/sync_action`.

rule-md-bad-blocks-title = md führt eine Liste von Blöcken, die ein Mitglied verloren hat
rule-md-bad-blocks-reason = md setzt einen Block auf die Liste, statt das Mitglied auszuschließen, wenn weder Lesen noch Wiederaufbau seine Daten lieferte oder ein Schreibzugriff darauf scheiterte. Das Mitglied gilt als gesund, aber diese Blöcke haben eine Kopie weniger; Blöcke, die auf der Liste jeder Kopie stehen, sind nicht lesbar, und ein Wiederaufbau überträgt die Lücke in die Liste der neuen Platte.
rule-md-bad-blocks-fix = Das Mitglied ersetzen, solange das Array die Daten noch anderswo hat: `mdadm /dev/mdX --add-spare /dev/sdNEW`, dann `mdadm /dev/mdX --replace /dev/sdOLD`. Nennen zwei Mitglieder dieselben Sektoren, deren Dateien suchen und aus einer Sicherung zurückspielen: Ein Block verlässt die Liste, wenn er geschrieben wird.
rule-md-bad-blocks-risk = Die Kopie liest die anderen Mitglieder, wo das alte Lücken hat. `--update=force-no-bbl` vergisst nur die Liste: Was sie nannte, wird dann als falsche Daten gelesen.
rule-md-bad-blocks-undo = Die ersetzte Platte behalten, bis das Array geprüft ist.

rule-md-mismatch-title = Parität oder Kopien eines Arrays passen nicht zu seinen Daten
rule-md-mismatch-reason = Auf einem sauberen RAID 5 oder 6 bedeutet eine Abweichung: Speicher, Kabel, Controller oder ein Halt ohne sauberes Herunterfahren. Auf RAID 1 und 10 entstehen Abweichungen auch durch Swap und durch Seiten, die sich während des Schreibens ändern. md zählt Sektoren ganzer I/Os: 128 ist eine Prüfung von 64 KiB.
rule-md-mismatch-fix = Speicher und Kabel prüfen, dann `echo repair > /sys/block/mdX/md/sync_action`.
rule-md-mismatch-risk = `repair` errechnet die Parität neu aus den Daten; ein falscher Datenblock wird damit endgültig: erst sichern.
rule-md-mismatch-undo = Keiner: Eine Reparatur überschreibt die alte Parität.

rule-md-write-hole-title = ein Stromausfall kann falsche Parität hinterlassen
rule-md-write-hole-reason = Ein Stromausfall zwischen dem Schreiben der Daten und dem der Parität hinterlässt falsche Parität, und eine Platte, die vor dem Ende des Resyncs ausfällt, wird daraus aufgebaut. Nur ein Journal oder ein Partial Parity Log schließt diese Lücke.
rule-md-write-hole-fix = `mdadm --grow --consistency-policy=ppl /dev/mdX` (nur RAID 5) oder ein Schreibjournal: `mdadm --manage /dev/mdX --add-journal`; oder eine USV, die den Host herunterfährt.
rule-md-write-hole-risk = Ein Partial Parity Log kostet Schreibgeschwindigkeit und schließt eine Bitmap aus. Ein Array, dessen Journal ausfällt, wird nur lesbar.
rule-md-write-hole-undo = `mdadm --grow --consistency-policy=resync /dev/mdX`.

rule-md-erc-timeout-title = der Kernel gibt ein Mitglied auf, bevor die Platte aufgibt
rule-md-erc-timeout-reason = Eine Desktop-Platte versucht es bei einem defekten Sektor minutenlang. Der Kernel setzt sie nach 30 s zurück, und md nimmt sie aus dem Array.
rule-md-erc-timeout-fix = `smartctl -l scterc,70,70 /dev/sdX` bei jedem Start; hat die Platte diese Einstellung nicht, `echo 180 > /sys/block/sdX/device/timeout`.
rule-md-erc-timeout-risk = 180 s bedeuten langen Stillstand. Begrenzte Fehlerkorrektur auf einer Platte ohne Redundanz gibt früher auf.
rule-md-erc-timeout-undo = `smartctl -l scterc,0,0 /dev/sdX`, oder 30 in die Datei.

rule-mdadm-conf-stale-title = mdadm.conf kennt ein laufendes Array nicht
rule-mdadm-conf-stale-reason = Nach dem nächsten Start heißt das Array md127, und fstab oder Filter von LVM finden es nicht.
rule-mdadm-conf-stale-fix = `mdadm --detail --scan`, die fehlenden Zeilen in mdadm.conf übernehmen, und `update-initramfs -u`.
rule-mdadm-conf-stale-risk = Eine falsche ARRAY-Zeile hält den Start auf: das alte initramfs behalten.
rule-mdadm-conf-stale-undo = Die alte Datei zurücklegen und `update-initramfs -u` ausführen.

rule-md-no-scrub-title = nichts liest das ganze Array von Zeit zu Zeit
rule-md-no-scrub-reason = Ein defekter Sektor an einer Stelle, die niemand liest, fällt erst auf, wenn ein Wiederaufbau ihn braucht, und dann gibt es keine Kopie mehr.
rule-md-no-scrub-fix = `systemctl enable --now mdcheck_start.timer mdcheck_continue.timer`, oder `AUTOCHECK=true` in /etc/default/mdadm lassen.
rule-md-no-scrub-risk = Eine Prüfung liest stundenlang alle Platten; md bremst sie, solange andere das Array benutzen.
rule-md-no-scrub-undo = `systemctl disable --now mdcheck_start.timer`.

rule-md-raid0-layout-title = ein RAID 0 aus ungleichen Platten startet nach einem Neustart vielleicht nicht
rule-md-raid0-layout-reason = Linux 3.14 hat geändert, wo die Daten eines solchen Arrays liegen. Ab 5.4 rät der Kernel nicht mehr: Ohne Layout im Superblock oder eine Vorgabe startet das Array nicht.
rule-md-raid0-layout-fix = Herausfinden, unter welchem Kernel das Array gefüllt wurde, dann `raid0.default_layout=2` (ab 3.14) oder `1` auf die Kernelzeile setzen.
rule-md-raid0-layout-risk = Das falsche Layout zeigt hinter dem Ende der kleinsten Platte falsche Daten: Dateien prüfen, bevor Sie schreiben.
rule-md-raid0-layout-undo = Das Wort von der Kernelzeile entfernen.

rule-md-metadata-old-title = ein Array hat einen Superblock der Version 0.90
rule-md-metadata-old-reason = Version 0.90 steht am Ende eines Geräts und sagt nicht, ob sie zur Platte oder zu deren letzter Partition gehört. Sie ist auf 28 Geräte begrenzt, mit älteren Kerneln auch auf 2 TB je Gerät.
rule-md-metadata-old-fix = `mdadm --stop /dev/mdX`, dann macht `mdadm --assemble --update=metadata /dev/mdX ...` daraus Version 1.0.
rule-md-metadata-old-risk = Bootloader und initramfs müssen das Array unter der neuen Version finden.
rule-md-metadata-old-undo = Keiner: 1.0 lässt sich nicht zurückwandeln.

rule-md-stripe-cache-title = der Stripe-Cache hat seine voreingestellte Größe
rule-md-stripe-cache-reason = Mit wenigen Streifen im Speicher kann md sequenzielle Schreibzugriffe nicht zu vollen Streifen sammeln und liest erst alte Daten oder Parität. Zufällige Schreibzugriffe gewinnen wenig.
rule-md-stripe-cache-fix = `echo 4096 > /sys/block/mdX/md/stripe_cache_size`, dauerhaft in einer udev-Regel.
rule-md-stripe-cache-risk = Speicher: Größe x 4 KiB x Platten; 8192 mit 3 Platten belegen also 96 MiB.
rule-md-stripe-cache-undo = `echo 256 > /sys/block/mdX/md/stripe_cache_size`.

rule-md-bitmap-chunk-title = eine Write-Intent-Bitmap bremst zufälliges Schreiben auf Festplatten
rule-md-bitmap-chunk-reason = Der erste Schreibzugriff in jeden Bereich bewegt die Köpfe zur Bitmap und zurück. Bei vielen kleinen Bereichen sind die meisten zufälligen Schreibzugriffe ein erster.
rule-md-bitmap-chunk-fix = `mdadm --grow --bitmap=none /dev/mdX`, dann `mdadm --grow --bitmap=internal --bitmap-chunk=2G /dev/mdX`; `check` simuliert, was das bringt.
rule-md-bitmap-chunk-risk = Auf einen Absturz folgt ein längerer Resync: über jeden Bereich, in den geschrieben wurde. Während die Bitmap ersetzt wird, gibt es keine.
rule-md-bitmap-chunk-undo = Dieselben Befehle mit dem alten Chunk.

rule-nvme-worn-title = ein NVMe-Laufwerk hat mehr geschrieben als zugesagt oder meldet Fehler seines Flash
rule-nvme-worn-reason = Bei 100 % hat ein Laufwerk so viel geschrieben, wie sein Hersteller zusagt. Ein Medienfehler ist ein Block, den das Laufwerk nicht lesen konnte. Manche Laufwerke werden nur lesbar, wenn ihre Reserveblöcke enden.
rule-nvme-worn-fix = Die Daten kopieren, dann das Laufwerk ersetzen; in einem Spiegel eines nach dem anderen.
rule-nvme-worn-risk = Der Wiederaufbau liest das andere Laufwerk ganz.
rule-nvme-worn-undo = Nicht nötig.

rule-db-volatile-cache-title = eine Datenbank liegt auf einem Laufwerk mit flüchtigem Schreibcache
rule-db-volatile-cache-reason = Jeder Commit wartet, bis das Laufwerk seinen Cache geleert hat; auf Flash ohne Schutz gegen Stromausfall dauert das Millisekunden. Daten sind nur in Gefahr, wenn Flushes nicht ankommen: wc.flush-off, mnt.nobarrier, vm.cache-unsafe.
rule-db-volatile-cache-fix = Ein Laufwerk mit Schutz gegen Stromausfall: Die meisten melden keinen flüchtigen Cache und beantworten einen Flush sofort.
rule-db-volatile-cache-risk = Keines: Das ist kein Fehler.
rule-db-volatile-cache-undo = Nicht nötig.

rule-ssd-discard-path-title = Discards enden auf dem Weg zu einer SSD
rule-ssd-discard-path-reason = Das Laufwerk nimmt sie an, und ein Controller, eine Bridge, eine Verschlüsselung oder ein Array reicht sie nicht weiter. Das Laufwerk kopiert dann Blöcke, die keine Datei mehr hat, und Schreibzugriffe werden langsamer. RAID 4, 5 und 6 lehnen Discards ab, wenn ihrem Modul nicht gesagt wurde, dass sie sicher sind; seit Linux 7.2 nehmen sie sie trotzdem an und verwerfen sie, sodass `fstrim` Erfolg meldet.
rule-ssd-discard-path-fix = Verschlüsselung: `discard` in crypttab, dann `cryptsetup refresh`. RAID 4, 5 und 6: `raid456.devices_handle_discard_safely=Y`, nur wenn alle Laufwerke nach einem Discard Nullen liefern; md liest ihn, wenn das Array startet. Controller oder Bridge: ein anderer, oder HBA-Modus.
rule-ssd-discard-path-risk = Mit Verschlüsselung zeigen Discards, welche Blöcke benutzt sind. Mit RAID 5 oder 6 auf anderen Laufwerken wird die Parität falsch.
rule-ssd-discard-path-undo = Die Option oder den Parameter entfernen.

rule-md-newer-format-title = ein Array kann unter einem installierten Kernel nicht starten
rule-md-newer-format-reason = Seit Linux 6.19 schreibt md die Blockgröße eines neuen Arrays in dessen Superblock, oder die eines älteren, wenn sie in `md/logical_block_size` geschrieben wurde. Frühere Kernel halten einen solchen Superblock für beschädigt (`does not have a valid v1.2 superblock`), obwohl `mdadm --examine` ihn sauber nennt: Ein Ersatzkernel oder Rettungssystem startet das Array nicht.
rule-md-newer-format-fix = Die älteren Kernel entfernen oder einen ab 6.19 als Ersatz behalten, und ein ebenso neues Rettungssystem. Die Größe lässt sich nicht wieder entfernen: Ein Array, das ältere Kernel starten müssen, wird unter einem von ihnen neu angelegt.
rule-md-newer-format-risk = Ohne älteren Kernel bleibt bei einem Fehler des neuesten nichts zum Starten: zwei behalten.
rule-md-newer-format-undo = Die Kernel wieder installieren.

rule-md-spare-sectors-title = eine Ersatzplatte hat größere Sektoren als ihr Array
rule-md-spare-sectors-reason = Fällt ein Mitglied aus, benutzen Kernel ab 6.19 sie nicht. Frühere bauen auf ihr wieder auf, und die Sektoren des laufenden Arrays werden ebenso groß: Direkter I/O und Dateisysteme mit kleineren Blöcken scheitern von da an.
rule-md-spare-sectors-fix = Die Ersatzplatte ersetzen: `mdadm /dev/mdX --remove /dev/sdSPARE`, dann ein Laufwerk mit Sektoren der Größe des Arrays hinzufügen. Manche Laufwerke lassen sich auf 512 Byte formatieren (`nvme format --lbaf`, `sg_format`), was alles auf ihnen löscht.
rule-md-spare-sectors-risk = Keines: Die Ersatzplatte hält keine Daten. Bis eine andere hinzugefügt ist, steht keine bereit.
rule-md-spare-sectors-undo = Die Ersatzplatte wieder hinzufügen.

rule-md-want-replacement-title = md bittet um Ersatz für ein Mitglied
rule-md-want-replacement-reason = Nach einem Fehler, den es umgehen konnte, behält md das Mitglied und markiert es: `degraded` bleibt 0, und Programme sehen keinen Fehler. Von selbst ersetzt md ein markiertes Mitglied nur, wenn eine Ersatzplatte bereitsteht; bis dahin findet der nächste Fehler auf einem anderen Mitglied vielleicht keine gute Kopie.
rule-md-want-replacement-fix = Die SMART-Werte des Mitglieds lesen, dann eine Ersatzplatte hinzufügen: `mdadm /dev/mdX --add-spare /dev/sdNEW`. md kopiert das Mitglied auf sie und entfernt es danach.
rule-md-want-replacement-risk = Die Kopie liest das markierte Mitglied, und die anderen, wo es Lücken hat.
rule-md-want-replacement-undo = Ist das Laufwerk in Ordnung, die Markierung löschen: `echo -want_replacement > /sys/block/mdX/md/dev-sdOLD/state`.

rule-md-lockless-bitmap-title = ein Array mit sperrfreier Bitmap kann unter einem installierten Kernel nicht starten
rule-md-lockless-bitmap-reason = Kernel vor 6.18 kennen die Version dieser Bitmap nicht und weisen das ganze Array ab. Neuere ohne `CONFIG_MD_LLBITMAP` ebenso, etwa Debians 7.3, was kein Name eines Kernels verrät.
rule-md-lockless-bitmap-fix = Einen zweiten Kernel und ein Rettungssystem behalten, die sie kennen, und in `/boot/config-RELEASE` nach `CONFIG_MD_LLBITMAP=y` sehen. Oder die übliche Bitmap nehmen: `mdadm --grow /dev/mdX --bitmap=none`, dann `--bitmap=internal`.
rule-md-lockless-bitmap-risk = Ohne Bitmap kostet ein Stromausfall oder ein entferntes Mitglied einen Resync des ganzen Arrays.
rule-md-lockless-bitmap-undo = `mdadm --grow /dev/mdX --bitmap=none`, dann `--bitmap=lockless`.

rule-md-no-atomic-writes-title = Laufwerke sichern atomare Schreibzugriffe zu, ihr Array nicht
rule-md-no-atomic-writes-reason = Ein Programm, das einen Schreibzugriff ganz oder gar nicht verlangt, bekommt von einem solchen Array `EOPNOTSUPP`; manche Programme nennen dann einen anderen Grund. RAID 4, 5 und 6 schreiben Daten und Parität getrennt und können nichts zusichern. RAID 0, 1 und 10 geben weiter, was ihre Laufwerke zusichern, aber nicht unter Linux 6.12.
rule-md-no-atomic-writes-fix = Das doppelte Schreiben der Datenbanken eingeschaltet lassen (`innodb_doublewrite`, `full_page_writes`). Wo es zu viel kostet, RAID 10 unter einem Kernel nehmen, der die Zusicherung weitergibt.
rule-md-no-atomic-writes-risk = Keines.
rule-md-no-atomic-writes-undo = Nicht nötig.

rule-fs-xfs-log-stripe-title = das Log von XFS passt nicht zu seinem Array
rule-fs-xfs-log-stripe-reason = XFS beginnt jeden Schreibzugriff seines Logs an einem Vielfachen von dessen Stripe-Einheit und füllt bis zum nächsten auf. `mkfs.xfs` nimmt dafür den Chunk eines Arrays, oder ohne Warnung 32 KiB, wenn er 256 KiB übersteigt: Dann schreibt jedes fsync 32 KiB oder mehr statt 4. Ohne Einheit liest ein RAID 5 oder 6 zuerst die Blöcke, die ein solcher Zugriff nur zum Teil bedeckt.
rule-fs-xfs-log-stripe-fix = Wo Programme oft fsync aufrufen, das nächste Dateisystem mit `mkfs.xfs -l su=4k` anlegen, oder sein Log auf einem Spiegel (`-l logdev=`). Die Einheit eines vorhandenen Dateisystems lässt sich nicht ändern.
rule-fs-xfs-log-stripe-risk = Ein Dateisystem anzulegen löscht alles auf dem Gerät.
rule-fs-xfs-log-stripe-undo = Es ohne die Option anlegen.

rule-dm-integrity-journal-title = dm-integrity schreibt alle Daten zweimal
rule-dm-integrity-journal-reason = Mit seinem Journal, der Voreinstellung, schreibt dm-integrity Daten und Prüfsummen erst ins Journal und dann an ihren Ort. Ein zufälliger Schreibzugriff von 4K schrieb hier das 10,6-Fache seiner Sektoren, ohne Journal das 1,5-Fache.
rule-dm-integrity-journal-fix = `mode=bitmap` in /etc/integritytab, oder `integritysetup open --integrity-bitmap-mode`, dann das Gerät schließen und öffnen. LVM: `--raidintegritymode bitmap` von `lvcreate` und `lvconvert`. LUKS2 kennt keine Bitmap: `cryptsetup open --integrity-no-journal` lässt das Journal weg.
rule-dm-integrity-journal-risk = Nach einem Stromausfall werden die Prüfsummen der Bereiche, die gerade geschrieben wurden, aus dem Vorhandenen neu berechnet: Schäden in ihnen fallen nicht auf.
rule-dm-integrity-journal-undo = `mode=journal`.

rule-pg-checksums-title = ein PostgreSQL-Cluster hat keine Prüfsummen seiner Seiten
rule-pg-checksums-reason = Ändert eine Platte, ein Kabel oder ein Wiederaufbau eine Seite, fällt das nicht auf: Der Server liefert falsche Zeilen und kopiert sie in die Sicherung. Bis Version 17 haben Cluster keine Prüfsummen, wenn niemand sie verlangt hat.
rule-pg-checksums-fix = Den Cluster anhalten, `pg_checksums --enable -D DATA`, ihn starten; dann von Zeit zu Zeit `pg_checksums --check`, oder `pg_basebackup`, das prüft, was es kopiert.
rule-pg-checksums-risk = Es schreibt jede Seite neu: erst sichern. Lesen und Schreiben kosten einige Prozent mehr Prozessorzeit.
rule-pg-checksums-undo = Den Cluster anhalten, `pg_checksums --disable -D DATA`.

rule-swap-one-disk-title = Swap liegt auf einer Platte eines Spiegels oder auf einem unvollständigen Array
rule-swap-one-disk-reason = Fällt diese Platte aus, endet jedes Programm mit Speicher im Swap, und der Kernel kann hängen bleiben: Der Spiegel hat die Dateien behalten und den Host verloren. Auf einem unvollständigen Array genügt dafür der nächste Ausfall.
rule-swap-one-disk-fix = `swapoff /dev/sdX2`, dann Swap auf einem eigenen Spiegel oder als Datei auf dem Spiegel. Bei einem unvollständigen Array erst das Mitglied ersetzen.
rule-swap-one-disk-risk = `swapoff` braucht Speicher für alles, was ausgelagert ist: vorher `free` ansehen.
rule-swap-one-disk-undo = `swapon /dev/sdX2`.

rule-db-torn-page-title = eine Datenbank verlässt sich auf atomares Schreiben, das ihre Platte nicht zusagt
rule-db-torn-page-reason = Ohne Doublewrite-Puffer oder Full Page Writes muss eine Seite ganz auf die Platte kommen oder gar nicht. Ein Stromausfall während eines Schreibzugriffs, der größer ist als die atomare Einheit des Geräts, hinterlässt eine halbe Seite und keine Kopie zum Reparieren.
rule-db-torn-page-fix = `innodb_doublewrite` oder `full_page_writes` einschalten.
rule-db-torn-page-risk = Mehr Schreibzugriffe.
rule-db-torn-page-undo = Den alten Wert zurückschreiben und den Server neu starten.

rule-ldap-module-title = ein Verzeichnisserver braucht oder lädt ein Modul, das er nicht hat
rule-ldap-module-reason = slapd startet nicht: `UNKNOWN attributeDescription`, `config error processing olcDatabase={"{"}1{"}"}hdb`. OpenLDAP 2.5 hat back_hdb und back_bdb nicht mehr.
rule-ldap-module-fix = olcModuleLoad mit `slapmodify -n0` ergänzen. Für hdb und bdb: `slapcat` mit dem alten slapd vor dem Upgrade, danach `slapadd` in mdb.
rule-ldap-module-risk = Wer slapd.d von Hand ändert, macht die Prüfsumme in der Datei ungültig.
rule-ldap-module-undo = `slapmodify -n0` mit der umgekehrten Änderung; eine Kopie von slapd.d behalten.

rule-feeds-updater-title = ein Feedreader wird doppelt, gar nicht oder als falscher Benutzer aktualisiert
rule-feeds-updater-reason = Zwei Aktualisierer sperren sich gegenseitig aus und laden Feeds doppelt; ohne einen stehen die Feeds nach einem Umzug still; ein anderer Benutzer als der Besitzer des Caches kann dort nicht schreiben, und root hinterlässt Dateien, die der Webserver nicht schreiben kann.
rule-feeds-updater-fix = Einen einzigen systemd-Dienst oder -Timer oder einen einzigen Cronjob behalten, als Besitzer des Caches; das ist der Benutzer des Webservers.
rule-feeds-updater-risk = Dateien, die root schrieb, müssen zurückgegeben werden: `chown -R www-data` auf Cache und Feed-Icons.
rule-feeds-updater-undo = Die alte Unit oder Zeile wieder einschalten.

rule-cron-user-missing-title = ein Cronjob läuft als ein Benutzer, den es nicht gibt
rule-cron-user-missing-reason = cron weist die ganze Datei mit `bad username` zurück und führt keinen ihrer Jobs aus; das geschieht nach einem Umzug ohne die alten Benutzer.
rule-cron-user-missing-fix = Den Benutzer anlegen oder in der Datei einen anderen nennen.
rule-cron-user-missing-risk = Dateien des Jobs gehören vielleicht noch der alten Nummer des Benutzers.
rule-cron-user-missing-undo = Den alten Namen zurückschreiben.

rule-apt-mixed-release-title = Paketquellen nennen eine andere Version als die installierte
rule-apt-mixed-release-reason = Das nächste Upgrade nimmt Pakete zweier Versionen und entfernt, was nicht zusammenpasst.
rule-apt-mixed-release-fix = In allen Dateien von /etc/apt eine einzige Version nennen, oder das Upgrade zu Ende führen.
rule-apt-mixed-release-risk = Ein anderer Anbieter hat vielleicht keine Pakete für die neue Version: ihn erst abschalten.
rule-apt-mixed-release-undo = Den alten Namen zurückschreiben und `apt-get update`.

rule-apt-no-security-title = keine Quelle für Sicherheitsupdates
rule-apt-no-security-reason = Korrekturen bekannter Lücken kommen nie an. Mit Debian 11 hat sich der Name der Suite geändert; eine alte Zeile findet nach einem Upgrade nichts.
rule-apt-no-security-fix = `deb http://security.debian.org/debian-security CODENAME-security main`.
rule-apt-no-security-risk = Keines.
rule-apt-no-security-undo = Die Zeile entfernen.

rule-net-interface-gone-title = die Netzwerkkonfiguration nennt eine Schnittstelle, die es nicht gibt
rule-net-interface-gone-reason = Nach einem Umzug oder Upgrade kann die Karte anders heißen: Der Host startet ohne Netz.
rule-net-interface-gone-fix = Den neuen Namen aus `ip link` eintragen, oder ihn mit einer Datei nach systemd.link(5) festlegen.
rule-net-interface-gone-risk = Eine Konsole offen halten: Ein Fehler trennt die Verbindung.
rule-net-interface-gone-undo = Den alten Namen zurückschreiben.

rule-smart-bad-sectors-title = eine Platte hat Sektoren, die sie nicht lesen kann
rule-smart-bad-sectors-reason = Ein wartender Sektor ist verlorene Information, sobald ein Wiederaufbau ihn liest.
rule-smart-bad-sectors-fix = Die Platte ersetzen. Vorher Scrub oder Kopie.
rule-smart-bad-sectors-risk = Kopieren kann einer sterbenden Platte den Rest geben: das Wichtigste zuerst kopieren.
rule-smart-bad-sectors-undo = Keiner.

rule-smart-crc-growing-title = Übertragungen zu einer Platte werden unterwegs beschädigt
rule-smart-crc-growing-reason = Das Kabel oder die Backplane: I/Os sind manchmal langsam, und md entfernt eine gesunde Platte.
rule-smart-crc-growing-fix = Das Kabel ersetzen.
rule-smart-crc-growing-risk = Keines.
rule-smart-crc-growing-undo = Nicht nötig.

rule-disk-smr-title = eine SMR-Platte ist Teil eines Arrays oder Pools
rule-disk-smr-reason = Ein Wiederaufbau fällt auf wenige MB/s, wenn die Cachezone der Platte voll ist, und wegen ihrer langen Pausen wird die Platte entfernt. Eine Platte, deren `zoned` `host-managed` ist, kann gar kein Mitglied werden: mdadm kann ihren Superblock nicht schreiben und nennt einen anderen Grund.
rule-disk-smr-fix = Durch eine Platte mit herkömmlicher Aufzeichnung ersetzen.
rule-disk-smr-risk = Kosten, und ein Wiederaufbau.
rule-disk-smr-undo = Keiner.

rule-disk-apm-title = eine Platte parkt ihre Köpfe zu oft
rule-disk-apm-reason = Der erste I/O nach dem Parken wartet etwa eine Sekunde, und Platten sind für eine begrenzte Zahl von Zyklen gebaut.
rule-disk-apm-fix = `hdparm -B 254 /dev/sdX`.
rule-disk-apm-risk = Mehr Strom.
rule-disk-apm-undo = `hdparm -B 128 /dev/sdX`.

rule-nvme-link-title = die Verbindung eines Laufwerks ist langsamer, als sie sein könnte
rule-nvme-link-reason = Die halbe Geschwindigkeit, ohne jede Fehlermeldung.
rule-nvme-link-fix = Das Laufwerk neu einsetzen, das Kabel ersetzen, die Einstellungen der Firmware für den Steckplatz prüfen.
rule-nvme-link-risk = Ausfallzeit.
rule-nvme-link-undo = Nicht nötig.

rule-cpu-governor-title = Prozessoren bleiben bei niedrigem Takt
rule-cpu-governor-reason = Commits warten, bis ein Prozessor aufwacht und seinen Takt hebt. `powersave` heißt zweierlei: Mit acpi-cpufreq und mit intel_pstate im passiven Modus ist es der niedrigste Takt, mit intel_pstate im aktiven Modus ist es der normale Governor.
rule-cpu-governor-fix = `schedutil` oder `performance`; im aktiven Modus `balance_performance` als energy_performance_preference.
rule-cpu-governor-risk = Strom und Wärme.
rule-cpu-governor-undo = Das alte Wort zurückschreiben.

rule-vm-dirty-title = im Speicher liegen mehr ungeschriebene Daten, als die Platte in 10 s schreibt
rule-vm-dirty-reason = Eine einzige große Kopie verzögert jedes fsync so lange, wie die Platte für den Inhalt des Speichers braucht.
rule-vm-dirty-fix = `vm.dirty_bytes` von 256 MiB bis 1 GiB, und ein Viertel davon als `vm.dirty_background_bytes`.
rule-vm-dirty-risk = Kurze Schübe werden langsamer.
rule-vm-dirty-undo = `vm.dirty_ratio=20` und `vm.dirty_background_ratio=10`.

rule-vm-cache-unsafe-title = die Flushes einer virtuellen Maschine werden verworfen
rule-vm-cache-unsafe-reason = Mit `unsafe` kann ein Absturz des Hosts das Dateisystem des Gastes beschädigen und nicht nur die letzten Sekunden kosten.
rule-vm-cache-unsafe-fix = `cache='none'` oder `writeback`; sind Commits zu langsam, lieber die Datenbank des Gastes lockern.
rule-vm-cache-unsafe-risk = Commits bekommen ihre wahre, langsamere Geschwindigkeit zurück.
rule-vm-cache-unsafe-undo = `cache='unsafe'` zurückschreiben und den Gast neu starten.

rule-vm-virtio-title = eine virtuelle Platte wird nachgebildet oder schreibt direkt durch
rule-vm-virtio-reason = Eine nachgebildete IDE- oder SATA-Platte kostet CPU für jeden I/O, und IDE hat eine Warteschlange der Tiefe 1. `writethrough` und `directsync` führen nach jedem Schreibzugriff einen Flush aus.
rule-vm-virtio-fix = `bus='virtio'` oder `scsi` mit virtio-scsi, `cache='none' io='native' discard='unmap'`.
rule-vm-virtio-risk = Das initramfs des Gastes muss den Treiber vorher haben.
rule-vm-virtio-undo = Bus und Cache wie vorher eintragen.

rule-apache-access22-title = Apache hat Zugriffsregeln der alten Schreibweise
rule-apache-access22-reason = `Invalid command 'Order'` hält Apache ohne mod_access_compat an, und in einer .htaccess antwortet er mit 500. An einer Stelle mit `Require` gemischt, erlaubt oder verbietet es, was niemand gemeint hat.
rule-apache-access22-fix = `Require all granted` oder `Require all denied`, dann `apache2ctl -t`.
rule-apache-access22-risk = Der Zugriff kann weiter offen sein als vorher: von außen prüfen.
rule-apache-access22-undo = Die alten Zeilen zurückschreiben und `a2enmod access_compat`.

rule-apache-module-gone-title = Apache lädt ein Modul, das nicht installiert ist
rule-apache-module-gone-reason = Apache startet nicht: Nach einem Upgrade ist das Modul des alten PHP fort, und sein Link in mods-enabled bleibt.
rule-apache-module-gone-fix = `a2dismod` für das alte, `a2enmod` für das neue, `apache2ctl -t`.
rule-apache-module-gone-risk = Die Handler von Sites ändern sich mit der Version von PHP.
rule-apache-module-gone-undo = `a2enmod` für das alte.

rule-web-wp-perms-title = Dateien eines Webverzeichnisses stehen den falschen Benutzern offen
rule-web-wp-perms-reason = Die Klassen der Rechte addieren sich nicht: Die erste, die passt, entscheidet. 0604 verbietet es der Gruppe, vielleicht der des Webservers, und lässt alle anderen an das Passwort der Datenbank.
rule-web-wp-perms-fix = wp-config.php 0640 mit der Gruppe des Webservers, .htaccess 0644 oder 0640, Dateien 0644, Verzeichnisse 0755.
rule-web-wp-perms-risk = 403 oder 500, wenn die Gruppe falsch ist: mit `runuser -u www-data -- cat FILE` prüfen.
rule-web-wp-perms-undo = `chmod` mit den alten Rechten.

rule-nginx-php-socket-title = nginx gibt PHP an einen Socket weiter, den kein Pool öffnet
rule-nginx-php-socket-reason = Seiten antworten mit `502 Bad Gateway`: Das Upgrade brachte ein anderes PHP, dessen Socket anders heißt.
rule-nginx-php-socket-fix = Den Socket der installierten Version eintragen, oder /run/php/php-fpm.sock verlinken.
rule-nginx-php-socket-risk = Sites sind vielleicht nicht bereit für das neue PHP.
rule-nginx-php-socket-undo = Den alten Socket zurückschreiben und das alte PHP installieren.

rule-zfs-state-title = ein Pool ist unvollständig, hat Fehler oder hatte seit 35 Tagen keinen Scrub
rule-zfs-state-reason = Stille Fehler findet nur ein Scrub, und er repariert sie nur, solange es eine gute Kopie gibt.
rule-zfs-state-fix = `zpool replace`, und ein Timer für den Scrub: `systemctl enable --now zfs-scrub-monthly@POOL.timer`.
rule-zfs-state-risk = Ein Scrub belastet stundenlang alle Platten.
rule-zfs-state-undo = `zpool scrub -s POOL` hält ihn an.

rule-zfs-sync-disabled-title = ein Dataset übergeht fsync
rule-zfs-sync-disabled-reason = fsync kehrt sofort zurück. Ein Absturz verliert bis zu zfs_txg_timeout (5 s) an Schreibzugriffen, die Programme für dauerhaft halten; der Pool bleibt stimmig.
rule-zfs-sync-disabled-fix = `zfs set sync=standard DATASET`, oder ein Log-Gerät mit Schutz gegen Stromausfall.
rule-zfs-sync-disabled-risk = Langsamere Commits.
rule-zfs-sync-disabled-undo = `zfs set sync=disabled DATASET`.

rule-zfs-recordsize-db-title = die Records eines Datasets mit Datenbank sind größer als deren Seiten
rule-zfs-recordsize-db-reason = Jeder Schreibzugriff auf eine Seite liest und schreibt einen ganzen Record.
rule-zfs-recordsize-db-fix = `zfs set recordsize=16K DATASET` (8K bis 16K für PostgreSQL), dann die Dateien neu schreiben.
rule-zfs-recordsize-db-risk = Die Kompression wird schlechter, und es gibt mehr Metadaten.
rule-zfs-recordsize-db-undo = `zfs set recordsize=128K DATASET`.

rule-zfs-ashift-title = ein Pool schreibt Sektoren von 512 Byte auf Platten mit Sektoren von 4 KiB
rule-zfs-ashift-reason = Jeder kleine Schreibzugriff ist in der Platte ein Lesen, ein Ändern und ein Schreiben.
rule-zfs-ashift-fix = Nur ein neues vdev: `zpool create -o ashift=12`.
rule-zfs-ashift-risk = Alle Daten werden verschoben.
rule-zfs-ashift-undo = Keiner.

rule-zfs-cheap-wins-title = einem Dataset fehlen Einstellungen, die fast nichts kosten
rule-zfs-cheap-wins-reason = lz4 spart mehr I/O, als es CPU kostet; atime schreibt bei jedem Lesen; xattr=dir legt jedes Attribut in ein verstecktes Verzeichnis.
rule-zfs-cheap-wins-fix = `zfs set compression=lz4 atime=off xattr=sa DATASET`.
rule-zfs-cheap-wins-risk = Nur neue Daten ändern sich.
rule-zfs-cheap-wins-undo = `zfs inherit` oder die alten Werte.

## Was die Regeln finden.

check-host-lost = Rechner { $host } wurde nicht beurteilt: { $error }
check-host-summary = { $host }: { $counts }
check-found = { $place }: { $what }
check-no-proof = kein Befehl und keine Studie zeigt es
check-proof = `{ $command }`
check-proof-simulated = { $proof }; zu einem Fund simuliert `stripewise check` die Kosten auf dem Array dieser Maschine
check-with-all-members = mit allen Mitgliedern
check-with-large-chunks = mit Bitmap-Chunks von 2 GiB
check-with-performance = mit performance, bei 4,2 GHz auf dem Hostprofil i7-6700k-no-hwp
check-with-powersave = bei dessen 0,8 GHz; mehr kann powersave nicht kosten
check-with-read-ahead = mit { $kib } KiB
check-with-stripes = mit 4096 Streifen
check-without-bitmap = ohne Bitmap
found-access-compat-not-enabled = { $file }: `{ $old }`, und access_compat ist nicht eingeschaltet
found-another-member = { $md }: { $disk } hat { $words }, ein anderes Mitglied { $words_other }
found-array-not = Array { $uuid } steht nicht in { $path }
found-array-not-started = { $uuid } aus mdadm.conf läuft nicht; { $kernel } kann es nicht starten, wenn Linux 6.19 oder neuer es angelegt hat
found-array-promises-no-atomic = { $md } sichert keinen ganzen oder fehlenden Schreibzugriff zu, seine Laufwerke { $bytes } Byte
found-ashift-9-sectors-bytes = ashift ist 9, und { $disk } hat Sektoren von { $bytes } Byte
found-battery-cache = { $name }: Batterie { $power }, Cache { $state }
found-battery-caches-writes = { $name }: Batterie { $power }, und er puffert Schreibzugriffe
found-begins-byte-no-multiple = { $place } beginnt bei Byte { $start }, keinem Vielfachen von { $stripe }
found-beside = { $file }: `{ $old }` neben `{ $new }`
found-bitmap = { $md }: Bitmap-Chunk { $chunk } MiB auf Festplatten
found-bitmap-and-stripe = { $md }: Bitmap-Chunk { $chunk } MiB auf Festplatten, voller Streifen { $stripe } KiB
found-both-used-or-more = { $md }: { $disks }, beide { $model }, haben { $used } % oder mehr ihrer Schreibzugriffe verbraucht
found-btrfs-errors = { $place }, Gerät { $device }: { $counts }
found-by-name = /etc/fstab: { $place } unter dem Namen { $device }
found-changed = geändert von { $old } zu { $new }
found-clock = { $governor } von { $driver }
found-clock-preference = { $governor } von { $driver }, Energievorgabe { $preference }
found-cluster-no-checksums = Cluster { $name } hat keine Prüfsummen
found-cluster-there-no = Cluster { $name }: { $server } gibt es nicht
found-clusters-versions = Cluster der Versionen { $versions }
found-consistency-policy-no-ups = { $md }: Konsistenzregel `{ $policy }`, und keine USV ist eingerichtet
found-controller = Controller { $at }, { $list } { $place }: { $state }
found-controller-volume-cache-battery = Controller { $at } ({ $name }), Volume { $volume }: Cache { $cache }, Batterie { $power }
found-crc-errors-grew = { $disk }: Die CRC-Fehler stiegen von { $before } auf { $now }
found-critical-warning-used-media = kritische Warnung { $warning }, { $used } % verbraucht, { $media } Medienfehler
found-data-metadata = { $volume }: Daten { $data } %, Metadaten { $metadata } %
found-data-writeback = { $place }: data=writeback
found-database-collation-library = Datenbank { $name }: Collation { $recorded }, die Bibliothek hat { $now }
found-debconf-names-does-not = debconf nennt { $device }, das es nicht gibt
found-device-errors = { $pool }: { $name } hat { $count } Fehler ({ $kind })
found-device-is = { $pool }: { $name } ist { $state }
found-discards-dropped = { $place }: { $layer } nimmt Discards an und schickt seinen Mitgliedern keine: `fstrim` meldet Erfolg, und kein Laufwerk erfährt davon
found-discards-end = { $place }: Discards enden an { $layer }
found-discards-end-encryption = { $place }: Discards enden an { $layer } (Verschlüsselung)
found-discards-end-parity = { $place }: Discards enden an { $layer } (ein Array mit Parität)
found-disks-only-one = von den Platten von { $md } hat nur { $having } eine
found-dmeventd-does-not-monitor = { $name }: dmeventd überwacht ihn nicht
found-drive-cache-kernel-says = { $disk }: Der Cache des Laufwerks ist an, und der Kernel sagt `write through`
found-error-recovery-control-off = { $disk }: Die Begrenzung der Fehlerkorrektur ist aus oder fehlt, und der Kernel wartet { $timeout } s
found-errors = { $place }: { $count } Fehler
found-errors-could-not-correct = { $disk }: { $reported } Fehler, die sie nicht korrigieren konnte, jetzt oder früher
found-etc-fstab = { $place }: `{ $option }` in /etc/fstab
found-fails-no-ups-configured = { $id } besteht nicht, und keine USV ist eingerichtet
found-faulty = { $md }: { $member } ist als defekt markiert
found-filter-names-disks-can = ein Filter nennt Platten, die sich ändern können: { $filter }
found-fits = { $disk }: { $chosen }; { $better } passt
found-frozen = { $md } ist eingefroren
found-frozen-lacks-members = { $md } ist eingefroren; fehlende Mitglieder: { $count }
found-gib-gib = { $what } hat { $used } GiB von den { $bytes } GiB von { $device }
found-grub-distributor-not = GRUB_DISTRIBUTOR="{ $value }": `{ $word }` steht nicht in "{ $now }"
found-in = { $place }: `{ $option }` in { $file }
found-innodb-buffer-pool-size = innodb_buffer_pool_size hat den voreingestellten Wert, 128 MiB, von { $kib } GiB
found-innodb-doublewrite-off-filesystem = innodb_doublewrite ist aus, auf einem Dateisystem, das an Ort und Stelle überschreibt
found-innodb-flush-log-trx = innodb_flush_log_at_trx_commit = { $commit }: Ein Absturz kostet etwa 1 s
found-innodb-flush-neighbors-0 = innodb_flush_neighbors = 0 auf Festplatte { $name }
found-inodes-used = { $place }: { $used } % der Inodes belegt
found-installed = { $file }: { $suite }; installiert ist { $codename }
found-installed-not-loaded = { $module } ist installiert und nicht geladen
found-installed-nothing-updates-feeds = { $reader } ist installiert, und nichts aktualisiert seine Feeds
found-integrity-journal = { $name } schreibt alle Daten zweimal
found-integrity-mode-unknown = { $name }: /etc/integritytab nennt es nicht; mit Journal schreibt es alle Daten zweimal
found-invalid = { $volume }: Er ist ungültig
found-is = { $md } ist { $state }
found-is-being-replaced = { $md }: { $member } wird gerade ersetzt
found-kernel-command-line = Kernelzeile: { $word }
found-kernel-no-longer-sets = der Kernel setzt den Takt nicht mehr; vorher: { $old }
found-kernel-sets-clock-now = der Kernel setzt jetzt den Takt: { $new }
found-kib-for-each-member = { $md }: { $limit } KiB/s für jedes Mitglied, seine langsamste Platte schafft etwa { $slowest }: Ein Wiederaufbau dauert { $hours } h oder länger
found-kib-two-full-stripes = { $name }: { $now } KiB, zwei volle Streifen sind { $needed } KiB
found-last-scrub-days-ago = { $pool }: Der letzte Scrub war vor { $age } Tagen
found-last-scrub-left-errors = { $pool }: Der letzte Scrub ließ { $errors } Fehler übrig
found-limited = { $place }: auf { $limit } von { $hardware } begrenzt
found-link-can = { $disk }: Die Verbindung hat { $words }, sie kann { $words_other }
found-link-speed = { $device }: Geschwindigkeit der Verbindung { $current } von { $most }
found-link-width = { $device }: Breite der Verbindung { $current } von { $most }
found-load-cycles-hours = { $disk }: { $cycles } Parkzyklen in { $hours } Stunden
found-log-padded = { $place }: Jeder Schreibzugriff des Logs wird auf { $kib } KiB aufgefüllt
found-log-unaligned = { $place }: Die Schreibzugriffe des Logs beginnen und enden innerhalb von Blöcken
found-looks-shingled-may-be = { $disk } sieht nach SMR aus; sie könnte Teil eines Pools sein
found-lost-blocks-places = { $md }: { $member } hat an { $ranges } Stellen Blöcke verloren
found-mariadb-upgrade-not-run = mariadb-upgrade ist für { $version } nicht gelaufen
found-mdadm-conf-mailaddr-there = mdadm.conf hat MAILADDR, und /usr/sbin/sendmail gibt es nicht
found-mdadm-conf-neither-mailaddr = mdadm.conf hat weder MAILADDR noch PROGRAM
found-mdmonitor-does-not-run = mdmonitor läuft nicht
found-media-errors = { $disk }: { $errors } Medienfehler
found-media-errors-grew = { $disk }: Die Medienfehler stiegen von { $before } auf { $errors }
found-media-errors-no-new = { $disk }: { $errors } Medienfehler, keine neuen
found-members-different-sizes-no = { $md }: Mitglieder verschiedener Größe, und kein Layout ist vermerkt
found-members-gib-no-bitmap = { $md }: Mitglieder von { $size } GiB und keine Bitmap
found-members-missing = { $md }: fehlende Mitglieder: { $count }
found-members-missing-shown = { $md }: fehlende Mitglieder: { $count }, { $shown }
found-metadata-0-90 = { $md } hat Metadaten 0.90
found-mib-free-two-kernels = { $place }: { $free } MiB frei, zwei Kernel brauchen { $needed } MiB
found-mib-may-be-unwritten = { $limit } MiB dürfen ungeschrieben sein; das dauert { $seconds } s
found-mode-keeps-web-server = { $path }: Mit den Rechten { $mode } kann der Webserver sie nicht lesen
found-mode-lets-everybody-read = { $path }: Mit den Rechten { $mode } kann jeder sie lesen
found-mounted-read-only = { $place } ist nur lesbar eingehängt
found-neither-fstrim-timer-nor = { $place } auf { $disk }: weder fstrim.timer noch `discard`
found-neither-nut-upsmon-nor = weder upsmon von NUT noch apcupsd läuft
found-never-grows-by-itself = { $text }, und er wächst nie von selbst
found-never-scrubbed = { $pool } hatte nie einen Scrub
found-next-boot-takes = { $found }, und der nächste Start nimmt es
found-no-battery = fehlt
found-no-boot-code = { $disk } von { $md } hat keinen Startcode
found-no-device = /etc/fstab: { $place }: { $device } gibt es nicht
found-no-m-smartd-writes = { $path } hat kein `-m`: smartd schreibt nur ins Log
found-no-periodic-check = { $md } wird nicht regelmäßig geprüft
found-no-pool-listens = { $name }: Kein Pool lauscht auf { $socket }
found-no-scrub-ended-for = { $pool }: Seit { $age } Tagen ist kein Scrub zu Ende gegangen
found-no-source-debian-or = keine Quelle von Paketen Debians oder Ubuntus ist eingerichtet
found-no-suite-security = keine Suite { $codename }-security
found-nvme-backup = Sicherung des flüchtigen Speichers gescheitert
found-nvme-read-only = nur lesbar
found-nvme-region = Bereich mit dauerhaftem Speicher nur lesbar
found-nvme-reliability = Zuverlässigkeit vermindert
found-nvme-spare = wenige Reserveblöcke
found-nvme-temperature = Temperatur außerhalb der Grenzen
found-older = { $image } ist älter als { $path }
found-older-kernels-refuse = { $md } startet nicht unter { $kernels }
found-one-step-takes-mib = { $name }: Ein Schritt braucht { $step } MiB, seine Volumegruppe hat { $free }
found-other-capitals = /etc/fstab: { $place }: { $device } gibt es mit anderer Großschreibung
found-own-verdict-failed = ihr eigenes Urteil ist FAILED
found-pages-bytes-promises = { $name }: Seiten von { $page } Byte, { $top } sagt { $unit } zu
found-passes-no-discards = { $place }: { $disk } reicht keine Discards weiter
found-pending-uncorrectable-sectors = { $pending } wartende, { $uncorrectable } nicht korrigierbare Sektoren
found-physical-volume = das physische Volume
found-physical-volume-data-byte = physisches Volume { $device }: Daten ab Byte { $start }, keinem Vielfachen von { $stripe }
found-policies = { $count } Taktgruppen: { $clock }
found-policy = 1 Taktgruppe: { $clock }
found-postgresql = PostgreSQL { $name }: { $value }
found-promises-bytes-if-server = { $name }: { $top } sagt { $unit } Byte zu, wenn der Server atomare Schreibzugriffe verlangt (RWF_ATOMIC)
found-rated-writes = { $disk }: { $used } % der zugesagten Schreibzugriffe
found-rated-writes-used = { $disk }: { $used } % der zugesagten Schreibzugriffe sind verbraucht
found-read-write-verify-errors = nicht korrigierte Fehler: { $read } beim Lesen, { $write } beim Schreiben, { $verify } beim Prüfen; { $pending } wartende, { $grown } hinzugekommene Defekte
found-reallocated-sectors-before-tells = { $disk }: { $now } ersetzte Sektoren; ob es mehr werden, sagt `--before`
found-reallocated-sectors-grew = { $disk }: Die ersetzten Sektoren stiegen von { $before } auf { $now }
found-reboot-required = ein Neustart steht aus: { $packages }
found-recordsize = { $place } auf { $device }: recordsize { $size }
found-runs-as-root = { $reader }: { $place } führt es als root aus
found-runs-as-who-does = { $name }: { $place } führt es als { $user } aus, dem { $written }/ nicht gehört
found-sectors-do-not-match = { $md } ({ $level }): { $count } Sektoren passen nicht
found-slapd-lacks = dieser slapd hat { $module } nicht
found-slapd-loads = dieser slapd hat { $module } nicht, und es wird geladen
found-slow = { $policy }: { $driver } mit { $word }
found-slow-with-others = { $policy } und { $more } weitere: { $driver } mit { $word }
found-smartd-does-not-run = smartd läuft nicht
found-snapshot-used = { $volume }: { $used } % belegt
found-space-used = { $place }: { $used } % des Platzes belegt
found-spare-blocks-below = { $disk }: { $spare } % Reserveblöcke, weniger als { $spare_min } %
found-spare-larger-sectors = { $md }: Die Ersatzplatte { $member } hat Sektoren von { $own } Byte, das Array von { $whole }
found-state = { $md }: Sein Zustand ist `{ $state }`
found-stripe-width-kib-array = { $place }: Stripe-Breite { $width } KiB, die des Arrays ist { $stripe } KiB
found-stripes-matters-for-sequential = { $md }: { $stripes } Streifen; zählt beim sequenziellen Schreiben
found-swap-alone-although-copies = Swap auf { $disk } allein, obwohl { $md } sie kopiert
found-swap-alone-degraded = Swap auf { $disk } allein, und { $md } darauf ist unvollständig
found-swap-lacks-members = Swap auf { $md }; fehlende Mitglieder dort: { $count }
found-swap-may-be-member = Swap auf { $disk }; sie könnte das Mitglied sein, das { $md } fehlt
found-sync-disabled = { $name }: sync=disabled
found-tables-server = die Tabellen sind von { $done }, der Server ist { $version }
found-takes-trim-controller-or = { $disk } nimmt TRIM an, und sein Controller oder seine Bridge reicht keines weiter
found-there-no = { $file }: { $path } gibt es nicht
found-there-no-lib-modules = /lib/modules/{ $release } gibt es nicht
found-turbo-off-no-turbo = der Turbo ist aus (no_turbo)
found-updated-times = { $reader } wird { $count }-mal aktualisiert: { $places }
found-use-devicesfile-1-there = use_devicesfile = 1, und eine Devices-Datei gibt es nicht
found-use-lvmetad-1-there = use_lvmetad = 1, und lvmetad gibt es nicht
found-user = { $path }: Benutzer `{ $user }`
found-volatile-cache = { $name }: { $disk } hat einen flüchtigen Cache
found-wants-replacement = { $md } bittet um Ersatz für { $member }
found-warns = { $disk } warnt ({ $warning }): { $warnings }
found-works-because-access-compat = { $file }: `{ $old }` wirkt, weil access_compat eingeschaltet ist
found-zoned-discard-bytes = { $disk }: zoned `{ $zoned }`, Discard { $discards } Byte
