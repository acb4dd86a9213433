## Warum ein Ergebnis anders ist als ein anderes: `explain`.

explain-title = Warum ein Ergebnis anders ist als ein anderes
explain-headline = { $load }: { $percent } { $word } ({ $metric }: vorher { $before }, nachher { $after }).
explain-headline-same = { $load }: kein Unterschied über { $percent } ({ $metric }: vorher { $before }, nachher { $after }).
explain-headline-small = { $load }: { $percent } %, das kann unter der Schwelle von { $margin } liegen ({ $metric }: { $before } vorher, { $after } nachher).
explain-headline-open = { $load }: { $percent } %, aber das kann Rauschen sein ({ $metric }: vorher { $before }, nachher { $after }).
explain-basis-samples = Das 95-%-Intervall ist { $low } bis { $high } %, aus { $one } und { $other } Messungen.
explain-basis-few-samples = Es gibt wenige Messungen, { $one } und { $other }: Nach ihrer Streuung ist das 95-%-Intervall { $low } bis { $high } %.
explain-basis-spread = Es gibt je einen Lauf. Nach der Streuung über die Zeit, die fio angibt, und die hier verdoppelt ist, da Wiederholungen mehr streuen, liegt der Unterschied bei { $low } bis { $high } %. Je sechs Läufe gäben ein verlässliches Intervall.
explain-basis-assumed = Es gibt je eine Zahl, und nichts zeigt, wie weit Wiederholungen auseinanderliegen. Sind es 10 %, wie hier angenommen, ist der Unterschied { $low } bis { $high } %. Messen Sie beides sechsmal, oder mehrere Sekunden lang, damit fio seine Streuung angibt.
explain-no-cause = Keine Ursache wird genannt: Vielleicht gibt es nichts zu erklären.
explain-nothing = Nichts Aufgezeichnetes erklärt das: { $count ->
    [one] Die eine Angabe, die anders ist, wirkt nicht
   *[other] Von den { $count_text } Angaben, die anders sind, wirkt keine
  } in dieser Größe und Richtung auf diese Last, soweit bekannt.
explain-nothing-differs = Nichts Aufgezeichnetes ist anders, also erklärt nichts Aufgezeichnetes das.
explain-cause = { $fact } erklärt { $range } von { $whole }.
explain-overstated = { $fact } macht es { $word }: Das Modell erwartet davon weit mehr, als gemessen wurde; wie viel des Unterschieds es erklärt, ist also nicht bekannt.
explain-suspect = { $fact } macht es { $word }; um wie viel, ist nicht bekannt, denn das Modell hat keine Zahl dafür.
explain-suspect-either = { $fact } kann es in jede Richtung ändern; um wie viel, ist nicht bekannt, denn das Modell hat keine Zahl dafür.
explain-rest = { $range } von { $whole } bleiben: Nichts Aufgezeichnetes erklärt das.
explain-rest-unknown = { $range } von { $whole } haben keine Zahl: Sie kommen von dem, was ohne Zahl genannt ist, oder von nichts Aufgezeichnetem.
explain-more = Das Modell erwartet { $range } % mehr als gemessen: Es übertreibt eine Wirkung, oder etwas anderes glich sie aus.
explain-interact = Diese Änderungen wirken aufeinander: Jeder Anteil ist der Mittelwert über alle Reihenfolgen.
explain-against = { $fact } wirkt in die andere Richtung, im Modell um { $range } %.
explain-smaller = Kleinere Wirkungen: { $facts }, zusammen { $range } von { $whole }.
explain-smaller-step = kleinere Wirkungen
explain-lack-no-sample = { $load }: { $metric } lässt sich nicht vergleichen, denn { $side } gibt es keine gültige Messung.
explain-lack-nothing = { $load }: { $metric } lässt sich nicht vergleichen, denn { $side } wurde nichts bewegt.
explain-lack-not-stated = { $load }: { $metric } lässt sich nicht vergleichen, denn { $side } fehlt die Angabe.
explain-silent-read = { $side } wurde nichts gelesen, obwohl die Last liest: Die andere Seite hat beide Richtungen.
explain-silent-write = { $side } wurde nichts geschrieben, obwohl die Last schreibt: Die andere Seite hat beide Richtungen.
explain-capped-both = Beide liefen an der Grenze, die { $fact } setzt ({ $limit }): Was sonst anders ist, kann sich in dieser Rate nicht zeigen.
explain-capped-before = Vorher lief die Last an der Grenze, die { $fact } setzt ({ $limit }): Ohne sie hätte sie schneller sein können.
explain-capped-after = Nachher lief die Last an der Grenze, die { $fact } setzt ({ $limit }): Ohne sie könnte sie schneller sein.
explain-conflict-before = Vorher sagen zwei Quellen Verschiedenes über { $fact }: Es gilt { $taken }, und { $source } sagt { $other }.
explain-conflict-after = Nachher sagen zwei Quellen Verschiedenes über { $fact }: Es gilt { $taken }, und { $source } sagt { $other }.
explain-conflict = zwei Quellen sagen Verschiedenes über { $fact }: Es gilt { $taken }, und { $source } sagt { $other }.
explain-cell-step = { $cell } änderte die Rate nach { $at } s auf Dauer: bis dahin { $from }, danach { $to }.
explain-cell-capped = { $cell } lief an der Grenze, die { $fact } setzt ({ $limit }): Ohne sie könnte es schneller sein.
explain-column-value = Wert
explain-not-recorded = Nicht aufgezeichnet: { $facts }.
explain-source-run = der Lauf
explain-source-earlier-part = ein früherer Teil des Laufs
explain-source-running = /proc/sys/kernel/osrelease
explain-other = { $metric }: vorher { $before }, nachher { $after } ({ $percent } %).
explain-other-same = { $metric }: vorher { $before }, nachher { $after } ({ $percent } %, innerhalb der Schwelle).
explain-other-open = { $metric }: vorher { $before }, nachher { $after } ({ $percent } %, das kann Rauschen sein).
explain-other-model = Alle Änderungen zusammen bewirken daran im Modell { $percent } %.
explain-run-title = Was die Zellen eines Laufs begrenzt
explain-column-cells = Zellen
explain-column-which = welche
explain-column-limit = begrenzt durch
explain-cells-more = { $cells } und { $more } weitere
explain-odd-cell = { $cell } fällt auf: Neben der Vorhersage ist es das { $times }-Fache des Üblichen.
explain-odd-member = { $device } brauchte für jede Anforderung das { $times }-Fache der anderen Mitglieder ({ $cell }).
explain-nothing-odd = Keine Zelle und kein Mitglied fällt auf.
explain-refused-cells = { $count ->
    [one] Über { $count_text } Zelle
   *[other] Über { $count_text } Zellen
  } sagt das Modell nichts, etwa { $cell }: { $why }
