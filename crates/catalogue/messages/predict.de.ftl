## Vorhersagen im Terminal: `predict`, `why`, `profiles`, `calibrate`, Array-Karten.

predict-still-changing = Noch nicht eingeschwungen: Als die Simulation die Grenze ihres Aufwands erreichte, änderte sich noch { $changing ->
    [write_cache] der Inhalt der Schreibcaches der Geräte
    [fast_area] der Inhalt der schnellen Bereiche der Geräte
    [flash_blocks] die Belegung der Blöcke des Flash-Speichers
    [page_cache] die Zahl der schmutzigen Seiten
    [bitmap] die Zahl der gesetzten Bits der Bitmap
   *[throughput] der Durchsatz
  }.
predict-no-difference = { $percent } %, kein Unterschied

# Beschriftungen mehrerer Tabellen.
label-device = Gerät
label-host = Host
label-study = Studie
label-figure = Abbildung
label-run-with = läuft mit
label-question = Frage

# Die Antwort.
predict-mean = Mittel { $time }
predict-p99 = p99 { $time }
predict-sync-mean = Sync im Mittel { $time }
predict-drives = Zwischen { $low } und { $high } bei Laufwerken dieser Klasse; { $middle } beim mittleren (veröffentlicht sind { $drives } Laufwerke).
predict-drives-unknown = Wie weit ein echtes Laufwerk davon abweicht, ist unbekannt: Hinter dem Profil steht keine Messung einer solchen Last.
predict-limited-by = begrenzt durch: { $limit }
predict-trace-depth = Die Wiedergabe hat höchstens { $depths } Zugriffe zugleich, denn kein Trace sagt, auf wie viele sein Programm wartet; `--depth` (`depth` in einer Studie) setzt eine andere Zahl.
predict-trace = Trace { $file }
predict-in-numbers = die Vorhersage in Zahlen
predict-state = { $state ->
    [fresh] frischer Zustand
    [both] frischer und eingeschwungener Zustand
    [trace] I/Os des Traces
   *[steady] eingeschwungener Zustand
  }
predict-one-device = ein Gerät
predict-cell = { $load } auf { $stack }
predict-cell-one-device = { $load } auf einem Gerät
predict-note = { $cell }: { $note }
predict-note-others = { $count ->
    [one] Eine weitere Zeile hat denselben Hinweis mit eigenen Zahlen
   *[other] { $count_text } weitere Zeilen haben denselben Hinweis mit eigenen Zahlen
  }: `--json`.
predict-cut-short = Grenze des Aufwands erreicht: Jede Simulation endete nach etwa { $ios } I/Os, bevor ihr Schätzwert konvergiert war. ± gilt für so kurze Simulationen; Effekte, die sich erst über mehr I/Os aufbauen, sind nicht enthalten.
predict-bounded = Die Simulation erreichte die Grenze ihres Aufwands, daher wurden nur wenige I/Os simuliert für: { $names }.

# Wo die Zeit eines I/Os bleibt.
predict-time-heading = Wo die Zeit eines I/Os bleibt:
predict-time-part = Zeit eines I/Os
predict-time-mean = Mittel
predict-time-commit = Commit
predict-time-commit-p99 = Commit p99
predict-time-mean-name = im Mittel
predict-time-share = Anteil
predict-time-slowest = langsamste 1 %
predict-time-slowest-name = in den langsamsten 1 %
predict-time-slowest-share = Anteil daran
predict-time-all = insgesamt

# Was jede Platte tut.
predict-disk = Platte
predict-disk-reads = Lesen/s
predict-disk-reads-name = Lesezugriffe je Sekunde
predict-disk-writes = Schreiben/s
predict-disk-writes-name = Schreibzugriffe je Sekunde
predict-disk-sequential = sequenziell
predict-disk-sequential-reads = davon sequenziell gelesen
predict-disk-sequential-writes = davon sequenziell geschrieben
predict-disk-request = Anforderung
predict-disk-request-name = mittlere Anforderung
predict-disk-merged = Merges
predict-disk-flushes = Flushes/s
predict-disk-flushes-name = Flushes je Sekunde
predict-disk-busy = Auslastung
predict-disk-link = Anbindung
predict-busy-others = Übrige Auslastung: { $components }.
predict-busy = { $component } ({ $share })
predict-job-cpu = CPU von Job { $job }
predict-rebuild-rate = Der Wiederaufbau läuft mit { $rate }{ $time }.
predict-rebuild-time = { "," } { $time } für ein ganzes Gerät

# Was es ändern würde.
predict-change = was es ändern würde
predict-change-name = mit
predict-change-effect = gegenüber jetzt, simuliert

# Mehrere Vorhersagen.
predict-limit = begrenzt durch

