## Gespeicherte Läufe im Terminal: `show`, `compare`, `runs`.

judged-different = { $difference } { $word }
judged-open = { $difference }: { $word }

compare-none = Keine Zelle ließ sich vergleichen.

## Der Kopf eines Laufs.

show-world = Welt { $world }
show-imported = aus fio importiert
show-origin = von { $origin }
show-tags = Tags { $tags }
show-rules = Kernel-Regeln { $rules }
show-host-profile = Hostprofil { $host }
show-host-profile-cores = Hostprofil { $host } mit { $cores ->
    [one] einem Kern
   *[other] { $cores } Kernen
  }
show-device-profiles = Geräteprofile { $devices }
show-target-devices = Geräte, die überschrieben werden dürfen
show-target = { $path } ({ $filesystem })
show-target-on = { $path } ({ $filesystem } auf { $source })
show-samples = { $cells ->
    [one] { $cells_text } Zelle
   *[other] { $cells_text } Zellen
  }, { $counted } von { $all } Messungen zählen
show-memory = { $size } Arbeitsspeicher
show-virtual = virtuell ({ $hypervisor })
show-seed = Startwert { $seed }
show-answer-title = Lauf { $id }
show-title-files = { $files } und { $count } weitere
show-running = Dieser Lauf ist noch nicht abgeschlossen
show-import-unfinished = Der Import dieses Laufs wurde nicht abgeschlossen
show-foreign-unfinished = Dieser Lauf wurde nicht beendet: Nur der Speicher, aus dem er importiert wurde, kennt seine Geräte und kann ihn fortsetzen
show-interrupted = Dieser Lauf wurde unterbrochen: `{ $command }` setzt ihn fort
show-failed = Dieser Lauf schlug fehl: `{ $command }` setzt ihn fort, sobald die Ursache behoben ist
show-listed-differences = Aufgeführt sind { $listed } von { $all } Zellen: die größten Unterschiede und die Zellen mit Warnungen. `{ $command }` führt alle auf.
show-listed-extremes = Aufgeführt sind { $listed } von { $all } Zellen: die höchsten und niedrigsten Werte und die Zellen mit Warnungen. `{ $command }` führt alle auf.

## Die Tabelle eines Laufs.

show-column-limit = begrenzt durch
show-column-samples = Messungen
show-column-against = gegenüber { $baseline }
show-column-metric-against = { $metric } gegenüber { $baseline }
show-baseline = Basis
table-no-room = Kein Platz für { $columns }: Ein breiteres Terminal zeigt { $count ->
    [one] diese Spalte
   *[other] diese Spalten
  }
table-interval-unknown = (Intervall unbekannt)
table-all-columns = alle Spalten
show-no-answer = keine Antwort

## Die Anmerkungen darunter.

show-median = Jeder Wert ist der Median seiner Messungen.
show-interval = ± ist die breitere Seite, (a–b) sind beide Enden des Intervalls, das diesen Median in 95 von 100 solchen Läufen enthält.
show-interval-bars = Ein Balken ist bis zum unteren Ende des Intervalls gefüllt und bis zum oberen schattiert.
show-interval-predicted = ± ist die breitere Seite, (a–b) sind beide Enden des Intervalls, in dem 95 von 100 Messungen liegen sollten.
show-interval-missing = { $sign }: zu wenige Messungen für ein Intervall.
import-many = { $count ->
    [one] Eine Messung wurde importiert
   *[other] { $count_text } Messungen wurden importiert
}; `stripewise show { $run }` zeigt die Zellen und ihre Zahlen.
show-import-more = Sechs Messungen einer Zelle ergeben ein Intervall: Importieren Sie die Dateien wiederholter Läufe zusammen.
show-moved-range = Für jedes Byte, das die Last { $direction ->
    [read] las, lasen
   *[write] schrieb, schrieben
  } die Platten { $low } bis { $high } Byte, die meisten bei { $cell }: Die Schichten darüber fügen Kopien, Parität, Journale oder Bäume hinzu.
