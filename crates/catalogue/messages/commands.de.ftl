## Bemerkungen, Fragen und Fortschritt der Befehle.

label-warning = Warnung:
label-hint = Hinweis: { $hint }

## Fortschritt.

progress-samples = Messungen
progress-simulating = wird simuliert
progress-capturing = wird mitgeschnitten
progress-reading-trace = wird gelesen
progress-left = noch { $time }
progress-preparing = { $cell }: Testdateien werden geschrieben
progress-warm-up = { $cell } (Aufwärmen)
progress-host = { $host }: { $state ->
    [preparing] bereitet sich vor
    [waiting] bereit, wartet auf die anderen
    [loading] Last läuft
    [ending] beendet seine Last
    [lost] verloren: { $why }
   *[done] fertig
  }{ $has_left ->
    [true] , noch { $left }
   *[false] { "" }
  }
progress-hosts-more = { $more ->
    [one] ein weiterer Rechner
   *[other] { $more_text } weitere Rechner
  }
progress-fitting-device = Gerät `{ $device }` wird angepasst
progress-fitting-host = Host wird angepasst: { $tried } Versuche
progress-fitting-errors = Fehler der Profile werden berechnet
progress-fitting-of = { $step }, { $done } von { $total }
progress-fitting-error = { $step }, mittlerer Fehler { $error }

## Der Bildschirm eines laufenden Laufs.

live-screen-title = Messung
live-screen-samples = { $taken } von { $all } Messungen
live-screen-estimate = Schätzung
live-screen-interval = Intervall (Ziel ┊ ┊)
live-screen-more = { $more ->
    [one] eine weitere Zelle
   *[other] { $more_text } weitere Zellen
  }; { $done } von { $all } sind fertig
live-screen-narrow = fertig
live-screen-most = alle genommen
live-screen-unsteady = nicht stetig
live-screen-invalid = keine zählt
live-screen-open = bisher { $counted }
live-screen-time = { $elapsed }
live-screen-time-of = { $elapsed } von { $of }
live-screen-disks = vom Kernel gezählt auf { $disks }
live-screen-foot = Strg-C beendet den Lauf; `{ $command }` setzt ihn fort

## `run` und `resume`.

run-cut-preparing = Das Budget von { $budget } endete, bevor Zelle { $number } ({ $cell }) vorbereitet war
run-cut-measuring = Das Budget von { $budget } endete, während Zelle { $number } ({ $cell }) gemessen wurde; ihre unfertige Messung wurde abgebrochen
run-repeat-unused = { $count ->
    [one] Der Schlüssel { $keys } von `[repeat]` gilt
   *[other] Die Schlüssel { $keys } von `[repeat]` gelten
  } nur in den Welten Hardware (`metal`) und Labor (`lab`): Das Modell simuliert jede Zelle { $least }- bis { $most }-mal, bis ihr Intervall innerhalb von ± { $half_width } liegt
run-no-cache = Simulationen werden nicht für spätere Läufe aufgehoben: { $why }
run-other-kernel = Die Studie verlangt Kernel { $asked }; im Gast läuft { $runs }
run-other-kernel-here = Die Studie verlangt Kernel { $asked }; diese Maschine hat { $runs }, und der wird gemessen
run-continues = Lauf { $run } wird fortgesetzt, den dieser Befehl begonnen hat
resume-program-changed = Die Dateien des Programms dieses Laufs haben sich geändert, seit Sie sie bestätigt haben.
resume-done = Lauf { $run } ist schon fertig: Es wurde nichts gemessen
resume-machine-changed = Die Maschine hat sich geändert: { $changes }
resume-fact-changed = { $fact } (war `{ $before }`, ist `{ $now }`)

## Merkmale, die sich geändert haben.


## Die Bestätigung der Geräte.

confirm-programs = Diese Programme und Dateien werden ausgeführt oder gelesen, als Benutzer ohne Rechte und ohne Netz, in einer Sandbox, die allein den Stapel und Systemverzeichnisse sieht:
confirm-program-file = { $sha256 }, { $bytes } Bytes
confirm-program-type = Geben Sie { $name } ein, um es auszuführen:
confirm-devices = Alles auf diesen Geräten wird zerstört:
confirm-type = Geben Sie { $name } ein, um alles darauf zu zerstören:
confirm-partition = { $name }, Partition { $number } der Platte { $disk }
confirm-serial = Seriennummer { $serial }
confirm-file = Datei { $file }
confirm-size = { $size } ({ $bytes } Bytes)
confirm-found-nothing = darauf gefunden: { $marker ->
    [ours] die Markierung eines früheren Laufs
   *[none] keine Signatur
  }, und keine Daten an { $places } Stellen
confirm-found-data = darauf gefunden: { $marker ->
    [ours] die Markierung eines früheren Laufs
   *[none] keine Signatur
  }, aber Daten an { $with_data } von { $places } gelesenen Stellen

## Der Speicher der Läufe: `runs`, `rename`, `delete`.

list-no-runs = Noch ist kein Lauf gespeichert: `stripewise run STUDY` beginnt einen
list-none-tagged = Kein Lauf hat { $count ->
    [one] das Tag
   *[other] die Tags
  } { $tags }
report-title = Bericht über { $count ->
    [one] Lauf
   *[other] die Läufe
  } { $runs }
rename-title = Ein neuer Name
rename-done = Lauf { $run } heißt `{ $name }`
rename-done-tags = Lauf { $run } heißt `{ $name }`, Tags { $tags }
copy-title = Kopierte Läufe
copy-added = Lauf { $run } ist dort Lauf { $copy }, mit { $samples ->
    [one] 1 Messung
   *[other] { $samples_text } Messungen
  }
copy-continued = Lauf { $run } war dort als Lauf { $copy } und hat jetzt { $samples ->
    [0] seinen letzten Zustand
    [one] 1 Messung mehr
   *[other] { $samples_text } Messungen mehr
  }