# Die Grundlage.
predict-basis = Dies ist eine Vorhersage durch Simulation ({ $state }): { $devices }, Hostprofil `{ $host }`, Kernel-Regeln { $kernel }, Startwert { $seed }, stripewise { $version }.
predict-basis-failed = Dies ist eine Vorhersage durch Simulation nach Ausfall von { $failed } ({ $state }): { $devices }, Hostprofil `{ $host }`, Kernel-Regeln { $kernel }, Startwert { $seed }, stripewise { $version }.
predict-basis-rebuilding = Dies ist eine Vorhersage durch Simulation nach Ausfall von { $failed }, während disk{ $first } neben der Last wiederaufgebaut wird ({ $state }): { $devices }, Hostprofil `{ $host }`, Kernel-Regeln { $kernel }, Startwert { $seed }, stripewise { $version }.
predict-basis-device = Geräteprofil `{ $name }`
predict-basis-interval = ± ist nur die Unsicherheit der Simulation selbst, bezogen auf einen Median. Hinter dem Geräteprofil steht kein Messpunkt mit einer solchen Last; wie weit es abweicht, ist daher unbekannt (docs/model).
predict-basis-interval-some = ± enthält, wie weit die Profile abweichen können, aber nur, wo das Gerät unter einer solchen Last gemessen wurde; Fehler der Regeln kommen hinzu (docs/model).
predict-basis-interval-all = In ± sollten 95 von 100 Messungen liegen, solange keine Regel falsch ist (docs/model).
predict-uncertainty = Dahinter stehen: { $sources }.
predict-uncertain-points = ±{ $percent }, weil das Profil seine eigenen Messpunkte um so viel verfehlt
predict-uncertain-between = ±{ $percent }, weil die Last zwischen gemessenen Punkten oder außerhalb davon liegt
predict-uncertain-class = ±{ $percent }, weil sich die Laufwerke einer Klasse unterscheiden
predict-uncertain-repeat = ±{ $percent }, weil Messungen, die gleich sein sollten, sich unterscheiden
predict-uncertain-cpu = ±{ $percent }, weil die CPU-Zeiten dieses Hosts nicht gemessen wurden
predict-uncertain-adapter = ±{ $percent }, weil die Messungen die Verzögerung des Adapters offen lassen
predict-uncertain-slower = bis zu { $percent } langsamer, falls eine Verzögerung im Profil vom Adapter stammt und nicht vom Laufwerk
predict-uncertain-uplink = bis zu { $percent } langsamer, falls die Laufwerke einen langsamen Weg teilen: das Hostprofil nennt keinen
predict-uncertain-next = Eine Messung von `{ $load }` mit Tiefe { $depth } auf einem einzelnen Laufwerk von `{ $profile }` würde das Intervall auf ±{ $percent } einengen.
predict-assumed = Angenommen, nicht gemessen: { $counts }.
predict-assumed-listed = `--verbose` listet auf, was angenommen ist.
predict-assumed-count = { $count } von `{ $profile }`
predict-assumed-title = Angenommene Werte
predict-assumed-value = `{ $profile }`: { $value }
kernel-rules-newest = { $rules } (die neuesten bekannten, für { $kernel })
kernel-rules-oldest = { $rules } (die ältesten bekannten, für { $kernel })
stack-on = { $below } > { $above }
stack-array = { $array } { $bitmap ->
    [none] ohne Bitmap
   *[other] Bitmap { $bitmap }
  }
stack-array-firmware = { $array } { $bitmap ->
    [none] ohne Bitmap
   *[other] Bitmap { $bitmap }
  } { $metadata }
stack-existing-filesystem = vorhandenes Dateisystem
stack-no-filesystem = kein Dateisystem

# Array-Karten: das Raster und seine Zeichen.
map-title = Array-Karte
map-row = Zeile { $row }
map-mark-chunk = n: ein Chunk von { $size }
map-mark-piece = n: ein Stück von { $size }, da es keine Chunks gibt
map-mark-member = n: eine ganze Platte
map-mark = { $mark }: { $meaning }
map-failed = ausgefallen
map-left-out-disks = { $count ->
    [one] { $count_text } weitere Platte
   *[other] { $count_text } weitere Platten
  }
map-left-out-rows = { $count ->
    [one] { $count_text } weitere Zeile
   *[other] { $count_text } weitere Zeilen
  }
map-not-drawn = Nicht gezeichnet: { $parts }.

# Array-Karten in Sätzen. Listen von Platten stehen im Dativ.
map-heading = Array-Karte: { $array }, { $count ->
    [one] { $count_text } Platte
   *[other] { $count_text } Platten
  }, { $unit }.
map-all-disks = allen { $count } Platten
map-more-disks = { $count ->
    [one] { $count_text } weiteren Platte
   *[other] { $count_text } weiteren Platten
  }
map-failed-disk = { $disk } (ausgefallen)
map-chunk-number = Chunk { $chunk }
map-piece-number = Stück { $chunk }
map-chunk-on = { $chunk } liegt auf { $disks }{ $state ->
    [served] ; gelesen wird von { $server }
    [computed] ; sein Inhalt wird aus den anderen Platten berechnet
    [lost] ; sein Inhalt ist verloren
   *[whole] {""}
  }.
map-chunk-parity = { $chunk } liegt auf { $disks }, die Parität auf { $parity }{ $state ->
    [computed] ; sein Inhalt wird aus den anderen Platten berechnet
    [lost] ; sein Inhalt ist verloren
   *[whole] {""}
  }.
