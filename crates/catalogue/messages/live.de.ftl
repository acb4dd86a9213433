# Die Live-Seite: die Liste der Läufe, ein beobachteter Lauf und das Formular, das fragt.

live-nav = Seiten
live-nav-runs = Läufe
live-nav-ask = Fragen
live-nav-advise = Empfehlen
live-nav-answers = Prüfungen
live-title-runs = Läufe
live-title-ask = Was wäre, wenn?
live-title-advise = Was soll ich bauen?
live-title-answers = Prüfungen und Traces
live-answers-hint = „stripewise serve --check ANGABEN --trace DATEI“ fügt gesammelte Angaben und Traces hinzu.
live-answer-json = Als JSON herunterladen
live-version = Stripewise { $version }
live-loading = Wird geladen …

# Störungen
live-no-token = Diese Seite braucht das Token des Servers, von dem sie kommt.
live-no-token-hint = Öffnen Sie die ganze Adresse, die „stripewise serve“ ausgegeben hat; sie endet auf #token=… . Nach einem Neustart gilt eine neue Adresse.
live-unreachable = Der Server antwortet nicht.
live-unreachable-hint = Läuft „stripewise serve“ noch? Starten Sie es neu und öffnen Sie die ausgegebene Adresse.
live-broken = Diese Seite kann die Antwort des Servers nicht lesen.
live-broken-hint = Vielleicht antwortet unter dieser Adresse etwas anderes oder eine andere Version von Stripewise. Laden Sie die Seite neu.
live-retry = Erneut versuchen
live-hint = Hinweis: { $hint }

# Die Liste
live-search = Suchen
live-search-example = Studie, Frage, Welt oder Zustand
live-runs-found = { $plural ->
    [one] Ein Lauf von { $all }
   *[other] { $found } Läufe von { $all }
  }
live-runs-none = Noch kein Lauf.
live-runs-none-hint = „stripewise run STUDY --world model“ erzeugt in einer Sekunde den ersten; diese Seite zeigt ihn, sobald er da ist.
live-runs-none-found = Kein Lauf passt zu „{ $search }“.
live-runs-more = Weitere { $count } zeigen
live-together = Zusammen zeigen
live-together-some = { $plural ->
    [none] Läufe auswählen, um sie übereinanderzulegen
    [one] Ein Lauf ausgewählt
   *[other] { $count } Läufe ausgewählt
  }
live-together-clear = Auswahl aufheben
live-choose-run = Lauf { $id } ({ $study }) mit anderen zusammen zeigen
live-column-run = Lauf
live-column-study = Studie und Frage
live-column-world = Welt
live-column-state = Zustand
live-column-started = Begonnen
live-column-samples = Messungen
live-samples = { $counted } von { $all }
live-cells = { $plural ->
    [one] eine Zelle
   *[other] { $cells } Zellen
  }

# Ein beobachteter Lauf
live-title-run = { $plural ->
    [one] Lauf { $ids }
   *[other] Läufe { $ids }
  }
live-back = Alle Läufe
live-watching = Lauf { $id } läuft: bisher zählen { $counted } von { $all } Messungen.
live-ended = Lauf { $id } ist zu Ende: { $state }. { $counted } von { $all } Messungen zählen.
live-left = Noch etwa { $time }, bis jede Zelle genug Messungen hat.
live-ask-like = Mit diesen Messpunkten fragen

# Das Formular
live-form = Die Frage
live-device = Gerät
live-count = Anzahl der Geräte
live-array = Array
live-level = Level
live-level-none = einzeln
live-layout = Layout
live-chunk = Chunk
live-bitmap = Write-Intent-Bitmap
live-failed = Ausgefallene Mitglieder
live-failed-member = Mitglied { $place }
live-failed-note = { $plural ->
    [one] Ein Mitglied darf ausfallen; gezählt wird ab 0.
   *[other] Höchstens { $max } Mitglieder dürfen ausfallen; gezählt wird ab 0.
  }
live-rebuild = Wiederaufbau auf einem neuen Gerät
live-rebuild-member = Mitglied { $place } auf einem neuen Gerät wieder aufbauen
live-filesystem = Dateisystem
live-filesystem-none = keines
live-load = Last
live-workload = Last
live-workload-own = eine eigene
live-pattern = Zugriffsmuster
live-pattern-read = sequenziell lesen
live-pattern-write = sequenziell schreiben
live-pattern-randread = zufällig lesen
live-pattern-randwrite = zufällig schreiben
live-pattern-rw = sequenziell gemischt
live-pattern-randrw = zufällig gemischt
live-mix = Leseanteil
live-block-size = Blockgröße
live-jobs = Jobs
live-depth = Tiefe je Job
live-depth-limit = Alle Jobs zusammen haben hier höchstens { $count } I/Os unterwegs.
live-size = Datei jedes Jobs
live-fsync = fsync
live-fsync-never = nie
live-fsync-every = { $plural ->
    [one] nach jedem Schreibzugriff
   *[other] alle { $writes } Schreibzugriffe
  }
live-state = Zustand
live-state-steady = eingeschwungen
live-state-steady-note = Nach langer Last: Caches, Bitmaps, Puffer und SLC-Bereiche der Laufwerke sind in Gebrauch, und die Garbage Collection läuft.
live-state-fresh = frisch
live-state-fresh-note = Nach Trim und Füllen, vom ersten I/O an.
live-machine = Maschine
live-host = Host
live-governor = CPU-Governor
live-kernel = Regeln des Kernels
live-kernel-changed = Neue Regeln ab dieser Version: { $changed }
live-overlay = Messpunkte von
live-overlay-none = keinem Lauf
live-overlay-option = Lauf { $id }: { $study } ({ $world })
live-why-not-alone = Ein einzelnes Gerät ist kein Array.
live-why-not-one-layout = Dieser Level hat nur ein Layout.
live-why-not-no-chunk = Ohne Striping gibt es keine Chunks.
live-why-not-no-bitmap = Ohne Redundanz gibt es keine Bitmap.
live-why-not-no-redundancy = Dieser Level übersteht keinen Ausfall.
live-why-not-none-failed = Kein Mitglied ist ausgefallen.
live-why-not-not-mixed = Nur gemischte Lasten haben einen Leseanteil.
live-why-not-no-writes = Ohne Schreibzugriffe hat fsync nichts zu tun.
live-count-range = { $min } bis { $max } bei diesem Level