copy-already-there = Lauf { $run } ist schon dort, als Lauf { $copy }
pages-title = Seiten eines Speichers
pages-done = { $pages ->
    [one] 1 Seite
   *[other] { $pages_text } Seiten
  } in { $directory }: { $written_text } geschrieben, { $removed_text } entfernt
store-roles-title = Die Rollen eines Speichers
store-roles-done = Die Rollen `stripewise_reader`, `stripewise_writer` und `stripewise_owner` haben ihre Rechte
store-migrate-title = Die Tabellen eines Speichers
store-migrate-done = Die Tabellen haben Version { $after }, vorher { $before }
store-migrate-nothing = Die Tabellen haben Version { $after }: nichts zu tun
delete-type-yes = Geben Sie yes ein, um { $count ->
    [one] diesen Lauf
   *[other] diese { $count_text } Läufe
  } endgültig zu löschen:
delete-title = Gelöschte Läufe
delete-done = { $count ->
    [one] Lauf { $runs } gelöscht
   *[other] Läufe { $runs } gelöscht
  }
delete-leftovers = Lauf { $run } hinterließ { $count ->
    [one] eine Änderung an dieser Maschine: `{ $command }` macht sie rückgängig
   *[other] { $count_text } Änderungen an dieser Maschine: `{ $command }` macht sie rückgängig
  }

## `profiles`, `workloads` und `serve`.

profiles-shipped = { $kind ->
    [device] Geräteprofil
   *[host] Hostprofil
  } `{ $name }`, mitgeliefert als { $file }:
profiles-from = { $kind ->
    [device] Geräteprofil
   *[host] Hostprofil
  } `{ $name }`, aus { $file }:
workloads-shipped = Last `{ $name }`, mitgeliefert als { $file }:
workloads-use = eine Studie übernimmt sie mit `from = "{ $name }"` in `[workload.NAME]`; Schlüssel daneben ersetzen die der Last
study-job-title = Eine Jobdatei als Studie
study-job-changes = Warnung: keine Studie sagt `{ $option }`{ $jobs }: { $why }
study-job-own-way = weggelassen: `{ $option }`{ $jobs }: { $why }
study-job-note = Hinweis: { $why }{ $jobs }
study-job-of = { " " }von { $jobs }
study-job-why-length = eine Messung dauert so lange, wie `sample` in `[repeat]` sagt
study-job-why-seed = jede Messung hat einen eigenen Startwert
study-job-why-record = jede Messung zeichnet Zähler, Latenzen und eine Reihe auf
study-job-why-files = Testdateien werden vor der ersten Messung geschrieben, eine je Job
study-job-why-warm-up = die erste Messung jeder Zelle wärmt auf und zählt nicht
study-job-why-buffers = `data` sagt, was die Puffer enthalten
study-job-why-verified = `verify` liest nach einer Messung alle geschriebenen Blöcke zurück
study-job-why-fails = eine Messung mit einem Fehler zählt nicht
study-job-why-together = Jobs einer Gruppe laufen gemeinsam, jeder Job ist ein Thread, und gleiche werden zusammen gezählt
study-job-why-place = `--target DIR` nennt das Verzeichnis
study-job-why-names = ein Name ändert keine Last
study-job-why-pattern = eine Studie kennt nur Lesen und Schreiben
study-job-why-no-number = es ist keine Zahl
study-job-why-one-in-flight = `{ $engine }` hält eine I/O unterwegs, wie hier
study-job-why-size = fio nimmt die Größe der Datei oder des Geräts; hier sind es { $size }
study-job-why-verifies = eine Studie prüft nur Schreiblasten einer Blockgröße mit nicht komprimierbaren Daten
study-job-why-idle = auf `{ $pattern }` wirkt es nicht
study-job-why-draws-anyway = Lasten mehrerer Blockgrößen und ungleich verteilte ziehen ohnehin so
study-job-why-other-size = fio nimmt stattdessen `{ $option }`
study-job-why-inexact = kein Schlüssel sagt es genau; hier ist es { $taken }
study-job-why-no-key = kein Schlüssel einer Studie sagt es
study-job-why-own-buffers = fios eigene Puffer lassen sich etwa { $ratio }-fach komprimieren, und so auch die der Studie
study-job-why-device = es ist ein Gerät: die Studie misst das Dateisystem unter `--target DIR`; Geräte, die überschrieben werden dürfen, stehen unter `[may_destroy]`
study-job-why-one-file = hier hat jeder Job eine Datei
study-job-why-shared = Jobs teilen sich die Datei; hier hat jeder seine eigene
study-job-why-cpus = `cpus` in `[conditions]` gilt für alle Lasten, und die Jobs unterscheiden sich
studies-use = jeder Befehl, der eine Studie nimmt, nimmt diese beim Namen: `stripewise run NAME`; `stripewise studies NAME` zeigt eine
serve-title = Die Adresse der Seite
serve-stop = Ctrl-C beendet den Server
serve-not-opened = Der Browser ließ sich nicht öffnen: { $error }; öffnen Sie die Adresse oben

## `compare` und `calibrate`.

compare-uncompared = { $cell }: { $why }
compare-samples = { $before } und { $after } gezählte Messungen haben einen Wert ({ $metric })
compare-zero = { $metric } ist 0 { $where }, und ein Verhältnis braucht zwei Zahlen über 0
compare-in-run = in Lauf { $run }
compare-in-baseline = in der Basis
compare-in-cell = in dieser Zelle
compare-in-both = auf beiden Seiten
compare-only-in-run = nur in Lauf { $run }
compare-undecided = Von { $count ->
    [one] einer Zelle
   *[other] { $count_text } Zellen
  } lässt sich nicht sagen, ob sie um mehr als { $limit } schlechter { $count ->
    [one] ist
   *[other] sind
  }: Mehr Messungen verengen ein Intervall, und für eine Zelle nur eines Laufs fehlt der Vergleich