explain-change = { $fact } ({ $before } → { $after })
explain-range = { $low } bis { $high }
explain-range-one = { $value }
explain-step = Schritt
explain-part = Änderung
explain-before = vorher
explain-after = nachher
explain-left = unerklärt
explain-column-fact = Angabe
explain-column-alone = allein
explain-column-known = woher die Wirkung bekannt ist
explain-screened-out = { $count ->
    [one] Eine weitere Änderung wirkt im Modell, kleiner als diese: Ihr Anteil steckt
   *[other] { $count_text } weitere Änderungen wirken im Modell, kleiner als diese: Ihre Anteile stecken
  } im Unerklärten.
explain-left-unknown = ohne Zahl
explain-known-model = simuliert
explain-known-overstated = simuliert: weit mehr, als gemessen wurde
explain-known-no-effect = simuliert: keine Wirkung auf diese Last
explain-known-direction = nur die Richtung ist bekannt
explain-known-either = wirkt auf solche Lasten, in jede Richtung
explain-known-refused = nicht simuliert: { $why }
explain-known-nothing = nicht bekannt
explain-cpu-supports = Die Messungen stimmen damit überein: Die Prozessorzeit je I/O änderte sich um { $percent } %.
explain-cpu-contradicts = Die Messungen widersprechen dem: Die Prozessorzeit je I/O änderte sich nur um { $percent } %.
explain-requests-supports = Die Platten stimmen damit überein: Sie bekamen je I/O das { $times }-Fache der Anforderungen, und das Modell erwartet davon das { $expected }-Fache.
explain-requests-contradicts = Die Platten widersprechen dem: Sie bekamen je I/O das { $times }-Fache der Anforderungen, und das Modell erwartet davon das { $expected }-Fache.
explain-shape-shift = Jede Anforderung dauert das { $times }-Fache, die langsamen wie die anderen: Der Weg selbst ist anders, oder was auf ihm wartet.
explain-shape-tail = Die meisten Anforderungen dauern so lange wie vorher, und das langsamste Hundertstel das { $times }-Fache: Manche warten auf etwas Seltenes.
explain-shape-mode = Nachher dauern { $share } der Anforderungen das { $times }-Fache der anderen, und vorher fielen keine auf: Sie nehmen einen anderen Weg.
explain-step-at = { $side } änderte sich die Rate nach { $at } s auf Dauer: bis dahin { $from }, danach { $to }.
explain-model-refused = Das Modell sagt nichts über diese Last: { $why }
explain-load-unknown = die Ergebnisdatei hat keine Job-Optionen, also ist die Last nicht bekannt
explain-no-job-options = die Ergebnisdatei hat keine: Tiefe, Engine und alles andere der Last ist nicht bekannt
explain-no-size = weder der Job noch die Ergebnisdatei nennt sie
explain-no-drive = keine Platte ist bekannt; `--device sata-ssd` nennt ein Profil
explain-model-assumed = Anteile sind aus dem Modell mit der Klasse { $device } und dem Host { $host }, das vorher das { $times }-Fache des Gemessenen vorhersagt; `--device` und `--host` nennen bessere Profile.
explain-model-named = Anteile sind aus dem Modell mit { $device } und dem Host { $host }, das vorher das { $times }-Fache des Gemessenen vorhersagt.
explain-kernel-rules = { $count ->
    [one] Eine Regel, die das Modell kennt, ist in den beiden Kerneln verschieden
   *[other] { $count_text } Regeln, die das Modell kennt, sind in den beiden Kerneln verschieden
  }
