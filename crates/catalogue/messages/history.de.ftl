## Fragen an die Geschichte: `trend`, `drift`, `outliers`, `ack`.

trend-title = Änderungen im Lauf der Zeit
drift-title = Reihen, die sich geändert haben
outliers-title = Rechner, die von gleichartigen abweichen
ack-title = Eine bestätigte Änderung

history-series = { $study }: { $cell }
history-too-few-points = { $found ->
    [one] es gibt nur { $found_text } Lauf
   *[other] es gibt nur { $found_text } Läufe
  }, nötig sind mindestens { $needed }
history-too-many-points = es gibt { $found } Werte, die Grenze ist { $most }
history-not-finite = Wert { $place } ist keine Zahl
history-steps-unseen = in { $found ->
    [one] { $found_text } Lauf
   *[other] { $found_text } Läufen
  }, deren Nachbarn mit { $correlation } korrelieren, bliebe selbst ein Sprung von { $step } oft unbemerkt
history-too-few-hosts = { $hosts ->
    [one] nur { $hosts_text } Rechner gehört
   *[other] nur { $hosts_text } Rechner gehören
  } zu dieser Klasse, nötig sind mindestens { $needed }
history-other-load = seine Last weicht um mehr als { $share } von der seiner Klasse ab
history-no-value = er hat keinen Wert, der sich beurteilen lässt: keinen oder eine Zeit von 0
history-no-scatter = alle Rechner seiner Klasse haben die gleichen Werte, oder die meisten haben 0

history-cannot-tell = nicht zu sagen
history-cannot-tell-why = Nicht zu sagen: { $why }.
history-changed = geändert
history-unchanged = unverändert
history-acknowledged = bestätigt
history-no-change = Keine Änderung in { $points ->
    [one] { $points_text } Lauf
   *[other] { $points_text } Läufen
  }. Rauschen allein zeigt mit höchstens { $level } eine; ein Sprung von { $step } in ihrer Mitte würde in vier von fünf Fällen gefunden.
history-all-equal = Keine Änderung: { $points ->
    [one] der einzige Lauf hat seinen Wert
   *[other] alle { $points_text } Läufe haben einen Wert
  }.
history-range = { $low } – { $high }
history-less = −{ $size }
history-more = +{ $size }
history-where = { $run }: { $size }
history-slow-cell = { $cell }: { $size }
history-changes = { $changes ->
    [one] { $changes_text } Änderung
   *[other] { $changes_text } Änderungen
  } in { $points } Läufen.
history-noise = Um sein Niveau schwankt ein Lauf um { $sd }; Nachbarn korrelieren mit { $correlation }.
history-left-out = { $runs ->
    [one] { $runs_text } Lauf fehlt
   *[other] { $runs_text } Läufe fehlen
  } hier: keine Zelle ist diese, oder keine Stichprobe zählt.
history-other-hosts = { $runs ->
    [one] { $runs_text } Lauf eines anderen Rechners fehlt hier.
   *[other] { $runs_text } Läufe anderer Rechner fehlen hier.
  }
history-gone-cells = { $cells ->
    [one] { $cells_text } Zelle früherer Läufe fehlt
   *[other] { $cells_text } Zellen früherer Läufe fehlen
  } hier: der neueste Lauf ihrer Studie hat sie nicht.
history-dropped-rows = { $rows ->
    [one] { $rows_text } Zeile fehlt
   *[other] { $rows_text } Zeilen fehlen
  } hier: ohne Wert, nicht endlich oder negativ.
history-merged-rows = { $rows ->
    [one] { $rows_text } Zeile hat
   *[other] { $rows_text } Zeilen haben
  } Reihe und Zeit mit einer anderen gemein: Der Median solcher Zeilen zählt als ein Lauf.
history-copied-runs = { $copies ->
    [one] { $copies_text } Lauf ist eine Kopie eines anderen und zählt nicht: { $names }
   *[other] { $copies_text } Läufe sind Kopien anderer und zählen nicht, die ersten: { $names }
  }