compare-spreads = { $cell }: { $spreads }
compare-spread = { $percent } über { $means ->
    [one] { $means_text } Mittelwert
   *[other] { $means_text } Mittelwerte
  } in Lauf { $run }
compare-more-cells = und { $count ->
    [one] { $count_text } weitere Zelle
   *[other] { $count_text } weitere Zellen
  }
calibrate-on-disks = `{ $path }` liegt auf { $count } Platten ({ $disks }); das Profil `{ $profile }` beschreibt sie alle zusammen
calibrate-filesystem-unknown = Das Modell kennt { $filesystem } nicht: Das Profil `{ $profile }` enthält dessen Aufwand
calibrate-contradiction = `{ $pattern }` mit { $block } auf `{ $stack }`: Gleich viele I/Os unterwegs ({ $in_flight }) ergaben je nach Zahl der Jobs Raten, die um bis zu { $percent } auseinanderliegen; das Profil hat ihr Mittel
calibrate-adapter = { $devices } haben bei { $in_flight } I/Os unterwegs denselben Einbruch: Der Adapter `{ $adapter }` hält fertige I/Os um { $least } bis { $most } zurück; das Host-Profil enthält ihn
calibrate-adapter-unclear = `{ $devices }` ist bei { $in_flight } I/Os unterwegs langsamer, als es eine Platte allein wäre, und zwar um { $least } bis { $most }: Entweder hält ein Adapter fertige I/Os zurück, was alle seine Platten gemeinsam trifft, oder es liegt an der Platte selbst. Eine einzelne Platte kann das nicht zeigen; Vorhersagen für Arrays mit wenigen I/Os unterwegs können daher um ebenso viel falsch sein. Messen Sie eine weitere Platte an demselben Adapter mit denselben Tiefen

## `restore`.

restore-title = Was rückgängig gemacht wurde
restore-removed = Unfertiges `{ $path }` entfernt
restore-in-use = Lauf { $run }: nicht angetastet, denn er gehört zu Prozess { $process }
restore-in-use-elsewhere = Lauf { $run }: nicht angetastet, denn er gehört zu Prozess { $process } eines anderen Containers, der von hier aus nicht sichtbar ist
restore-instance-removed = Tracing-Instanz `{ $path }` einer abgebrochenen Aufzeichnung entfernt
restore-instance-stays = Tracing-Instanz `{ $path }` einer abgebrochenen Aufzeichnung ließ sich nicht entfernen: { $error }
restore-instance-elsewhere = Nicht angetastet: Tracing-Instanz `{ $path }`, denn sie gehört zu Prozess { $process } eines anderen Containers, der von hier aus nicht sichtbar ist; läuft dort keine Aufzeichnung, so entfernt `rmdir` sie
restore-nothing = Es wurde nichts hinterlassen
restore-nothing-of-run = Lauf { $run } hinterließ nichts
restore-forgotten = Lauf { $run }: Eintrag gelöscht: { $change }
restore-failed = fehlgeschlagen: { $error }
restore-elsewhere = Lauf { $run }: { $count ->
    [one] Eine Änderung blieb bestehen, denn sie entstand
   *[other] { $count_text } Änderungen blieben bestehen, denn sie entstanden
  } auf einer anderen Maschine, `{ $machine }`: Führen Sie `stripewise restore` dort aus
restore-elsewhere-unnamed = Lauf { $run }: { $count ->
    [one] Eine Änderung blieb bestehen, denn sie entstand
   *[other] { $count_text } Änderungen blieben bestehen, denn sie entstanden
  } auf einer anderen Maschine ohne Namen: Führen Sie `stripewise restore` dort aus
restore-done = Lauf { $run }: { $done }
restore-already = Lauf { $run }: nichts rückgängig zu machen: { $change }
restore-untouched = Lauf { $run }: nicht angetastet: { $why }
restore-kept = Lauf { $run }: noch nicht rückgängig gemacht: { $change }: { $why }
restore-why-both = { $first }; { $next }
restore-why-layer-above = Eine Schicht darüber ist nicht rückgängig gemacht
restore-why-absent = `{ $device }` gibt es nicht
restore-why-no-block-device = `{ $device }` führt nicht mehr zu einem Blockgerät unter `/dev`
restore-why-other-device = `{ $device }` ist nicht mehr das Gerät, das der Lauf benutzt hat
restore-why-not-held = `{ $device }` ist kein Gerät, das der Lauf belegt hat und noch hält
restore-why-carries = `{ $device }` enthält { $found }; das stammt nicht vom Lauf
restore-why-no-token = Das Journal enthält kein Kennzeichen für `{ $device }`
restore-why-never-directory = Das Journal nennt ein Verzeichnis `{ $path }`, wie Stripewise nie eines anlegt
restore-why-never-file = Das Journal nennt eine Datei `{ $file }`, wie Stripewise nie eine anlegt
restore-why-never-array = Das Journal nennt ein Array `{ $name }`, wie Stripewise nie eines anlegt
restore-why-never-array-uuid = Das Journal nennt ein Array mit der UUID { $name }, wie Stripewise nie eines anlegt
restore-why-never-volume = Das Journal nennt ein Volume `{ $name }`, wie Stripewise nie eines anlegt
restore-why-never-group = Das Journal nennt eine Gerätegruppe `{ $name }`, wie Stripewise nie eine anlegt
restore-why-never-filesystem = Das Journal nennt ein Dateisystem { $name }, wie Stripewise nie eines anlegt
restore-why-host = { $error }
restore-why-modes-denied = { $count ->
    [one] Eine Datei gehört
   *[other] { $count_text } Dateien gehören
  } einem anderen Benutzer: { $files }
restore-why-modes-foreign = { $count ->
    [one] Ein anderes Programm hat seitdem eine Datei ersetzt oder geändert
   *[other] Andere Programme haben seitdem { $count_text } Dateien ersetzt oder geändert
  }: { $files }; alle anderen sind wiederhergestellt