show-host-clock = Kein Kern lief bei einer Ablesung schneller als { $clock } (`{ $file }`).
show-host-temperature = Der Prozessor erreichte { $temperature }.
show-host-no-clock = den Takt der Kerne
show-host-no-temperature = die Temperatur des Prozessors
show-host-no-interrupts = die Interrupts jedes Kerns
show-host-load-cpus = Die Last mit `cpus = "{ $asked }"` lief auf CPU { $cpus }.
show-host-hides = Dieser Rechner zeigt nicht: { $what }.
show-next = Nächste Schritte:
show-repeat = Zum Wiederholen:

## Warnungen zu einem Lauf.

noticed-warning = Warnung: { $sentence }
noticed-warning-at = Warnung: { $cell }: { $sentence }
noticed-hint = Hinweis: { $hint }
noticed-series = im zeitlichen Verlauf: { $values } MiB/s
noticed-series-chart = im zeitlichen Verlauf: { $chart }  zuerst { $first }, zuletzt { $last } MiB/s
noticed-samples = { $count ->
    [one] { $count_text } Messung
   *[other] { $count_text } Messungen
  }
noticed-samples-lost = { $count ->
    [one] { $count_text } Messung, aufbewahrt und nicht gezählt
   *[other] { $count_text } Messungen, aufbewahrt und nicht gezählt
  }
noticed-also = { $is_unlike ->
    [true] mit anderen Zahlen auch
   *[false] auch
  } bei { $cells }
noticed-also-more = { $is_unlike ->
    [true] mit anderen Zahlen auch
   *[false] auch
  } bei { $cells } und { $count } weiteren
noticed-each = die Zahlen jeder Zelle
noticed-each-cell = { $cell }: { $sentence }

## Ein Ausfall im Verlauf.

failure-phase = { $phase } { $throughput }
failure-peak = Spitze { $value } MiB/s
failure-failed = Gerät { $device } fällt nach { $time } aus
failure-replaced = Gerät { $device } wird nach { $time } ersetzt
failure-re-added = Gerät { $device } ist nach { $time } zurück
failure-rebuilt = nach { $time } wieder aufgebaut
failure-rebuild = der Wiederaufbau dauert { $time }
failure-rebuild-at = der Wiederaufbau dauert { $time } bei { $speed }
failure-rebuild-reached = { $reached } von { $size } wieder aufgebaut
failure-rebuild-still = der Neuaufbau steht neben dieser Last am Ende der Messung still: `sync_speed_min` von md sagt, was er bekommt
failure-rebuild-would = der Wiederaufbau würde { $time } dauern
failure-rebuild-would-at = der Wiederaufbau würde { $time } dauern, zuletzt mit { $speed }

## Zwei Läufe oder zwei Gruppen von Zellen.

compare-answer-title = Vergleich
compare-metric-in = { $metric } in { $unit }
compare-title = { $what }: Lauf { $other } gegenüber Lauf { $baseline }
compare-title-within = { $what } innerhalb von Lauf { $run }
compare-listed = Aufgeführt sind { $listed } von { $all } Zellen: die größten Unterschiede. `{ $command }` führt alle auf.
compare-column-cell = Zelle
compare-column-difference = Unterschied
compare-machine-changed = Die Maschine hat sich geändert: { $change }
compare-other-world = Die Läufe sind aus verschiedenen Welten: { $change }
changed-fact = { $fact }: { $before } -> { $now }
changed-world = Welt: { $before ->
    [metal] Hardware
    [lab] Labor
    [model] Modell
   *[other] { $before }
  } -> { $now ->
    [metal] Hardware
    [lab] Labor
    [model] Modell
   *[other] { $now }
  }