history-copied-sources = { $copies ->
    [one] { $copies_text } Lauf oder Datei ist eine Kopie und zählt nicht: { $names }
   *[other] { $copies_text } Läufe oder Dateien sind Kopien anderer und zählen nicht, die ersten: { $names }
  }
history-fact = { $fact }: { $before } → { $after }
history-ack = { $text } ({ $by })
history-ack-until = { $text } ({ $by }, bis { $until })
history-all-series = Alle Reihen
history-unjudged = Nicht zu sagen bei { $series ->
    [one] { $series_text } Reihe
   *[other] { $series_text } Reihen
  }.
history-trend-summary = { $series ->
    [one] { $series_text } Reihe
   *[other] { $series_text } Reihen
  }: { $changed } geändert, { $open } davon ohne Bestätigung, { $unknown } nicht zu beurteilen
history-drift-summary = { $series ->
    [one] { $series_text } Reihe
   *[other] { $series_text } Reihen
  } beurteilt: { $changed } geändert, davon sind höchstens { $level } Fehlalarme zu erwarten; { $unknown } nicht zu beurteilen

history-picture = { $series } im Lauf der Zeit
history-picture-change = das Niveau, und wo eine Änderung liegen kann (95 %)
history-strip = Rechner, geordnet nach ihrem Verhältnis zu gleichartigen
history-strip-like = wie andere
history-strip-slow = langsam

history-column-series = Reihe
history-column-first-run = erster Lauf danach
history-column-between = zwischen (95 %)
history-column-size = Änderung
history-column-size-range = 95-%-Intervall
history-column-p = p im Rauschen
history-column-facts = Fakten, die sich änderten
history-column-acknowledged = bestätigt
history-column-outcome = Ergebnis
history-column-points = Läufe
history-column-changes = Änderungen
history-column-why = Bemerkung
history-column-host = Rechner
history-column-ratio = neben seiner Klasse
history-column-slow-cells = langsame Zellen
history-column-slowest = langsamste Zellen
history-column-difference = Unterschied
history-column-where = erste Läufe nach Änderungen
history-column-class = Klasse
history-column-judged = beurteilte Rechner
history-column-seen-from = genannt ab

history-host-slow = langsam
history-host-slow-cells = langsame Zellen
history-host-like = wie andere
history-host-cannot-tell = nicht zu sagen
history-cells-of = { $slow } von { $cells }
history-seen-repeatedly = auch an früheren Tagen langsam
history-seen-last-day = nur an seinem letzten Tag langsam; noch einmal messen
history-seen-went-away = er war langsam und ist es an seinem letzten Tag nicht mehr
history-seen-one-day = nur ein Tag wurde gemessen
history-slow-cells = { $hosts ->
    [one] { $hosts_text } Rechner ist in einzelnen Zellen langsam, aber nicht insgesamt
   *[other] { $hosts_text } Rechner sind in einzelnen Zellen langsam, aber nicht insgesamt
  }
history-slow-cells-more = Genannt sind die { $listed }, die am weitesten von ihrer Klasse liegen; `--verbose` nennt alle.
history-class-seen = { $hosts ->
    [one] In einer Klasse von { $hosts_text } Rechner
   *[other] In einer Klasse von { $hosts_text } Rechnern
  } mit dieser Streuung würde ein einzelner Rechner mit { $size } gegenüber seiner Klasse in vier von fünf Fällen genannt.
history-all-hosts = { $hosts ->
    [one] { $hosts_text } Rechner
   *[other] { $hosts_text } Rechner
  } mit Urteil
history-outliers-summary = { $hosts ->
    [one] { $hosts_text } Rechner
   *[other] { $hosts_text } Rechner
  } beurteilt: { $slow } langsam, davon sind höchstens { $level } zu Unrecht genannt zu erwarten; { $unknown } nicht zu beurteilen

ack-done = Die Änderung bei Lauf { $run } ist von { $by } bestätigt: { $text }.
ack-done-until = Die Änderung bei Lauf { $run } ist von { $by } bis { $until } bestätigt: { $text }.
ack-removed = Die Bestätigungen bei Lauf { $run } sind entfernt.
ack-none = Lauf { $run } hat keine Bestätigung.