restore-why-never-mount = Das Journal nennt eine Einhängung `{ $name }`, wie Stripewise nie eine anlegt
restore-why-other-directory = `{ $path }` ist nicht das Verzeichnis, das der Lauf angelegt hat
restore-why-foreign-files = Es enthält { $files }, was nicht vom Lauf stammt; verschieben Sie das und führen Sie dann `stripewise restore` aus; die Dateien des Laufs sind schon entfernt
restore-why-not-mounted = Das Dateisystem ({ $kind }) von `{ $source }` ist nicht eingehängt: Hängen Sie es unter `{ $place }` ein und führen Sie dann `stripewise restore` aus
restore-why-not-mounted-uuid = Das Dateisystem ({ $kind }) von `{ $source }` mit der UUID { $uuid } ist nicht eingehängt: Hängen Sie es unter `{ $place }` ein und führen Sie dann `stripewise restore` aus
restore-why-mounts-unread = was wo eingehängt ist, ist unbekannt ({ $missing }), also ist sein Verzeichnis nicht zu finden; hängen Sie /proc ein, und führen Sie dann `stripewise restore` aus
restore-why-parent-replaced = `{ $path }` ist nicht das Verzeichnis, das der Lauf benutzt hat: Es wurde umbenannt, ersetzt oder gelöscht; stellen Sie es wieder her und führen Sie dann `stripewise restore` aus
restore-why-no-setting = `{ $path }` ist keine Einstellung, die Stripewise ändert
restore-why-setting-gone = `{ $path }` gibt es nicht mehr
restore-why-changed-since = `{ $path }` steht auf `{ $now }`: Ein anderes Programm hat es geändert, nachdem der Lauf es auf `{ $after }` gesetzt hatte
restore-why-disk-unsure = `{ $path }` gehört vielleicht zu einer anderen Platte als der, die der Lauf von `{ $before }` auf `{ $after }` gesetzt hat
restore-why-other-disk = `{ $path }` gehört jetzt zu einer anderen Platte
restore-why-no-disk = Keine Platte mit der Seriennummer `{ $serial }` ist da
restore-why-several-disks = Die Seriennummer `{ $serial }` gehört zu { $disks }
restore-why-cache-fixed = Der Schreibcache von `{ $disk }` lässt sich zurzeit nicht einstellen
signature = `{ $kind }`
signature-label = `{ $kind }` mit dem Label `{ $label }`
signature-magic = die magische Zahl von `{ $kind }` bei Byte { $offset }
signature-magic-of = die magische Zahl von `{ $kind }` ({ $which }) bei Byte { $offset }
restore-setting = `{ $path }`
restore-setting-of-disk = `{ $path }` der Platte `{ $disk }`
restore-made-directory = Verzeichnis `{ $path }`
restore-made-marker = Markierung auf `{ $path }`
restore-made-setting = { $setting } auf `{ $value }` gesetzt
restore-made-array = Array `{ $device }` aus { $members }
restore-made-container = Container `{ $device }` aus { $members }
restore-made-volume-group = Volume-Gruppe `{ $name }` aus { $devices }
restore-made-filesystem = Dateisystem { $identity } auf { $devices }
restore-made-pool = Pool `{ $name }` auf { $devices }
restore-made-mount = Einhängung `{ $path }`
restore-made-host = sein Ordner auf Rechner { $host }
restore-made-modes = { $count ->
    [one] Modus einer Datei
   *[other] Modi von { $count_text } Dateien
  } in `{ $path }`
restore-undone-directory = `{ $path }` entfernt
restore-undone-marker = `{ $path }` freigegeben, jetzt ohne Signaturen
restore-undone-setting = { $setting } auf `{ $value }` zurückgesetzt
restore-undone-array = Array `{ $device }` entfernt: auf { $members } ist nichts davon übrig
restore-undone-container = Container `{ $device }` samt seinen Volumes entfernt: auf { $members } ist nichts davon übrig
restore-undone-volume-group = Volume-Gruppe `{ $name }` entfernt: auf { $devices } ist nichts davon übrig
restore-undone-filesystem = Dateisystem { $identity } gelöscht: auf { $devices } ist nichts davon übrig
restore-undone-pool = Pool `{ $name }` aufgelöst: auf { $devices } ist nichts davon übrig
restore-undone-mount = `{ $path }` ausgehängt
restore-undone-host = Rechner { $host } wiederhergestellt
restore-undone-modes = { $count ->
    [one] Modus einer Datei
   *[other] Modi von { $count_text } Dateien
  } in `{ $path }` wiederhergestellt

## Das Labor.

cuts-no-model = ohne Durchsatz und Vorhersage: Das Modell kann diese Studie nicht simulieren: { $why }
cuts-not-simulated = das Modell simuliert { $known } von { $cells } Zellen, und den Stapel `{ $stack }` nicht: { $why }
lab-clock = Labor: Kernel { $kernel }, { $clock ->
    [virtual] virtuelle Zeit (eine CPU-Instruktion dauert 1 ns, unabhängig von der Last dieser Maschine)
    [kvm] KVM-Zeit (die Uhr dieser Maschine)
   *[wall] Wanduhr-Zeit (emuliert, daher sind ihre Zeiten ohne Bedeutung)
  }
lab-real-time = Labor: wirkliche Zeit: { $time }
lab-time-is = { $time }; { $basis }
lab-time-measured = jede Sekunde im Gast dauerte { $pace } bei { $samples ->
    [one] der letzten Messung
   *[other] den letzten { $samples_text } Messungen
  } auf dieser Maschine