compare-no-answer = Keine Antwort: { $cell }
compare-only-in-one = Nur in einem der Läufe: { $cells }
compare-within = Innerhalb einzelner Messungen schwankte der Durchsatz (Standardabweichung): { $cells }. Das zeigt, wie gleichmäßig jede verlief, nicht, wie weit eine weitere Messung abweichen würde.
compare-matched-load = Die Zellen sind nach ihrer Last zugeordnet: Deren Namen unterscheiden sich.
compare-matched-layers = Die Zellen sind nach Last und Schichten zugeordnet: „{ $one }“ ist derselbe Stapel wie „{ $other }“.
compare-matched-existing = Die Zellen sind nur nach ihrer Last zugeordnet: Von „{ $one }“ und „{ $other }“ ist eines vorhandener Speicher, dessen Schichten nicht aufgezeichnet sind.
compare-steady = Verglichen werden eingeschwungene Geräte; frische unterscheiden sich davon. `stripewise show` zeigt beide.
compare-paired = Abwechselnd durchgeführte Messungen werden Paar für Paar verglichen.
compare-unpaired = Diese Messungen wurden nicht abwechselnd durchgeführt: Der Unterschied enthält auch jede andere Änderung zwischen ihnen.
compare-interval = ± ist die breitere Seite, (a–b) sind beide Enden des Intervalls, das den Median in 95 von 100 solchen Läufen enthält; eckige Klammern sind ein solches Intervall des Unterschieds.
compare-intervals-none = Zu wenige Messungen für Intervalle: Ein Unterschied kann Zufall sein.

## Die Liste der Läufe.

list-title = Läufe
facts-title = Diese Maschine
profiles-title = Profile
workloads-title = Mitgelieferte Lasten
studies-title = Mitgelieferte Studien
calibrate-title = Kalibrierung
doctor-title = Was das Labor braucht
list-column-run = Lauf
list-column-begun = Beginn
list-column-took = Dauer
list-column-world = Welt
list-column-state = Zustand
list-column-cells = Zellen
list-column-samples = Messungen
list-column-tags = Tags
list-column-question = Frage
list-running = läuft
list-done-empty = fertig ({ $count } leer)
list-time-unknown = unbekannt

## Die Merkmale einer Maschine.


## Gefährdete Daten, unter der Tabelle der Zellen.

risk-heading = Was ein Stromausfall kostet
risk-head-bytes-p50 = p50
risk-head-age-p50 = Alter p50
risk-head-bytes-p99 = p99
risk-head-age-p99 = Alter p99
risk-head-bytes-max = max
risk-head-age-max = Alter max
risk-column-writes = Schreibvorgänge
# Namen der Spalten in Sätzen, wenn eine Tabelle keinen Platz für Spalten hat.
risk-column-bytes-p50 = flüchtige Bytes, p50
risk-column-bytes-p99 = flüchtige Bytes, p99
risk-column-bytes-max = flüchtige Bytes, Maximum
risk-column-age-p50 = Alter des ältesten, p50
risk-column-age-p99 = Alter des ältesten, p99
risk-column-age-max = Alter des ältesten, Maximum
risk-acknowledged = bestätigt
risk-promised = als dauerhaft zugesagt
risk-meaning = Bytes im Seitencache oder im flüchtigen Cache eines Laufwerks und das Alter der ältesten, über die Zeit des Laufs. Bestätigt: Der Schreibvorgang ist zurückgekehrt. Als dauerhaft zugesagt: Ein fsync, O_SYNC oder O_DSYNC, das ihn einschließt, ist zurückgekehrt. Unbegrenzt: Während der Messung wurde nichts dauerhaft, die Zahlen wachsen mit dem Lauf.

## Stromausfälle, anstelle der Tabelle der Zellen. Ein Kopf mit ~ hat simulierte Zahlen.