map-chunk-parities = { $chunk } liegt auf { $disks }, die Parität auf { $parity }, die zweite Parität auf { $q }{ $state ->
    [computed] ; sein Inhalt wird aus den anderen Platten berechnet
    [lost] ; sein Inhalt ist verloren
   *[whole] {""}
  }.
map-repeats = Das Muster wiederholt sich alle { $chunks } Chunks.
map-all-alike = Alle anderen liegen auf denselben Platten.
map-reader = Ein sequenzieller Leser
map-reader-of-mirror = Ein sequenzieller Leser mit einem I/O unterwegs
map-read-alone = { $reader } liest nur von { $disks }.
map-read-by-member = { $reader } liest von einer Platte nach der anderen, nämlich von { $disks }.
map-read-in-turn = { $reader } liest reihum von { $disks }: Jede Platte liefert 1 von { $count } Chunks.
map-read-shares = { $reader } liest von { $disks }: Jede Platte liefert { $share } von { $chunks } Chunks.
map-read-shares-range = { $reader } liest von { $disks }: Jede Platte liefert { $least } bis { $most } von { $chunks } Chunks.
map-read-shares-each = { $reader } liest von { $disks }: Sie liefern { $shares } von { $chunks } Chunks.
map-read-gaps = Auf jeder Platte sind Lücken zwischen den gelesenen Chunks.
map-read-no-gaps = Auf jeder Platte liegen die gelesenen Chunks hintereinander.
map-read-idle = Von { $disks } wird nichts gelesen.
map-failed-chunks = Ausfall von { $disks }: { $lost ->
    [one] Verloren ist Chunk
   *[other] Verloren sind die Chunks
  } { $numbers } von je { $chunks }.
map-failed-data = { $count ->
    [one] Ausfall von { $disks }: Die Daten dieser Platte sind verloren.
   *[other] Ausfall von { $disks }: Die Daten dieser Platten sind verloren.
  }
map-failed-computed = { $count ->
    [one] Ausfall von { $disks }: Die Daten dieser Platte werden aus dem Rest jeder Zeile berechnet.
   *[other] Ausfall von { $disks }: Die Daten dieser Platten werden aus dem Rest jeder Zeile berechnet.
  }
map-failed-copies = Ausfall von { $disks }: Stattdessen werden andere Kopien gelesen.
map-failed-parity = Ausfall von { $disks }: Nur Parität ist verloren.
map-shortened = Das Muster geht weiter; die Karte endet nach { $chunks } Chunks.
map-far-copies = Jede weitere Kopie liegt { $distance } hinter der vorigen, auf der nächsten Platte.
map-zone = { $count ->
    [one] Ab Chunk { $chunk } ist nur noch auf { $count_text } Platte Platz.
   *[other] Ab Chunk { $chunk } ist nur noch auf { $count_text } Platten Platz.
  }

# Profile.
profile-basis = Grundlage
profile-from = Herkunft
profile-shipped = mitgeliefert
profile-basis-measured = gemessen
profile-basis-data_sheet = Datenblatt
profile-basis-class = Geräteklasse
profile-basis-none = nicht angegeben

# Kalibrierungen.
calibrate-heading = { $count ->
    [one] Ein Profil von { $names }
   *[other] Profile von { $names }
  }
calibrate-points = { $count ->
    [one] aus { $count_text } Messpunkt von { $source }
   *[other] aus { $count_text } Messpunkten von { $source }
  }
calibrate-study = Studie { $study }
calibrate-made = erstellt
calibrate-name = Name
calibrate-file = Datei
calibrate-file-size = Dateigröße
calibrate-pattern = Muster
calibrate-measured = gemessen
calibrate-simulated = simuliert
calibrate-error = Fehler
calibrate-used-for = Zweck
calibrate-used-check = Prüfung
calibrate-mean-error = mittlerer |Fehler|
calibrate-mean-error-name = mittlerer Fehler
calibrate-of = bei
calibrate-points-head = Punkte
calibrate-error-device = für das Gerät benutzt
calibrate-error-host = für den Host benutzt
calibrate-error-check = nur geprüft
calibrate-error-before = vor der Anpassung
calibrate-error-left-out = ausgelassen und vorhergesagt
calibrate-between = Kurve, zwischen den übrigen
calibrate-beyond = Kurve, außerhalb der übrigen
calibrate-between-loads = Anfragen unterwegs, zwischen den übrigen
calibrate-beyond-loads = Anfragen unterwegs, außerhalb der übrigen
calibrate-host-kept = Kein Punkt misst ein Array, daher lässt sich der Host nicht kalibrieren: Es bleibt beim Profil `{ $host }`.
calibrate-host = Host { $host }
calibrate-device = Gerät { $device }
calibrate-fitted = angepasst
calibrate-interval = 95-%-Intervall
calibrate-from-to = { $least } bis { $most }
calibrate-unknown = nicht bestimmt
calibrate-identified = bestimmt
calibrate-not-identified = durch diese Punkte nicht bestimmt
calibrate-no-limit = unbegrenzt
calibrate-assumed = Angenommen
assumed-kernel = Die Studie nennt keinen `kernel`: die Regeln von { $kernel }
assumed-device = { $name }: { $assumed }
assumed-host = Host { $name }: { $assumed }
calibrate-no-points = Zellen, die kein Messpunkt sind
no-point = Zelle { $number } ({ $stack } { $pattern } { $block }): { $why }
no-point-samples = hat keine zählenden Messungen
no-point-page-cache = benutzt den Page-Cache
no-point-neighbours = hat Nachbarlast
no-point-trace = spielt einen Trace ab
no-point-block-sizes = hat mehrere Blockgrößen
no-point-sync = öffnet Dateien mit `sync`
no-point-fdatasync = ruft `fdatasync` auf
no-point-rate = hat eine begrenzte Rate
no-point-think-time = pausiert nach jedem Zugriff
no-point-offsets = hat ungleich verteilte Offsets
calibrate-warning = Warnung:
calibrate-next = Nächste Schritte:
calibrate-spread = { $wide ->
    [one] { $wide_text } von { $points } Punkten schwankt um mehr als ± { $limit } oder hat zu wenige Messungen
   *[other] { $wide_text } von { $points } Punkten schwanken um mehr als ± { $limit } oder haben zu wenige Messungen
  }; am meisten { $load } mit ± { $half }. Profile daraus sind ebenso unsicher