explain-kernel-rule = seit { $since }: { $change }
explain-do = Was zu tun ist: { $fact }
explain-do-command = Zurückstellen: { $command }
explain-do-undo = Das rückgängig machen: { $command }
explain-do-prove = Zum Beweis vor und nach dieser Änderung allein messen, je mindestens sechsmal.
explain-do-source = Quelle: { $source }
explain-risk-none = Risiko: keines; es wirkt sofort.
explain-risk-data = Risiko: Daten, die noch nicht auf der Platte sind, können bei einem Stromausfall verloren gehen.
explain-risk-resync = Risiko: Ohne Bitmap oder mit einer groben wird nach einem Stromausfall mehr vom Array abgeglichen; das dauert Stunden.
explain-risk-reboot = Risiko: Es braucht einen Neustart.
explain-risk-rewrite = Risiko: Alle Daten werden neu geschrieben; das dauert Stunden und braucht eine Sicherung.
explain-risk-anew = Risiko: Das Array wird neu gebaut, und alle Daten darauf gehen verloren. Vorher sichern, danach zurückspielen.
explain-risk-hardware = Risiko: Hardware muss ersetzt oder umgesteckt werden.
explain-risk-load = Risiko: keines für Daten; beide maßen verschiedene Lasten.
explain-experiment = Der kleinste Versuch, der { $facts } unterscheidet, dauert etwa { $time }:
explain-experiment-one = Der kleinste Versuch, der { $facts } als Ursache beweist, dauert etwa { $time }:
explain-experiment-study = Die Studie; `--save FILE` schreibt sie
explain-unmatched = { $count ->
    [one] { $count_text } Zelle hat
   *[other] { $count_text } Zellen haben
  } keine Entsprechung auf der anderen Seite.
explain-not-recorded-before = Vorher nicht aufgezeichnet: { $facts }.
explain-not-recorded-after = Nachher nicht aufgezeichnet: { $facts }.
explain-not-recorded-title = Warum sie fehlen
explain-not-recorded-why = { $fact }: { $why }
explain-no-facts-before = Vorher ist nichts über die Maschine aufgezeichnet: `--facts-before TREE` ergänzt es.
explain-no-facts-after = Nachher ist nichts über die Maschine aufgezeichnet: `--facts-after TREE` ergänzt es.
explain-never-read = es wird nicht gelesen
explain-fact-load = { $key } der Last
explain-fact-chunk = der Chunk
explain-fact-kernel = der Kernel
explain-fact-governor = der Governor
explain-fact-energy_preference = die Energie-Vorgabe
explain-fact-turbo = Turbo
explain-fact-frequency_driver = der Frequenztreiber
explain-fact-boot_options = die Boot-Optionen
explain-fact-cpu_model = der Prozessor
explain-fact-host_profile = das Profil des Rechners
explain-fact-cores = die Zahl der Kerne
explain-fact-memory = der Arbeitsspeicher
explain-fact-dirty_limit = die Grenze für ungeschriebenen Speicher
explain-fact-device = die Art der Platte
explain-fact-drive_model = das Plattenmodell
explain-fact-rotational = wofür der Kernel die Platten hält
explain-fact-drive_firmware = die Firmware der Platte
explain-fact-link_speed = die Geschwindigkeit der Verbindung
explain-fact-scheduler = der I/O-Scheduler
explain-fact-read_ahead = Read-ahead
explain-fact-nr_requests = die Länge der Warteschlange
explain-fact-max_sectors_kb = die längste Anforderung
explain-fact-write_cache = der Schreibcache
explain-fact-array = das Array
explain-fact-bitmap = die Write-Intent-Bitmap
explain-fact-stripe_cache_size = der Stripe-Cache
explain-fact-group_thread_cnt = die Zahl der Stripe-Threads
explain-fact-consistency_policy = die Konsistenzregel
explain-fact-metadata = die Version der Metadaten
explain-fact-missing_members = die Zahl fehlender Mitglieder
explain-fact-sync_action = die eigene Arbeit des Arrays
explain-fact-filesystem = das Dateisystem
explain-fact-mkfs = wie das Dateisystem angelegt ist
explain-fact-volume = das Volume
explain-fact-flush = das Leeren von Caches
explain-fact-mount_options = die Mount-Optionen
explain-fact-compression = die Komprimierung
explain-fact-fill = die Füllung des Dateisystems
explain-fact-target = das Ziel
explain-fact-file = der Name der Datei
explain-fact-disks = die Platten
explain-fact-job_options = die Job-Optionen von fio
explain-fact-neighbours = die Zahl der Nachbarn
explain-fact-fio_version = die Version von fio
explain-fact-fio_options = andere Optionen von fio