lab-time-assumed = angenommen sind { $pace } für jede Sekunde im Gast, weil auf dieser Maschine noch nicht gemessen wurde
lab-booting = der Gast startet
lab-on-existing = Labor: Ein vorhandenes Dateisystem liegt auf einer Platte ohne Bedienzeit; gemessen wird also die CPU des Gastes
lab-memory-short = Labor: Wenn seine Platten voll werden, braucht der Gast { $needed } Arbeitsspeicher, er bekommt aber { $given }; erhöhen Sie ihn mit `--memory`
lab-memory-much = Labor: { $guests ->
    [one] Der Gast darf
   *[other] Die { $guests } Gäste, einer je Kernel, dürfen
  } { $given } Arbeitsspeicher belegen, auf dieser Maschine sind aber { $available } frei; verringern Sie ihn mit `--memory`
lab-tools-differ = Labor: Die Gäste haben verschiedene Versionen von { $tool } ({ $versions }), also unterscheiden sich nicht nur die Kernel; `stripewise lab prepare --tools SUITE` gibt allen dieselbe
lab-prepared = Gast { $kernel } ist vorbereitet: { $directory }
lab-already-prepared = Gast { $kernel } ist schon vorbereitet: { $directory }
lab-step-look = Cache und Paketquellen werden angesehen
lab-step-wait = Warten auf ein anderes `prepare`
lab-step-lists = Paketlisten werden geladen
lab-step-kernel = Kernel { $release } wird geladen
lab-step-tools = Werkzeuge des Gastes werden geladen
lab-step-unpack = Paket { $number } von { $all } wird entpackt
lab-step-compiler = { $name } für das Modul des Kernels wird geladen
lab-step-module = Das Plattenmodul wird gebaut
lab-step-zfs = ZFS { $version } wird gebaut, einmal für diesen Kernel: etwa sechs Minuten mit zwei Kernen
lab-step-libraries = Netzwerkbibliotheken von fio werden durch Attrappen ersetzt
lab-step-images = Abbilder des Gastes werden geschrieben
lab-step-remove = Unterbrochen: Unfertiges wird gelöscht, was einige Sekunden dauern kann; ein zweites Strg-C überlässt es dem nächsten `lab prepare`
lab-shell-built = Stapel `{ $stack }` ist aufgebaut
lab-shell-not-built = Stapel `{ $stack }` ist nicht aufgebaut: { $error }
lab-shell-end = `exit`, Ctrl-D oder, wenn der Gast hängt, Ctrl-] beendet die Shell; der Gast und alles darin wird danach verworfen
doctor-processor = Prozessor
doctor-space = Plattenplatz
doctor-memory = Arbeitsspeicher
doctor-run-clock = Uhr der Läufe
doctor-shell-clock = Uhr der Shells
doctor-cache = Cache
doctor-guest = vorbereiteter Gast
doctor-install = Was fehlt, installiert:
doctor-kvm-works = funktioniert
doctor-kvm-fails = nicht benutzbar: { $why }
kvm-not-opened = `/dev/kvm` lässt sich nicht öffnen: { $detail }
kvm-no-qemu = `{ $detail }` ist nicht installiert
kvm-no-machine = QEMU kann damit keine Maschine erzeugen: { $detail }
kvm-no-boot = der Kernel eines Gastes ist darin in { $detail } s nicht angelaufen
kvm-qemu-not-started = QEMU lässt sich nicht starten: { $detail }
doctor-run-clock-is = { $clock }: unabhängig von der Last dieser Maschine
doctor-shell-clock-is = { $clock }: { $kvm ->
    [works] KVM funktioniert
   *[fails] KVM ist nicht benutzbar
  }
doctor-guest-is = { $kernel } ({ $size }){ $source ->
    [own] {""}
   *[named] {" "}aus `{ $made_from }`
  }, { $state ->
    [damaged] BESCHÄDIGT: `{ $file }` fehlt oder hat sich geändert; führen Sie `{ $command }` noch einmal aus, oder löschen Sie das Verzeichnis des Gasts
    [outdated] von einer anderen Version: führen Sie `{ $command }` noch einmal aus
    [default] wird standardmäßig benutzt
   *[named] wird mit `--kernel` benutzt
  }
doctor-guest-none = noch keiner: `{ $command }` erzeugt einen
doctor-zfs-is = { $version } für { $kernel }, gebaut in { $time }
doctor-database-is = { $version } im Gast mit { $kernel }
doctor-database-none = in keinem Gast: `{ $command }` fügt es hinzu
doctor-zfs-none = in keinem Gast: `{ $command }` baut es, was mit zwei Kernen etwa sechs Minuten dauert
doctor-needs-part = { $part ->
    [kernel] sein Kernel
    [compiler] sein Compiler
   *[tools] seine Werkzeuge
  }
doctor-needs-packages = { $named ->
    [yes] { $what }:{" "}
   *[no] {""}
  }{ $packages } { $packages ->
    [one] Paket
   *[other] Pakete
  }, { $left } herunterzuladen
doctor-needs-own = { $what }, der dieser Maschine
doctor-needs-place = { $what }, in `{ $place }`
doctor-needs-missing = FEHLT: { $problem }
doctor-needs-guest = sein Gast
doctor-needs-prepared = vorbereitet
doctor-needs-command = noch nicht vorbereitet: `{ $command }` erzeugt ihn
doctor-needs-not = kann nicht vorbereitet werden: Teile fehlen
doctor-installed = installiert
doctor-missing = FEHLT: { $purpose }; Paket `{ $package }`
doctor-optional = nicht installiert: { $purpose }; Paket `{ $package }`
doctor-purpose = { $program ->
    [qemu-system-x86_64] führt den Gast aus
    [apt-get] lädt Pakete
    [apt-cache] sucht Pakete
    [dpkg-deb] öffnet Pakete
    [tar] entpackt Pakete
    [make] baut das Plattenmodul
    [gcc] kompiliert das Plattenmodul
    [readelf] findet die Bibliotheken, auf die fio verzichten kann
    [mke2fs] erzeugt die Plattenabbilder des Gastes
    [ldd] findet Bibliotheken für den Gast
    [xz] dekomprimiert Kernelmodule
    [zstd] dekomprimiert Kernelmodule
    [libc-headers] baut ZFS
   *[other] { $purpose }
  }