calibrate-next-measurement = Von den Lasten, die { $question ->
    [arrays] Arrays aus diesem Laufwerk
   *[study] die Arrays der Studie
  } auf ein Laufwerk bringen, ist `{ $load }` mit Tiefe { $depth } am wenigsten bekannt: eine Messung auf `{ $profile }` allein würde { $cells ->
    [one] eine Vorhersage
   *[other] { $cells_text } Vorhersagen
  } am stärksten einengen.
calibrate-spread-no-interval = { $wide ->
    [one] { $wide_text } von { $points } Punkten schwankt um mehr als ± { $limit } oder hat zu wenige Messungen
   *[other] { $wide_text } von { $points } Punkten schwanken um mehr als ± { $limit } oder haben zu wenige Messungen
  }; am unsichersten ist { $load } mit { $samples ->
    [one] { $samples_text } Messung
   *[other] { $samples_text } Messungen
  } und ohne Intervall. Profile daraus sind ebenso unsicher

# Der Plan einer Studie.
plan-layers = Schichten
plan-cell = Zelle
plan-in-all-cells = in allen Zellen
plan-trace = Trace
plan-trace-kept = { $file }: { $reads_text } Lesen, { $writes_text } Schreiben und { $flushes ->
    [one] { $flushes_text } Flush
   *[other] { $flushes_text } Flushes
  } in { $time }, auf { $size }; { $left_out ->
    [one] { $left_out_text } Eintrag ausgelassen
   *[other] { $left_out_text } Einträge ausgelassen
  }
plan-trace-flat-out = { $file }: { $reads_text } Lesen, { $writes_text } Schreiben und { $flushes ->
    [one] { $flushes_text } Flush
   *[other] { $flushes_text } Flushes
  } so schnell wie möglich, auf { $size }; { $left_out ->
    [one] { $left_out_text } Eintrag ausgelassen
   *[other] { $left_out_text } Einträge ausgelassen
  }
plan-compared = verglichen
plan-compared-with = { $metric } von { $count ->
    [one] { $count_text } Zelle
   *[other] { $count_text } Zellen
  } mit { $baseline }
plan-compared-nothing = nichts: `[compare]` nennt keine Basis
plan-samples = Messungen
plan-samples-of = { $least } bis { $most } zu je { $time } für { $count ->
    [one] { $count_text } Zelle
   *[other] jede von { $count_text } Zellen
  } nach dem Aufwärmen, bis das Intervall höchstens ±{ $interval } ist
plan-time = Zeit
plan-time-range = { $least } bis { $most } (Budget { $budget })
plan-time-about = etwa { $least } (Budget { $budget })
plan-time-short = { $budget }, das Budget; die mindestens nötigen Messungen aller Zellen würden { $least } dauern
plan-lab-time = Zeit im Labor
plan-worlds = Welten
plan-model = Modell: ja, in Sekunden (`--world model`)
plan-model-not = Modell: nein: { $why }
plan-lab = Labor: ja, auf modellierten Platten (`--world lab`)
plan-lab-not = Labor: nein: { $why }
plan-metal = metal: ja, auf den Geräten unter `[may_destroy]`
plan-metal-here = Hardware: ja, in `{ $target }`
plan-metal-not = Hardware: noch nicht: { $why }
plan-why-no-devices = Der Stapel `{ $stack }` nennt keine Geräte, daher gibt es nichts zu simulieren
plan-why-not-listed = Der Stapel `{ $stack }` nennt Geräte, aber `[may_destroy]` führt keine Blockgeräte für sie auf
plan-why-no-guest = Kein Gast ist vorbereitet: Führen Sie { $commands } aus
plan-why-no-guest-with = Kein Gast mit Kernel { $kernels } ist vorbereitet: Führen Sie { $commands } aus{ $source ->
    [any] , mit `--suite NAME` bei einem Kernel, den die Paketquellen dieser Maschine nicht haben
    [path] , PATH ist das, woraus der Gast besteht
   *[named] {""}
  }