cut-heading = Was ein Stromausfall nimmt
cut-span = { $least } bis { $most }
cut-meaning-measured = Gemessen: „verloren“ zählt Ausfälle, nach denen bestätigte Daten fehlten oder falsch waren oder der Stapel nicht wiederkam; „defekt“ zählt Stapel, die nicht wiederkamen; „falsch“ zählt Stapel, die mit falschen Daten und ohne Fehlermeldung wiederkamen.
cut-meaning-unusable = Zeit ist das Alter des ältesten verlorenen Datensatzes, über die Stapel, die wiederkamen. Ein defekter Stapel hat vielleicht alles verloren.
cut-meaning-cuts = Ausfälle je Einstellung: { $cuts }, aus { $recordings } Aufnahmen.
cut-meaning-interval = In Klammern steht das 95-%-Intervall. Es zählt Aufnahmen, denn Absturzabbilder einer Aufnahme sind nicht unabhängig.
cut-meaning-unknown = Unbekannte Ausgänge stehen in keinem Anteil: Der Gast starb, oder die Prüfung konnte nicht lesen.
cut-meaning-not-followed = Das Modell sagt für { $stacks } keinen Verlust vorher: Es verfolgt Daten nicht durch btrfs und ZFS und nicht durch Arrays, denen ein Gerät fehlt.
cut-details = Was verloren ging und welcher Schreibzugriff dafür fehlt
cut-values = { $setting }: Von den verlorenen Datensätzen fehlten { $missing_text }, { $old_text } hatten einen früheren Wert, { $unreadable_text } meldeten beim Lesen einen Fehler, und { $wrong_text } hatten einen falschen Wert ohne Fehlermeldung.
cut-states = { $setting }: { $tried_text } Zustände wurden geprüft. Die erste Aufnahme hat { $distinct_text } verschiedene, in denen höchstens ein Schreibzugriff abweicht, aus etwa 2^{ $log } Kombinationen. Sie sind keine zufälligen Ausfälle, daher ist ihr Anteil keine Wahrscheinlichkeit.
cut-smallest = { $setting }: Der kürzeste Verlauf, der noch Daten verliert, hat { $history_text } Schreibzugriffe und Flushes. Von den nicht geflushten blieben { $kept_text } erhalten, und { $lost ->
    [one] einer nicht
   *[other] { $lost_text } nicht
}: { $writes }{ $left ->
    [0] { "" }
   *[other] { " " }und { $left_text } weitere
}. { $tried_text } weitere Abbilder wurden gelesen; { $end ->
    [smallest] mit jedem dieser Schreibzugriffe sind die Daten da
   *[stopped] die Suche endete dort
}.
cut-smallest-none = { $setting }: Die Daten sind verloren, auch wenn jeder Schreibzugriff die Platte erreicht: Nach { $history_text } Schreibzugriffen und Flushes hatte die Platte sie nicht erhalten. { $tried_text } weitere Abbilder wurden gelesen.
cut-smallest-write = Schreibzugriff { $number } ({ $length } ab Byte { $offset }{ $how ->
    [torn] , wovon { $kept } erhalten blieben
    [overtaken] , von einem späteren überholt
   *[missing] { "" }
})
cut-verdict-setting = Einstellung
cut-verdict = erhalten
cut-verdict-word = { $word ->
    [kept] ja
    [lost] nein
   *[unknown] unbekannt
}
cut-reasons = Warum Stapel nicht wiederkamen oder nichts bekannt ist
cut-reasons-all = alle { $count_text } Gründe
cut-reason = { $setting }: { $what }: { $reason }{ $count ->
    [one] { "" }
   *[other] { " " }({ $count_text }-mal)
  }
cut-step-unknown = unbekannt
cut-meaning-simulated = ~ kennzeichnet Zahlen, die das Modell simuliert hat, die Verluste für Ausfälle zu zufälligen Zeitpunkten; ob ein Stapel wiederkommt, sagt es nicht vorher.
advice-heading = Welche Einstellung zu wählen ist