doctor-room = { $free } frei, { $needed } nötig
doctor-room-short = ZU WENIG: { $free } frei, { $needed } nötig
doctor-room-unknown = frei: unbekannt, { $needed } nötig

## `verify-model`.

verify-answer-title = Das Modell gegenüber dem echten Treiber
verify-title = md von Linux { $kernel } gegenüber dem Modell
verify-case = Fall { $number } { $verdict ->
    [agrees] stimmt überein
   *[differs] weicht ab
  }: { $title } ({ $done } von { $cases })
verify-case-because = Fall { $number } { $verdict ->
    [agrees] stimmt überein
   *[differs] weicht ab
  }: { $title }; nicht alle Zählwerte sind bestimmt, weil { $reason }; { $distance } ({ $done } von { $cases })
verify-near-case = Fall { $number }: { $title }; unbestimmt, weil { $reason }; { $distance }
verify-distance = { $pieces } von { $limit } erlaubten Teilen vom Treiber entfernt
verify-distance-unlimited = { $pieces } Teile vom Treiber entfernt; kein ähnlicher Fall wurde aufgezeichnet
verify-nearest = ; höchstens { $share } der Grenze, in Fall { $number }
verify-class-beyond = Die Fälle der Klasse { $class } sind insgesamt zu weit vom Treiber entfernt: Median { $median } von { $median_limit } erlaubten, oberes Quartil { $quartile } von { $quartile_limit } erlaubten, in Teilen je Wurzel
verify-column-level = Level
verify-column-cases = Fälle
verify-column-exact = exakt
verify-column-blocks = Blöcke
verify-column-sectors = Sektoren
verify-column-open = unbestimmt
verify-column-different = abweichend
verify-column-verdict = Urteil
verify-agrees = stimmt überein
verify-differs-word = weicht ab
verify-because-line = { $cases } davon: { $reason }{ $nearest }
verify-row-all = alle
verify-because = unbestimmt, oder nur in Blöcken oder Sektoren bestimmt, weil
verify-reasons = { $first }, und weil { $second }
verify-reads-choose = mehrere I/Os unterwegs sind und ein Spiegel die Kopie liest, bei der die wenigsten ausstehen
verify-pieces-race = ein Teil eines I/Os fertig sein kann, bevor der nächste abgesetzt wird, und das die Wahl des Spiegels ändert
verify-pages-shared = mehrere Schreibzugriffe, oder Teile von einem, auf dasselbe Schreiben der Bitmap-Seite warten können
verify-stripes-shared = mehrere I/Os im Stripe-Cache zusammentreffen
verify-stripes-race = der Thread des Stripe-Caches und die Platten etwa gleich schnell sind
verify-stripes-meet = zwar die Blöcke gleich sind, aber das Tempo der Mitglieder bestimmt, wie viele Streifen in eine Anforderung passen
verify-memory-decides = ein I/O aus vielen Seiten je nach seiner Lage im Speicher ein bio ist oder mehrere
verify-differs = Fall { $number } weicht ab: { $case }
verify-members = { $title } aus { $members }
verify-bitmap-chunk = Bitmap-Chunk { $chunk }
verify-failed = ausgefallen { $members }
verify-engine = { $engine } mit Tiefe { $depth }
verify-job = Job { $number }: { $ios }
verify-counts = Zählwerte: Lesezugriffe, Merges, Sektoren; Schreibzugriffe, Merges, Sektoren
verify-member = Mitglied { $place }: Modell { $model }, Treiber { $driver }
verify-latencies = mittlere Latenz in { $count ->
    [one] { $count_text } Fall
   *[other] { $count_text } Fällen
  } verglichen: höchstens { $apart } Unterschied
verify-latency = Fall { $number } ({ $title }): Modell { $model }, Treiber { $driver }

## `check` and `collect`.

check-summary = { $pass_text } bestanden, { $fail_text } durchgefallen, { $info_text } zur Kenntnis, { $not_run_text } nicht geprüft, weil eine Angabe fehlt
check-needs-root = { $count ->
    [one] Eine Angabe braucht root
   *[other] { $count_text } Angaben brauchen root
  }: Als root lassen sich auch die Regeln prüfen, die sie lesen.
check-write = Geben Sie { $name } ein, um diese Werte zu schreiben:
check-written = { $count ->
    [one] Eine Einstellung geschrieben
   *[other] { $count_text } Einstellungen geschrieben
  }. Das gilt bis zum nächsten Neustart; `{ $command }` macht es rückgängig.
check-nothing-to-write = Nichts zu tun: Keine Einstellung dieser Maschine verletzt { $name }.
check-no-change = Keine Angabe hat sich geändert, und keine Regel ist umgeschlagen.
check-compare-title = Was sich zwischen zwei Ständen geändert hat
check-page-title = Was die Regeln gefunden haben
check-page-here = Diese Maschine
check-page-root = Angaben in { $path }
check-all-rules = Alle { $count_text } Regeln
check-column-rule = Regel
check-column-outcome = Ergebnis
check-column-severity = Schwere
check-column-title = wenn sie nicht besteht
check-column-found = gefunden
check-column-before = vorher
check-column-after = nachher
check-column-fact = Angabe
check-column-change = Änderung
check-turned-rules = die umgeschlagenen Regeln
check-changed-facts = die geänderten Angaben
check-line = { $name }: { $text }
check-rule = { $rule }: { $title }
check-failed = durchgefallen ({ $severity }): { $rule }: { $title }
check-noted = zur Kenntnis: { $rule }: { $title }
check-not-run-many = nicht geprüft, weil eine Angabe fehlt: { $rules }
check-not-run-why = Welche Angaben fehlen, und warum
check-not-run = nicht geprüft: { $rule }
check-missing = fehlt: { $fact }: { $why }
check-outcome = { $outcome ->
    [fail] durchgefallen
    [info] zur Kenntnis
    [pass] bestanden
   *[other] nicht geprüft
  }