plan-why-no-tools = Der Gast des Labors hat keine Werkzeuge für das Dateisystem `{ $kind }`
plan-why-one-frequency = Der Prozessor im Gast des Labors läuft mit nur einer Frequenz: Er hat weder `governor` noch `energy_preference` noch `turbo`
plan-why-no-c-states = Der Prozessor im Gast des Labors hat keine C-States, die `cpu_dma_latency_us` begrenzen könnte
plan-touches = verändert
plan-touches-nothing = nichts
plan-touches-devices = löscht alle Daten auf { $devices }, nachdem Sie jedes Gerät bestätigt haben
plan-touches-files = { $count ->
    [one] { $count_text } Datei
   *[other] { $count_text } Dateien
  } ({ $size }) in einem neuen Verzeichnis unter `--target`, am Ende gelöscht

# Der Speicherstapel einer Maschine.
predict-title = Vorhersage
why-title = Was es begrenzt, und was es ändern würde

## Was mehrere Vorhersagen entscheiden.

predict-choice-one = { $load }: { $best } gibt am meisten{ $doubt }; { $next } mit { $less } weniger.
predict-choice-one-ahead = { $load }: { $best } liegt vorn{ $doubt }; { $next } mit { $less } weniger.
predict-choice-several = { $load }: { $best } geben am meisten{ $doubt }, und sind innerhalb von { $margin } gleich{ $same }; { $next } mit { $less } weniger.
predict-choice-several-ahead = { $load }: { $best } liegen vorn{ $doubt }, und sind innerhalb von { $margin } gleich{ $same }; { $next } mit { $less } weniger.
predict-choice-next = { $next } folgt
predict-choice-next-several = { $next } folgen, innerhalb von { $margin } gleich,
predict-choice-unsettled = { $sentence } Diese Reihenfolge kann sich ändern: Die Simulation von { $stacks } endete vor dem Dauerbetrieb. `--state fresh` zeigt, womit neue Geräte beginnen.
predict-choice-own-rate = { $load }: Die eigene Rate der Last entscheidet, und alle halten mit ihr Schritt: Sie sind gleich.
predict-choice-same = { $load }: Alle sind innerhalb von { $margin } gleich{ $same }.
predict-choice-loads = Im Mittel über { $loads } Lasten

## Was man bauen soll: `advise`.

advise-title = Was man bauen soll
advise-build = Bauen Sie { $design }.
advise-none = Keiner dieser Entwürfe leistet, was verlangt ist: { $requirements }.
advise-unsure = Das ist nicht sicher: Vorhersagen unten, die vor dem Dauerzustand an der Aufwandsgrenze einer Simulation endeten: { $short } von { $all }.
advise-gives = Das gibt { $results }.
advise-gives-load = { $value } bei { $load }{ $state ->
    [fresh] { " (frische Geräte)" }
    [beside] { " (eingeschwungene Geräte)" }
   *[steady] { "" }
  }
advise-lasts = Bei dieser Menge erreichen seine Geräte ihre Nennschreibmenge nach { $years }.
advise-lasts-unasked = Wie lange seine Geräte halten, hängt davon ab, was an einem Tag geschrieben wird: `--writes-per-day 50G` sagt es.
advise-gives-about = Das gibt etwa { $value }, im Mittel über die Lasten.
advise-stopped = Vorzeitig beendet, dies ist also der bisher beste. Nicht angesehen: { $parts }.
advise-unseen-designs = { $unseen } von { $designs_text } Entwürfen
advise-unseen-requirements = was neben der Rate eine Simulation braucht, etwa `commit_p99`, `years` und `rebuild`
advise-unseen-others = was andere Entwürfe geben, so genau wie in einer Tabelle
advise-unseen-effort = was ein Umzug vom jetzigen Array aus braucht
advise-unseen-protected = was Laufwerke mit Stromausfallschutz ändern würden
advise-unseen-front = was jeder Entwurf bewahrt und kostet
advise-unseen-varied = etwas andere Lasten
advise-brief = `--front` zeigt auch, was jeder Entwurf bewahrt und kostet (Commits, ein fehlendes Gerät, ein Wiederaufbau, die Verlustwahrscheinlichkeit), und ob die Wahl für etwas andere Lasten gilt.
advise-survives-none = Er verliert alle Daten mit dem ersten Gerät, das ausfällt; `--require survive=1` verlangt einen, der das nicht tut.
advise-alone = Kein anderer Entwurf ist innerhalb von { $margin } gleich.
advise-any-chunk = Der Chunk ist hier gleichgültig: Alle von { $least } bis { $most } sind innerhalb von { $margin } gleich.
advise-same = { $count ->
    [one] Dieser Entwurf ist
   *[other] Diese Entwürfe sind
  } innerhalb von { $margin } gleich: { $designs }{ $more ->
    [zero] { "" }
   *[other] { " " }und { $more_text } weitere
  }.