# Spuren (`stripewise characterize`).
trace-heading = { $format } von { $device }: { $ios ->
    [one] ein Lese- oder Schreibzugriff
   *[other] { $ios_text } Lese- und Schreibzugriffe
  } in { $time }, { $bytes } auf { $span }
trace-heading-no-times = { $format } von { $device }: { $ios ->
    [one] ein Lese- oder Schreibzugriff
   *[other] { $ios_text } Lese- und Schreibzugriffe
  } ohne Zeiten, { $bytes } auf { $span }
trace-skipped = Ausgelassen: { $count } ({ $reason })
trace-skipped-malformed = nicht lesbare Einträge
trace-skipped-truncated = ein abgeschnittener Eintrag
trace-skipped-out-of-order = Einträge, die zu spät kommen
trace-skipped-beyond-device = Zugriffe hinter dem Ende des Geräts
trace-skipped-never-began = Enden von Zugriffen, die vor der Aufzeichnung begannen
trace-skipped-never-ended = Zugriffe, deren Ende nicht aufgezeichnet ist
trace-skipped-too-many-under-way = Zugriffe über die hinaus, die zugleich verfolgt werden
trace-skipped-too-many-names = Einträge zu vieler Geräte
trace-skipped-lost = Einträge, die bei der Aufzeichnung verloren gingen
trace-sections = Die Uhr springt: { $count } Teile, etwa Starts oder Dateien, stehen hintereinander
trace-phase-no-times = Phase { $number } von { $of }
trace-phase = Phase { $number } von { $of }: { $spans }
trace-span = { $from } bis { $to }
trace-others = andere
trace-who = wer
trace-what = was
trace-ios-head = Zugriffe/s
trace-ios = Zugriffe je Sekunde
trace-mib-head = MiB/s
trace-mib = Durchsatz
trace-sizes = Größen
trace-depth-head = Tiefe
trace-depth = im Mittel unterwegs
trace-p50-head = p50
trace-p50 = Median der Latenz
trace-p99-head = p99
trace-p99 = 99. Perzentil
trace-places = Orte
trace-size = { $size }
trace-size-share = { $size } ({ $share })
trace-random-reads = verstreutes Lesen
trace-sequential-reads = fortlaufendes Lesen
trace-random-writes = verstreutes Schreiben
trace-sequential-writes = fortlaufendes Schreiben
trace-durable-random-writes = verstreutes dauerhaftes Schreiben
trace-durable-sequential-writes = fortlaufendes dauerhaftes Schreiben
trace-workload = Last: { $load }
trace-beside = Daneben: { $load }
trace-load-pattern = { $pattern } { $block }
trace-load-jobs = { $jobs ->
    [one] ein Job
   *[other] { $jobs_text } Jobs
  } mit Tiefe { $depth }
trace-load-size = je { $size }
trace-load-distribution = { $distribution }
trace-load-rate = höchstens { $rate } Zugriffe je Sekunde
trace-load-rate-each = höchstens { $all } Zugriffe je Sekunde insgesamt ({ $rate } je Job und Richtung)
trace-load-pause = eine Pause von { $time } nach jedem
trace-load-bursts = in Schüben von { $count }, eine Pause von { $time } nach jedem
trace-load-fsync = { $every ->
    [one] fsync nach jedem Schreiben
   *[other] fsync nach je { $every_text } Schreibzugriffen
  }