# Die Antwort
live-answer = Die Antwort
live-answer-of = { $stack }: { $load }
live-load-words = { $pattern }, { $size } je I/O, { $plural ->
    [one] ein Job
   *[other] { $jobs } Jobs
  }, Tiefe { $depth }
live-interval = { $level }-%-Intervall: { $low } bis { $high }
live-load-mix = { $reads } Lesen
live-load-fsync = fsync { $every }
live-answer-failed = { $plural ->
    [one] Mitglied { $places } ist ausgefallen
   *[other] Mitglieder { $places } sind ausgefallen
  }
live-answer-rebuilding = { $plural ->
    [one] Mitglied { $first } ist ausgefallen und wird wieder aufgebaut
   *[other] Mitglieder { $places } sind ausgefallen, { $first } wird wieder aufgebaut
  }
live-answer-state = Zustand: { $state }
live-preview = Vorschau
live-preview-note = Aus weniger Simulationen; die endgültige Antwort folgt.
live-preview-none = Noch keine Zahl: eine kurze Simulation erreicht den langen Lauf dieser Last nicht.
live-preview-only = Aus weniger Simulationen, als eine endgültige Antwort braucht.
live-onset = { $before } für die ersten { $bytes } ({ $time }), danach { $after }.
live-command = Dieselbe Frage auf der Kommandozeile
live-asking = Wird gefragt …
live-took = Von der Anfrage bis zum Bild { $took }, davon { $simulated } Simulation.
live-spoken = { $throughput }, { $iops }. { $limited }
live-keep = Zum Vergleich merken
live-kept = Gemerkt
live-now = Jetzt
live-kept-difference = Unterschied
live-kept-of = Im Vergleich mit: { $question }
live-drop = Vergleich beenden
live-curve-waiting = Wird gezeichnet, sobald eine Viertelsekunde lang kein Regler bewegt wird.
live-curve-asked = diese Frage
live-curve-run = Lauf { $id }: { $stack }
live-no-overlay-points = Der gewählte Lauf hat keine Zelle mit diesem Zugriffsmuster, diesen Jobs und dieser Tiefe.

# Warum, und die Studie
live-why = Warum? Was würde es ändern?
live-why-again = Erneut fragen
live-why-waiting = Jede Änderung wird simuliert …
live-why-title = Was es ändern würde
live-why-old = Das gilt noch für die Frage vor der letzten Änderung.
live-why-none = Hier lässt sich nichts ändern.
live-why-change = Änderung
live-why-effect = Wirkung
live-why-try = Ausprobieren
live-why-try-label = Ausprobieren: { $change }
live-study = Als Studie exportieren
live-study-title = Diese Frage als Studie
live-study-none = Eine Frage mit ausgefallenen Mitgliedern kann diese Seite nicht als Studie schreiben. Dieser Befehl fragt dasselbe:
live-study-file = Als { $name } speichern, dann:
live-download = Herunterladen
live-close = Schließen

live-advise-devices = Geräte
live-advise-spares = Ersatzgeräte
live-advise-loads = Lasten
live-advise-load = Last { $number }
live-advise-load-note = Eine mitgelieferte Last, oder MUSTER:BLOCK, etwa randrw:16K:mix=70/30:depth=8; das leere Feld fügt eine hinzu, ein geleertes entfällt
live-advise-weight = Wie viel Last { $number } zählt
live-advise-required = Was verlangt ist
live-advise-any = nicht verlangt
live-advise-survive = Geräte, die ausfallen dürfen
live-advise-survive-assumed = angenommen: 1
live-advise-capacity = Platz für Daten
live-advise-commit = 99 % der Commits innerhalb von
live-advise-years = Jahre bis zur zugesagten Schreibmenge
live-advise-rebuild = Wiederaufbau innerhalb von
live-advise-daily = Am Tag geschrieben
live-advise-unknown = nicht genannt
live-advise-searching = Es wird gesucht …
live-advise-stopped = Beendet. Zu sehen ist die Antwort bis dahin, oder eine frühere.
live-advise-preview = Die Entscheidung der Suche; ihre Rivalen werden so genau simuliert wie in einer Tabelle.
live-advise-limit = Die Suche hat die Grenze dieser Seite erreicht. Der Befehl unten hat keine.
live-advise-up = Nach oben
live-advise-across = Nach rechts
live-advise-picture = Die Entwürfe: Ein Klick öffnet einen
live-advise-less = { $axis } (weniger ist besser)
live-advise-left-out = { $count } Entwürfe fehlen im Bild, weil einer der beiden Werte für sie nicht bekannt ist.
live-advise-marks = ■ empfohlen   ◆ üblich, Rechner oder ohne Redundanz   ● dem empfohlenen gleich   ○ andere   ×3 Zeichen aufeinander: jeder Klick öffnet das nächste
live-advise-design = Entwurf
live-advise-busy = { $percent } % dessen, was bisher zu tun ist, noch etwa { $time }
live-advise-then-busy = Suche beenden
live-advise-then-stopped = Noch einmal suchen