advise-fresh = So ist es auf eingeschwungenen Geräten. Auf frischen gilt: { $gives }.
advise-simplest-default = Von Gleichen nimmt man den einfachsten: Nichts an diesem weicht von dem ab, was mdadm von sich aus tut.
advise-simplest = Von Gleichen nimmt man den einfachsten: Dieser hat die wenigsten Besonderheiten ({ $parts }).
advise-most-space = Von Gleichen fasst dieser die meisten Daten.
advise-special-parity = Parität, kleine Schreibzugriffe lesen also erst
advise-special-survived = { $failures ->
    [one] ein Ausfall mehr überstanden als verlangt
   *[other] { $failures_text } Ausfälle mehr überstanden als verlangt
  }
advise-special-layout = ein anderes Layout als das von mdadm
advise-special-chunk = ein anderer Chunk als der von mdadm
advise-special-bitmap = eine andere Bitmap als die von mdadm
advise-nearest = Am nächsten kommt { $design }: { $misses }. Verzichten Sie auf das Unwichtigste, oder nehmen Sie mehr Geräte.
advise-misses-survive = er übersteht { $value } ausgefallene Geräte statt { $limit }
advise-misses-capacity = er fasst { $value } statt { $limit }
advise-misses-commit = 99 % der Commits dauern bis zu { $value } statt { $limit }
advise-misses-years = er hält { $value } statt { $limit }
advise-misses-rebuild = ein Rebuild dauert { $value } statt { $limit }
advise-misses-price = seine Geräte kosten { $value } statt { $limit }
advise-misses-unknown = ob er `{ $requirement }` leistet, ist nicht bekannt, und das zählt als Nein
advise-years = { $years } Jahre
advise-robust = Sind die Lasten ein wenig anders (Blöcke und Tiefe halbiert und verdoppelt, 20 von 100 I/Os lesen statt schreiben und umgekehrt), so bleibt er in { $within } von { $all ->
    [one] 1 Fall
   *[other] { $all_text } Fällen
  } innerhalb von { $margin } des besten.
advise-would-change = Mit { $variation } gibt { $design } { $more } mehr.
advise-vary-half-blocks = halb so großen Blöcken
advise-vary-double-blocks = doppelt so großen Blöcken
advise-vary-half-depth = halber Tiefe
advise-vary-double-depth = doppelter Tiefe
advise-vary-more-reads = 20 Lesezugriffen mehr je 100 I/Os
advise-vary-more-writes = 20 Schreibzugriffen mehr je 100 I/Os
advise-protected = Mit Schutz vor Stromausfall in denselben Laufwerken werden Commits { $times }-mal so schnell; das gibt kein Level.
advise-other = { $gives }.
advise-other-less = { $design } gibt { $less } weniger
advise-other-more = { $design } gibt { $more } mehr
advise-other-same = { $design } gibt ebenso viel
advise-usual-is-it = Es ist auch das, was üblicherweise geraten wird: RAID 10 mit den Vorgaben von mdadm.
advise-usual-same = Was üblicherweise geraten wird, { $design }, ist innerhalb von { $margin } gleich.
advise-usual-gives = Was üblicherweise geraten wird: { $gives }.
advise-usual-refused = Was üblicherweise geraten wird, { $design }, leistet nicht, was verlangt ist.
advise-without-redundancy = { $design } gäbe das { $times }-Fache, und verliert alle Daten mit dem ersten Gerät, das ausfällt.
advise-require-survive = { $devices ->
    [zero] kein Gerät muss ausfallen dürfen
    [one] ein beliebiges Gerät darf ausfallen
   *[other] { $devices_text } beliebige Geräte dürfen ausfallen
  }