check-turned = { $rule } ({ $severity }): { $before } -> { $after }: { $title }
check-change = { $kind }: { $fact }
check-change-kind = { $kind ->
    [added] hinzugekommen
    [removed] entfallen
    [changed] geändert
   *[unknown] auf einer Seite unbekannt
  }
check-change-speed = Das kann die Geschwindigkeit ändern: `stripewise explain VORHER NACHHER --facts-before BAUM --facts-after BAUM` sagt, um wie viel.
check-severity = { $severity ->
    [critical] kritisch
    [high] hoch
    [medium] mittel
   *[low] gering
  }
check-page-fix = Abhilfe
check-page-fix-here = Abhilfe hier
check-page-more = Grund, Quelle, Nachweis, Risiko, Rückweg
check-page-why = Grund
check-page-source = Quelle
check-page-proof = Hier nachweisen
check-page-risk = Risiko
check-page-undo = Rückweg
check-page-cost = Was es { $array } unter { $load } kostet, simuliert
check-page-as-it-is = wie es ist
check-page-no-cost = Das Modell kann die Kosten nicht nennen: { $fact }: { $why }
check-page-foot = Keine Regel besteht, weil eine Angabe nicht zu lesen war. Diese Seite lädt nichts aus einem Netz.
collect-wrote-hosts = Fakten von { $hosts ->
    [one] einem Rechner
   *[other] { $hosts_text } Rechnern
  } von { $all } in `{ $path }` geschrieben
collect-wrote = { $files_text } Dateien und die Ausgabe von { $commands_text } Befehlen nach { $path } geschrieben.
collect-missing = { $count ->
    [one] Eine Angabe fehlt.
   *[other] { $count_text } Angaben fehlen.
  }
collect-needs-root = { $count ->
    [one] Mit root käme eine davon hinzu.
   *[other] Mit root kämen { $count_text } davon hinzu.
  }
collect-look = { $count ->
    [one] Ein Wort sieht wie ein Passwort oder Schlüssel aus (in { $files }): Sehen Sie es an, bevor Sie das Ergebnis weitergeben.
   *[other] { $count_text } Wörter sehen wie Passwörter oder Schlüssel aus (in { $files }): Sehen Sie sie an, bevor Sie das Ergebnis weitergeben.
  }

## `site`.

site-scan-title = Was sich ändern würde
site-rewrite-title = Was geändert wurde
site-verify-title = Was nach dem Umzug übrig ist
site-permissions-title = Wer die Dateien lesen kann
site-database = Datenbank `{ $database }` der Konfiguration
site-modes = Rechte
site-place-column = Spalte { $name }
site-kind-host = Host
site-kind-path = Pfad
site-head-place = Ort
site-head-addresses = Adressen
site-head-values = Werte
site-head-forms = Formen
site-head-sample = um die ersten Adressen
site-head-kind = auch genannt
site-head-name = Name
site-head-times = Anzahl
site-head-checked = geprüft
site-head-result = Ergebnis
site-head-path = Pfad
site-head-owner = Eigentümer
site-head-mode = Rechte
site-head-mode_needed = nötig
site-head-group_needed = nötige Gruppe
site-head-class = Klasse
site-head-reasons = Grund
site-form-plain = als reiner Text
site-form-json = in JSON
site-form-json-twice = in JSON in JSON
site-form-percent = prozentkodiert
site-form-percent-twice = doppelt prozentkodiert
site-form-entity = mit Entitäten von HTML oder XML
site-form-csv = in CSV
site-form-php = mit Escapes in PHPs S
site-form-hex = in hexadezimalen Ziffern
site-form-mixed = in mehreren Formen zugleich
site-form-base64 = in Base64
site-form-count = { $count } { $form }
site-fault-length = Eine Länge passt nicht zu ihrem Text
site-fault-end = Er endet zu früh
site-fault-token = Ein Wert, ein Schlüssel oder eine Anzahl ist falsch
site-fault-depth = Er ist zu tief verschachtelt
site-fault-tangled = Darin beginnen so viele Werte ineinander, dass er nicht bis zum Ende angesehen wurde
site-fault-form = Die neue Adresse lässt sich in der Form, die der Wert hat, nicht schreiben
site-broken = { $place }, Zeile { $row }: Das sieht wie serialisiertes PHP aus, und PHP kann es nicht lesen: { $fault }
site-broken-address = { $place }, Zeile { $row }: Eine alte Adresse bleibt, denn das sieht wie serialisiertes PHP aus, und PHP kann es nicht lesen: { $fault }
site-unwritable = { $place }, Zeile { $row }: Eine alte Adresse bleibt: { $fault }
site-broken-more = { $count ->
    [one] Ein weiterer Wert sieht
   *[other] { $count_text } weitere Werte sehen
  } serialisiert aus und nicht lesbar
site-replaced = { $file }: { $count ->
    [one] eine Adresse
   *[other] { $count_text } Adressen
  } in { $values ->
    [one] einem Wert
   *[other] { $values_text } Werten
  } ersetzt; in { $recounted ->
    [one] einem serialisierten Wert
   *[other] { $recounted_text } serialisierten Werten
  } Längen neu gezählt
site-would-replace = { $file }: würde { $count ->
    [one] eine Adresse
   *[other] { $count_text } Adressen
  } in { $values ->
    [one] einem Wert
   *[other] { $values_text } Werten
  } ersetzen und in { $recounted ->
    [one] einem serialisierten Wert
   *[other] { $recounted_text } serialisierten Werten
  } Längen neu zählen
site-found = { $file }: { $count ->
    [one] eine Adresse
   *[other] { $count_text } Adressen
  } in { $values ->
    [one] einem Wert
   *[other] { $values_text } Werten
  }
site-left-base64 = { $count ->
    [one] Eine Adresse ist
   *[other] { $count_text } Adressen sind
  } in Base64 verpackt; `--base64` ersetzt sie