trace-load-closed = so schnell sie bedient wird
trace-loses = Es fehlt: { $loss }
trace-loss-left-out = kleine Ströme mit { $ios } der Zugriffe und { $bytes } der Bytes
trace-loss-sequential-reads = { $share } dieser Lesezugriffe sind fortlaufend
trace-loss-random-reads = { $share } dieser Lesezugriffe sind verstreut
trace-loss-sequential-writes = { $share } dieser Schreibzugriffe sind fortlaufend
trace-loss-random-writes = { $share } dieser Schreibzugriffe sind verstreut
trace-loss-mean-size = die mittlere Größe ist { $fitted } statt { $trace } Byte
trace-loss-bursts = die Zugriffe kommen in Schüben: ihre Zahl in 100 ms schwankt { $times }-mal so stark wie bei unabhängigen
trace-loss-periods = die Zugriffe kommen und gehen alle { $period }: ihre Zahl in 100 ms schwankt { $times }-mal so stark wie bei unabhängigen
trace-loss-stride = { $share } der Zugriffe beginnen { $stride } Byte nach dem vorigen
trace-loss-no-times = der Trace sagt nicht, wann Zugriffe beginnen; Raten, Tiefe und Latenz sind unbekannt, und die Last geht so schnell, wie sie bedient wird, ein Zugriff nach dem anderen
trace-loss-no-ends = der Trace sagt nicht, wann Zugriffe enden; Tiefe und Latenz sind unbekannt, angenommen ist Tiefe 32
trace-loss-discards = { $count ->
    [one] ein Discard
   *[other] { $count_text } Discards
  }
trace-loss-flushes = { $count ->
    [one] ein Flush
   *[other] { $count_text } Flushes
  } ohne Schreibzugriffe
trace-loss-rates = die Lasten daneben behalten ihre Rate, wie schnell die erste auch ist
trace-loss-footprint = die Zugriffe gehen an wenige Orte von { $span }; die Datei hat { $fitted }
trace-fit = Im Modell, ungebremst
trace-fit-timed = Zu ihren eigenen Zeiten im Modell
trace-fit-beside = Last ungebremst, die anderen zu ihren Zeiten
trace-fit-cache = Cache für ein Viertel der Orte
trace-fit-trace = Trace
trace-fit-workload = Last
trace-fit-difference = Unterschied
trace-fit-ios = Zugriffe je Sekunde
trace-fit-mib = MiB/s
trace-fit-p50 = Median der Latenz
trace-fit-p99 = 99. Perzentil
trace-fit-flush = Median der Latenz von Flushes
trace-fit-traffic = Gerätebytes je Byte
trace-fit-device-reads = { $device }: MiB/s gelesen
trace-fit-device-writes = { $device }: MiB/s geschrieben
trace-cache = Ein Cache von { $size } hätte { $share } der Zugriffe bedient (LRU).
trace-other-devices = { $count ->
    [one] Ein weiteres Gerät ist in dem Trace
   *[other] { $count_text } weitere Geräte sind in dem Trace
  }; `--device` wählt eines.
trace-page-title = Was der Trace zeigt
trace-page-file = Trace { $path }
trace-page-reads = Lesen
trace-page-writes = Schreiben
trace-page-places-caption = Ort auf dem Gerät über der Zeit, darunter Zugriffe je Sekunde. Je kräftiger die Farbe, desto mehr Zugriffe; gestrichelte Linien beginnen eine Phase.
trace-page-per-second = { $rate } /s
trace-page-gaps = Zeit zwischen zweien
trace-page-sizes = Größen
trace-page-sizes-caption = Die häufigsten Größen und ihr Anteil an allen Zugriffen.
trace-page-cache = Was ein Cache bedient hätte
trace-page-cache-caption = Der Anteil der Zugriffe, den ein LRU-Cache jeder Größe bedient hätte.
trace-page-foot = Die Zeit zwischen zweien reicht von 1 µs bis 10 s, jeder Balken ist doppelt so lang wie der davor.
trace-not-compared = Im Modell nicht verglichen: { $reason }
trace-capture-full = Der Mitschnitt endete nach { $seconds } s, weil 1 GiB an Einträgen voll war
trace-written = { $what } in `{ $path }`
trace-written-fio-job = Der fio-Job ist
trace-written-study = Die Studie ist
trace-written-summary = Die Zusammenfassung ohne Namen ist
trace-written-trace = Der Trace ist