advise-require-capacity = mindestens { $size } an Daten
advise-require-commit = 99 % der Commits dauerhaft innerhalb von { $limit }
advise-require-years = mindestens { $limit } bis zur zugesagten Schreibmenge
advise-require-rebuild = ein Rebuild innerhalb von { $limit }
advise-require-price = höchstens { $limit } für alle Geräte
advise-required = Verlangt: { $requirements }.
advise-required-and-assumed = Verlangt: { $requirements }. Angenommen, da nichts sagt, wie viele Geräte ausfallen dürfen: { $assumed }. `--require survive=0` verzichtet darauf.
advise-assumed = Nichts ist verlangt, darum ist angenommen: Ein beliebiges Gerät darf ausfallen. Auf zwei Antworten kommt es am meisten an: wie viele Geräte zugleich ausfallen dürfen (`--require survive=2`), und wie viele Daten es fassen muss (`--require "capacity>=900G"`).
advise-own-stay = Bleiben Sie bei { $array }, { $own }: Nichts von dem, was gesucht wurde, ist sicher um mehr als { $margin } besser.
advise-own-move = Bauen Sie { $design } statt { $array }, { $own }.
advise-own-measure = Bauen Sie vielleicht { $design } statt { $array }, { $own }, aber messen Sie vorher.
advise-own-more = Das gibt { $more } mehr als { $array }: Was jetzt eine Stunde dauert, dauert dann { $minutes } Minuten, wenn es auf nichts als die Platten wartet.
advise-own-more-between = Das gibt { $more } mehr als { $array } ({ $low } bis { $high }, nach den Simulationen): Was jetzt eine Stunde dauert, dauert dann { $minutes } Minuten, wenn es auf nichts als die Platten wartet.
advise-own-less = Das gibt { $less } weniger als { $array }: Der Umzug dient dem, was verlangt ist, nicht dem Tempo.
advise-own-sure = Dass das schneller ist, steht im Modell außer Zweifel: Ein Fehler des Profils verschiebt beide. Wartet niemand auf diese Lasten, so bleiben Sie: Tempo ist alles, was der Umzug gibt.
advise-own-doubt = Dass das schneller ist, steht nicht außer Zweifel: Wie weit die Laufwerke vom Profil `{ $profile }` entfernt sind, kann die Reihenfolge umkehren. `--save FILE` schreibt eine Studie, die beide auf freien Geräten oder im Labor misst.
advise-own-misses = { $array } leistet nicht, was verlangt ist: { $misses }.
advise-own-bitmap = Der Umzug dauert Sekunden, während das Array benutzt wird: `{ $command }`. `{ $undo }` macht ihn rückgängig.
advise-own-reshape = md ändert den Chunk an Ort und Stelle: `{ $command }`. Das schreibt alle Daten neu, dauert Stunden bis Tage, und bremst { $array } so lange. Machen Sie vorher ein Backup: Ein Fehler unterwegs kann alles kosten. Dasselbe mit Chunk { $chunk } macht es rückgängig.
advise-own-anew = Der Umzug: { $data } von { $array } auf etwas anderes sichern, und zur Probe einen Teil davon zurückspielen. Dann { $array } anhalten, das neue Array aus denselben Geräten bauen, und alles zurückkopieren.
advise-own-data = die Daten
advise-own-data-known = die { $bytes } Daten
advise-own-copy = Das Zurückkopieren dauert mindestens { $time } bei der Rate, mit der das neue Array schreibt; vom ersten Schritt bis zum letzten lassen sich die Daten nicht ändern.
advise-own-sync = Das neue Array gleicht sich neben den Lasten etwa { $time } lang ab, und ist so lange langsamer.
advise-own-undo = Rückgängig machen lässt sich das nicht: Ab `mdadm --create` ist das Backup alles, was von { $array } bleibt.
advise-own-unlike = { $array } ist nicht verglichen, ob sich der Umzug lohnt, ist also nicht bekannt: { $why }.
advise-own-one-disk = zwei seiner Mitglieder liegen auf einer Platte, und jeder Entwurf hat für jedes Mitglied eine eigene
advise-own-as = { $array } ist als { $own } verglichen{ $searched ->
    [yes] { "" }, einer der Entwürfe, die ohnehin gesucht werden
   *[no] { "" }, der zu den gesuchten Entwürfen hinzukam
  }.
advise-own-profile = Seine Laufwerke ({ $drives }) sind als `{ $profile }` simuliert{ $fit ->
    [model] { "" }, das Profil dieses Modells
    [beginning] { "" }, das Profil eines Modells, dessen Name so beginnt, und von derselben Größe
    [size] { "" }, das Profil desselben Modells in anderer Größe: Platz und Rebuild-Zeiten sind die dieser Größe
   *[named] { "" }, wie `--devices` sagt
  }.
advise-own-no-model = Modell unbekannt
advise-own-missing = { $array } { $count ->
    [one] fehlt ein Mitglied
   *[other] fehlen { $count_text } Mitglieder
  }, und es ist mit allen verglichen. Ersetzen Sie vor allem anderen, was fehlt: `stripewise check`.
