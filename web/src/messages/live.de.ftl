# Die Live-Seite: die Liste der Läufe, ein beobachteter Lauf und das Formular, das fragt.

live-nav = Seiten
live-nav-runs = Läufe
live-nav-ask = Fragen
live-title-runs = Läufe
live-title-ask = Was käme dabei heraus?
live-version = Stripewise { $version }
live-loading = Wird geladen …

# Störungen
live-no-token = Diese Seite braucht den Zugangsschlüssel des Servers, von dem sie kommt.
live-no-token-hint = Öffnen Sie die ganze Adresse, die „stripewise serve“ ausgegeben hat; sie endet auf #token=… . Nach einem Neustart gilt eine neue Adresse.
live-unreachable = Der Server antwortet nicht.
live-unreachable-hint = Läuft „stripewise serve“ noch? Starten Sie es neu und öffnen Sie die ausgegebene Adresse.
live-broken = Was ankam, ist keine Antwort, die diese Seite lesen kann.
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
live-runs-none-hint = „stripewise run STUDIE --world model“ erzeugt in einer Sekunde den ersten; diese Seite zeigt ihn, sobald er da ist.
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
live-load = Last
live-pattern = Zugriffsmuster
live-pattern-read = sequenziell lesen
live-pattern-write = sequenziell schreiben
live-pattern-randread = zufällig lesen
live-pattern-randwrite = zufällig schreiben
live-pattern-rw = sequenziell gemischt
live-pattern-randrw = zufällig gemischt
live-block-size = Blockgröße
live-jobs = Jobs
live-depth = Tiefe je Job
live-depth-limit = Alle Jobs zusammen haben hier höchstens { $count } I/Os unterwegs.
live-machine = Rechner
live-host = Host
live-governor = CPU-Governor
live-kernel = Regeln des Kernels
live-kernel-changed = Neue Regeln ab dort: { $changed }
live-overlay = Messpunkte von
live-overlay-none = keinem Lauf
live-overlay-option = Lauf { $id }: { $study } ({ $world })
live-why-not-alone = Ein einzelnes Gerät ist kein Array.
live-why-not-one-layout = Dieser Level hat nur ein Layout.
live-why-not-no-chunk = Ohne Striping gibt es keine Chunks.
live-why-not-no-bitmap = Ohne Redundanz gibt es keine Bitmap.
live-count-range = { $min } bis { $max } bei diesem Level

# Die Antwort
live-answer = Die Antwort
live-answer-of = { $stack }: { $load }
live-load-words = { $pattern }, { $size } je I/O, { $plural ->
    [one] ein Job
   *[other] { $jobs } Jobs
  }, Tiefe { $depth }
live-interval = { $level }-%-Intervall: { $low } bis { $high }
live-limited = Was begrenzt
live-asking = Wird gefragt …
live-took = Von der Anfrage bis zum Bild { $took }, davon { $simulated } Simulation.
live-spoken = { $throughput }, { $iops } I/Os pro Sekunde. { $limited }
live-curve-waiting = Wird gezeichnet, sobald sich eine Viertelsekunde lang nichts bewegt.
live-curve-asked = diese Frage
live-curve-run = Lauf { $id }: { $stack }
live-no-overlay-points = Der gewählte Lauf hat keine Zelle mit diesem Zugriffsmuster, diesen Jobs und dieser Tiefe.

# Warum, und die Studie
live-why = Warum? Was würde es ändern?
live-why-again = Erneut fragen
live-why-waiting = Jede Änderung wird simuliert …
live-why-title = Was es ändern würde
live-why-old = Das gilt noch für die Frage vor der letzten Änderung.
live-why-none = Nichts, was sich hier ändern lässt.
live-why-change = Änderung
live-why-effect = Wirkung
live-why-try = Ausprobieren
live-why-try-label = Ausprobieren: { $change }
live-study = Als Studie exportieren
live-study-title = Diese Frage als Studie
live-study-file = Als { $name } speichern, dann:
live-copy = Kopieren
live-copied = Kopiert
live-copy-failed = Der Browser hat es nicht erlaubt: Text markieren und kopieren.
live-download = Herunterladen
live-close = Schließen