site-left-keys = { $count ->
    [one] Ein Schlüssel enthält
   *[other] { $count_text } Schlüssel enthalten
  } eine alte Adresse; `--keys` ersetzt sie
site-left-broken = { $count ->
    [one] Ein Wert war schon vorher beschädigt: PHP kann ihn nicht lesen. Er bleibt, wie er ist
   *[other] { $count_text } Werte waren schon vorher beschädigt: PHP kann sie nicht lesen. Sie bleiben, wie sie sind
  }; wo und warum, steht oben. Speichern Sie die Einstellung auf der alten Site neu und erstellen Sie einen neuen Dump. `--broken` ersetzt Adressen dort wie in jedem Text und berichtigt keine Länge
site-replaced-broken = { $count ->
    [one] Ein Wert war schon vorher beschädigt: PHP kann ihn
   *[other] { $count_text } Werte waren schon vorher beschädigt: PHP kann sie
  } weiterhin nicht lesen. Wie mit `--broken` verlangt, wurden Adressen darin wie in jedem Text ersetzt, ohne neue Länge
site-left-stuck = In { $count ->
    [one] einem Wert bleibt eine alte Adresse
   *[other] { $count_text } Werten bleibt eine alte Adresse
  }, weil sie sich nicht sicher ersetzen lässt: Der Exit-Code ist 1
site-one-slash = `{ $from }` und `{ $to }`: Nur eines von beiden endet mit einem Schrägstrich
site-no-address = `{ $from }` ist keine Adresse und kein Pfad und wird deshalb nur gefunden, wo ein Name beginnt und endet; `--literal` findet es überall
site-verified = { $count ->
    [one] eine alte Adresse ist
   *[other] { $count_text } alte Adressen sind
  } übrig; { $serialized } serialisierte Werte geprüft, { $broken } davon nicht lesbar
site-file-unlooked = { $path }: nicht angesehen: { $reason }
site-file-unlooked-more = { $count ->
    [one] und eine weitere Datei, die nicht angesehen wurde
   *[other] und { $count_text } weitere Dateien, die nicht angesehen wurden
  }
site-unlooked-unreadable = Sie ist nicht lesbar: { $detail }
site-unlooked-directory = das Verzeichnis ist nicht lesbar, also wurde nichts darin angesehen: { $detail }
site-unlooked-packed = Sie ist gepackt ({ $detail })
site-unlooked-packed-within = etwas darin ist gepackt ({ $detail })
site-unlooked-utf-16 = sein Text ist in UTF-16
site-unlooked-too-large = Entpackt ist sie größer als 1 GiB
site-unlooked-link = Sie ist ein Verweis nach außerhalb des Verzeichnisses
site-unlooked-special = Sie ist ein Gerät, eine Pipe oder ein Socket
site-unknown = In dem, was angesehen wurde, ist nichts falsch, aber { $count ->
    [one] eines, das oben steht, wurde nicht angesehen
   *[other] { $count_text } Dinge, die oben stehen, wurden nicht angesehen
  }: Ob die Site richtig ist, ist nicht bekannt
site-empty-dump = { $file }: Sie enthält keinen Wert, der anzusehen wäre
site-empty-directory = Darin liegt keine Datei, die anzusehen wäre
site-included = { $file } liest auch `{ $included }`; das wurde nicht angesehen
site-included-more = { $file } liest { $count ->
    [one] eine weitere Datei, die nicht angesehen wurde
   *[other] { $count_text } weitere Dateien, die nicht angesehen wurden
  }
site-packed = { $place }, Zeile { $row }: Etwas darin ist gepackt ({ $packing }) und wurde nicht angesehen
site-packed-more = { $count ->
    [one] Ein weiterer Wert enthält
   *[other] { $count_text } weitere Werte enthalten
  } etwas Gepacktes, das nicht angesehen wurde
site-files-total = { $count ->
    [one] eine Datei angesehen
   *[other] { $count_text } Dateien angesehen
  }, { $left } mit alten Adressen; { $unlooked } nicht angesehen
site-database-answers = sie antwortet
site-database-silent = sie ist nicht erreichbar: { $error }
site-mode-configuration-open = alle können Passwörter darin lesen
site-mode-configuration-closed = PHP kann sie nicht lesen
site-mode-unreadable = der Server kann sie nicht lesen
site-mode-not-searchable = der Server kann es nicht betreten
site-mode-world-writable = alle können schreiben
site-mode-wide = mehr als nötig dürfen lesen oder schreiben
site-mode-not-written = { $path }: sftp kann das nicht ändern, deshalb steht es nicht in der Datei
site-mode-above = { $path }, oberhalb der Site: Der Server kann es nicht betreten
site-mode-shared = ein harter Link liegt außerhalb der Site, darum ändert `--apply` sie nicht
site-class-owner = Besitzer
site-class-group = Gruppe
site-class-other = andere
site-mode-acl = { $count ->
    [one] Eine Datei hat eine Zugriffsliste (ACL) und wurde
   *[other] { $count_text } Dateien haben Zugriffslisten (ACL) und wurden
  } nicht beurteilt: siehe getfacl(1)
site-mode-total = { $count ->
    [one] eine Datei oder ein Verzeichnis
   *[other] { $count_text } Dateien und Verzeichnisse
  }, { $wrong } zu ändern; { $unjudged } nicht beurteilt
site-mode-unjudged = { $path }: nicht beurteilt: { $reason }
site-mode-unjudged-more = { $count ->
    [one] und eine weitere Datei oder ein Verzeichnis, nicht beurteilt
   *[other] und { $count_text } weitere Dateien und Verzeichnisse, nicht beurteilt
  }
site-unjudged-unreadable = nicht lesbar: { $detail }
site-unjudged-unlisted = sein Inhalt steht nicht in der Liste
site-mode-applied = { $count ->
    [one] einen Modus
   *[other] { $count_text } Modi
  } geändert; `{ $command }` stellt alles wieder her
plan-title = Was die Studie tun würde