advise-own-busy = { $array } ist gerade mit { $action } beschäftigt, und ist ohne das verglichen.
advise-own-row = { $stack } ({ $array })
advise-assumed-own = Nichts ist verlangt, darum ist angenommen, was { $array } jetzt leistet: { $requirements }. `--require` verlangt anderes, etwa `--require survive=2 --require "capacity>=900G"`.
advise-nothing-required = Nichts ist verlangt.
advise-how = Wie man es baut
advise-how-overwrites = `mdadm --create` überschreibt die Geräte, und das lässt sich nicht rückgängig machen: Setzen Sie die Namen leerer Geräte ein (`ls -l /dev/disk/by-id`).
advise-step-create = Das Array anlegen; es ist benutzbar, während es abgleicht:
advise-step-config = Seinen Namen über einen Neustart erhalten, und ihn dem Initramfs sagen:
advise-step-boot = Zum Booten braucht es nichts weiter, denn dieses Array hält nur Daten: Das System gehört auf ein eigenes Gerät oder einen eigenen Spiegel.
advise-step-mkfs-ext4 = Das Dateisystem anlegen; stride ist ein Chunk, stripe_width eine Reihe von Daten-Chunks, in Blöcken von 4 KiB:
advise-step-mkfs-xfs = Das Dateisystem anlegen; su ist ein Chunk, sw die Zahl der Daten-Chunks einer Reihe:
advise-step-mkfs = Das Dateisystem anlegen:
advise-step-mount = Es bei jedem Start einhängen; mit nofail startet das System auch ohne es:
advise-step-trim = Freien Platz einmal in der Woche trimmen, damit die SSDs schnell bleiben:
advise-step-mail = Eine Mail bekommen, wenn ein Gerät ausfällt (mit einem Mailsystem, das sie zustellt):
advise-step-scrub = Alle Kopien einmal im Monat vergleichen; der Timer von Debian tut es, wenn er an ist:
advise-later = Später
advise-later-replace = Ein Gerät ersetzen, bevor es ausfällt, ohne Redundanz zu verlieren:
advise-later-failed = Ein Gerät ersetzen, das ausgefallen ist:
advise-later-grow = Um ein Gerät vergrößern; das Umschichten dauert Stunden bis Tage, und braucht vorher ein Backup:
advise-later-grow-mirror = Vergrößern: jedes Gerät nacheinander durch ein größeres ersetzen, und dann:
advise-later-no-grow = Um ein Gerät vergrößern lässt es sich nicht: md schichtet kein RAID 10 mit fernen Kopien um; ein größeres wird neu gebaut.
advise-later-fs = Dann das Dateisystem vergrößern:
advise-later-backup = Redundanz ist kein Backup: Gelöschte und beschädigte Daten sind auf allen Geräten fort. Sichern Sie auf etwas anderes, und stellen Sie zur Probe einmal daraus wieder her.
advise-later-undo = Was sich nicht rückgängig machen lässt: `--create` und `mkfs` löschen, was da war; Level, Layout und Chunk ändert nur ein Umschichten oder ein Neubau; XFS wird nicht kleiner.
advise-front = Was jeder Entwurf bewahrt und kostet
advise-front-says = „Tempo“ ist das der Lasten, in Prozent des schnellsten, der das Verlangte leistet; „ohne eines“ ist, was vom eigenen mit einem fehlenden Gerät bleibt; „Commit p99“ ist die Zeit, in der 99 % der Commits dauerhaft sind (eines Schreibers von 4 KiB, wenn keine Last etwas dauerhaft macht); „Rebuild“ ist neben den Lasten; „Verlust“ ist die Wahrscheinlichkeit in 5 Jahren.
advise-front-caption = Tempo der Lasten gegen Platz für Daten: Was in beidem besser ist, läge weiter oben und weiter rechts
advise-front-years = Tempo der Lasten gegen die Jahre bis zur zugesagten Schreibmenge: Nichts, was in beidem besser ist, liegt weiter oben und rechts
advise-front-others = andere Entwürfe
advise-axis-speed = Tempo der Lasten, in Prozent dessen des empfohlenen Entwurfs
advise-axis-years = Jahre bis zur zugesagten Schreibmenge
advise-axis-p99 = Zeit, in der 99 % der I/Os fertig sind
advise-axis-load = Durchsatz von { $load }
advise-opened-best = Dies ist der Entwurf, der zu bauen ist.
advise-opened-same = Er ist dem empfohlenen innerhalb der Toleranz gleich.
advise-opened-refused = Er tut nicht, was verlangt ist: { $misses }.
advise-column-speed = Tempo
advise-column-degraded = ohne eines
advise-column-survives = übersteht
advise-column-holds = fasst
advise-column-commit = Commit p99
advise-column-price = Preis
advise-column-roles = wer das rät
advise-name-speed = Tempo der Lasten, in Prozent des schnellsten, der das Verlangte leistet
advise-name-degraded = Tempo mit einem fehlenden Gerät, in Prozent des ganzen
advise-name-survives = Geräte, die ausfallen dürfen, gleich welche
advise-name-holds = Platz für Daten
advise-name-commit = Zeit, in der 99 % der Commits dauerhaft sind
advise-name-price = Preis aller Geräte
advise-role-advised = geraten
advise-role-usual = üblich
advise-role-calculated = Rechner
advise-role-own = jetzt
advise-role-without-redundancy = ohne Redundanz
advise-counts = { $designs ->
    [one] { $designs_text } Entwurf wurde
   *[other] { $designs_text } Entwürfe wurden
  } betrachtet: { $refused } abgelehnt ({ $by }), { $bounded } durch Schranken ausgeschieden, { $coarse } nur grob simuliert, { $precise } so genau wie die Tabelle.
advise-counts-all = { $designs ->
    [one] { $designs_text } Entwurf wurde
   *[other] { $designs_text } Entwürfe wurden
  } betrachtet: keiner abgelehnt, { $bounded } durch Schranken ausgeschieden, { $coarse } nur grob simuliert, { $precise } so genau wie die Tabelle.
advise-refused-by = { $count } durch { $requirement }
advise-not-searched = Nicht betrachtet, da das Modell sie nicht kennt: mehrere Arrays auf Abschnitten derselben Platten, PPL, Journale und weitere Threads von RAID 5. Nicht betrachtet, da jedes die Entwürfe vervielfacht: weniger Mitglieder als Geräte, LVM, ZFS, btrfs, der Streifencache, Scheduler, Read-ahead; `stripewise predict` und Studien beantworten jedes davon. Bitmaps, Dateisysteme und Reserven nur wie verlangt (`--bitmap`, `--filesystem`, `--spares`).
