## Die Seite.

title = { $question } – Stripewise
skip = Zum Inhalt springen
contents = Inhalt
controls = Darstellung
language = Sprache
theme = Farben
theme-auto = Systemeinstellung
theme-light = Hell
theme-dark = Dunkel
answer = Antwort
answer-none = Noch gibt es keine gezählte Messung und damit keine Antwort.
answer-more = { $count } weitere
made-by = Erstellt mit Stripewise { $version }.
run-line = Lauf { $id }: { $study }, Welt „{ $world }“, { $state }, { $started }.
samples-counted = { $counted ->
    [one] { $counted_text } gezählte Messung
   *[other] { $counted_text } gezählte Messungen
  } von { $all_text }
not-shown = Diese Seite stammt von einer anderen Stripewise-Version (Schema { $schema }); diese Oberfläche zeigt Schema 1.
hint-not-shown = Erstellen Sie den Bericht mit der installierten Stripewise-Version neu.
broken = Die Daten dieser Seite sind nicht lesbar: { $reason }
state-running = läuft noch
state-done = fertig
state-interrupted = unterbrochen
state-failed = fehlgeschlagen
world-model = Modell
world-lab = Labor
world-metal = Hardware
world-any = { $world }
run-name = { $world } (Lauf { $id })
run-number = Lauf { $id }
world-model-note = Vorhersagen. Das Intervall enthält, wie weit ein Profil abweichen kann, wo sein Gerät unter einer solchen Last gemessen wurde; Fehler der Regeln kommen hinzu. Was an einem Gerät unsicher ist, verschiebt alle seine Zellen; Unterschiede sind daher sicherer, als überlappende Intervalle vermuten lassen.
world-lab-note = Gemessen in einer virtuellen Maschine auf modellierten Platten.
world-hosts-note = { $hosts ->
    [one] Gemessen auf einem Rechner, über ssh.
   *[other] Gemessen auf { $hosts_text } Rechnern zur selben Zeit, über ssh.
  }
world-metal-note = Gemessen auf dieser Maschine.

## Bilder und Tabellen.

numbers = Die Zahlen
download-svg = SVG
download-png = PNG
png-failed = Der Browser konnte aus dieser Abbildung kein PNG erzeugen; das SVG zeigt dasselbe Bild.
download-label = { $title }: als { $format } herunterladen
copy = Kopieren
copied = Kopiert
copy-failed = Der Browser lässt diese Seite nicht kopieren; markieren und kopieren Sie den Text selbst.
copy-label = Befehl kopieren: { $command }
series = Reihen
metric = Messgröße
show-all = Alle
show-none = Keine
series-drawn = { $shown } von { $all } Reihen sind gezeichnet; die Daten enthalten alle.
series-shown = { $shown } von { $all } gezeigt
scale-common = Gleiche Skala in allen Teildiagrammen
scale-log = Logarithmische Skala
scale-tail = Skala für die langsamsten I/Os
interval-note = Schattierte Bänder und Fehlerbalken sind Konfidenzintervalle zum Niveau { $level }.
interval-none = Aus den Messungen ergibt sich kein Konfidenzintervall.
estimate-of = { $interval } ({ $samples ->
    [one] { $samples_text } Messung
   *[other] { $samples_text } Messungen
  })
reading = { $value } { $half }
none = keine
yes = ja
and-more = und { $count } weitere
pages = Seite { $page } von { $pages }
page-before = Vorige Seite
page-next = Nächste Seite
filter = Filter
filter-hint = beliebige Wörter: Stapel, Blockgröße, Urteil, …
rows-shown = { $shown } von { $all } Zeilen
pick-cell = Zelle
pick-cells = Zellen im Vergleich
cell-before = Vorige Zelle
cell-next = Nächste Zelle
pick-search = Zellen suchen
pick-found = { $count ->
    [one] { $count_text } Zelle gefunden
   *[other] { $count_text } Zellen gefunden
  }
pick-remove = { $cell } entfernen
pick-none = Keine Zelle passt.
pick-full = Höchstens { $count } Zellen passen in ein Diagramm; entfernen Sie zuerst eine.

## Spalten.

column-run = Lauf
column-cell = Zelle
column-stack = Stapel
column-verdict = Urteil
column-against = Verglichen mit
column-limit = Begrenzt durch
columns-all = Alle Spalten
column-warnings = Warnungen
column-share = Anteil der I/Os
column-percentile = Perzentil
column-one-in = Eines von
column-sample = Messung
column-role = Rolle
column-start = Beginn nach
column-pair = Paar
column-ratio = Verhältnis
column-difference = Unterschied
column-against-run = Gegenüber Lauf { $id }
column-part = Teil
column-begins = Beginnt bei
column-time = Zeit
column-part-share = Anteil
column-component = Komponente
column-busy = Auslastung
column-device = Gerät
column-reads = Lesezugriffe je s
column-writes = Schreibzugriffe je s
column-read-bytes = Gelesen
column-write-bytes = Geschrieben
column-merges = Merges je s
column-flushes = Flushes je s
column-before = Vorher
column-now = Jetzt
column-fact = Merkmal
column-latency = Latenz

## Messgrößen: im Satz, als Überschrift, und als das Beste.

metric-bandwidth_bytes_per_s = Durchsatz
metric-iops = I/Os pro Sekunde
metric-latency_ns_mean = mittlere Latenz
metric-latency_ns_p50 = Median der Latenz
metric-latency_ns_p99 = 99-%-Latenz
metric-latency_ns_p999 = 99,9-%-Latenz
metric-sync_latency_ns_mean = mittlere Sync-Latenz
metric-sync_latency_ns_p99 = 99-%-Sync-Latenz
head-bandwidth_bytes_per_s = Durchsatz
head-iops = I/Os pro Sekunde
head-latency_ns_mean = Mittlere Latenz
head-latency_ns_p50 = Median der Latenz
head-latency_ns_p99 = 99-%-Latenz
head-latency_ns_p999 = 99,9-%-Latenz
head-sync_latency_ns_mean = Mittlere Sync-Latenz
head-sync_latency_ns_p99 = 99-%-Sync-Latenz
best-bandwidth_bytes_per_s = den höchsten Durchsatz
best-iops = die meisten I/Os pro Sekunde
best-latency_ns_mean = die niedrigste mittlere Latenz
best-latency_ns_p50 = den niedrigsten Median der Latenz
best-latency_ns_p99 = die niedrigste 99-%-Latenz
best-latency_ns_p999 = die niedrigste 99,9-%-Latenz
best-sync_latency_ns_mean = die niedrigste mittlere Sync-Latenz
best-sync_latency_ns_p99 = die niedrigste 99-%-Sync-Latenz
better-higher = Mehr ist besser.
better-lower = Weniger ist besser.

## Achsen.

named-value = { $axis } { $value }
axis-stack = Stapel
axis-pattern = Zugriffsmuster
axis-block_size = Blockgröße
axis-chunk = Chunk
axis-jobs = Jobs
axis-depth = Tiefe
axis-engine = Engine
axis-direct = direct
axis-size = Dateigröße
axis-rate = Rate
axis-rate_iops = Rate in IOPS
axis-rate_process = Takt der Zugriffe
axis-mix = Mischung
axis-think_time = Denkzeit
axis-think_blocks = Zugriffe vor einer Pause
axis-think_iotime = Zugriffszeit vor einer Pause
axis-fsync = fsync alle
axis-fdatasync = fdatasync alle
axis-sync = sync
axis-data = Daten
axis-distribution = Verteilung
axis-norandommap = Blöcke einzeln gezogen
axis-neighbours = Nachbarlast
axis-options = Optionen
axis-governor = Governor
axis-energy_preference = Energievorgabe
axis-scheduler = Scheduler
axis-write_cache = Schreibcache
axis-flush = Flush
axis-read_ahead = Vorauslesen
axis-nr_requests = Anfragen in der Warteschlange
axis-max_sectors_kb = längste Anfrage in KiB
axis-wbt_lat_usec = Drosselung des Zurückschreibens in µs
axis-turbo = Turbo
axis-cpu_dma_latency_us = C-State-Grenze in µs
axis-sysctl = Kernelparameter
axis-cpus = CPUs
axis-sync_every = sync alle
axis-flush_every = Geräte-Flush alle
axis-trim_before = vorher TRIM
axis-drop_caches = Caches geleert
axis-state = Zustand
axis-failure = Ausfall
axis-kernel = Kernel
axis-workload = Last
axis-conditions = Bedingungen
axis-run = Lauf

## Aussagen: die Antwort in Worten.

claim-overall = Über { $which } kommt { $axis } { $best } dem jeweils Besten am nächsten: im Mittel { $mean } davon, in der ungünstigsten Last { $worst } ({ $worst_load }).{ $rest }
claim-same = In { $which } sind { $values } gleich: ihr Wert für { $metric } unterscheidet sich um weniger als { $margin }{ $doubt }.
claim-same-one = { $values } sind gleich: ihr Wert für { $metric } unterscheidet sich um weniger als { $margin }{ $doubt }.
claim-same-best = In { $which } sind { $values } die besten und gleich: ihr Wert für { $metric } unterscheidet sich um weniger als { $margin }{ $doubt }.
claim-same-best-one = Die besten sind { $values }, und sie sind gleich: ihr Wert für { $metric } unterscheidet sich um weniger als { $margin }{ $doubt }.
claim-lost = Die Studie fragt, was eine ausgefallene Platte überlebt, und { $stacks } { $count ->
    [one] überlebt
   *[other] überleben
  } sie nicht, { $count ->
    [one] ist
   *[other] sind
  } also keine Wahl.
claim-overall-all = In { $which } ist { $axis } { $best } am besten.{ $rest }
claim-overall-unbeaten = In { $which } ist nichts besser als { $axis } { $best }; in { $shared ->
    [one] einer davon ist anderes
   *[other] { $shared_text } davon ist anderes
  } gleich gut.{ $rest }
loads-over-both = beide Lasten
loads-over-all = alle { $loads } Lasten
loads-over-some = die { $loads } von { $all } Lasten, in denen nichts fehlt,
loads-in-both = beiden Lasten
loads-in-all = allen { $loads } Lasten
loads-in-some = den { $loads } von { $all } Lasten, in denen nichts fehlt,
claim-overall-several = Über { $which } kommen { $values } dem besten Wert jeder Last gleich nahe: im Mittel { $mean } davon.{ $rest }
claim-overall-near = Über { $which } kommen diese dem besten Wert jeder Last im Mittel etwa gleich nahe: { $values }.{ $rest }
claim-overall-rest-several = { " " }Dahinter: { $list }.
claim-overall-rest = { " " }Dahinter: { $list }.
claim-overall-rest-open = { " " }Dahinter: { $list }; die Intervalle schließen nicht aus, dass { $open } ebenso gut ist.
claim-overall-rest-unsure = { " " }Dahinter: { $list }; für eine gesicherte Reihenfolge sind es zu wenige Messungen.
standing = { $value } { $share }
claim-in = { $panel }: { $sentence }
claim-state-fresh = Frische Geräte
claim-state-steady = Eingeschwungene Geräte
claim-states-fresh = Frische und eingeschwungene Geräte unterscheiden sich hier. Bei { $volume } Geschriebenem am Tag bleiben die Geräte frisch.
claim-states-steady = Frische und eingeschwungene Geräte unterscheiden sich hier. Bei { $volume } Geschriebenem am Tag sind die Geräte eingeschwungen.
claim-states-bursts = Frische und eingeschwungene Geräte unterscheiden sich hier. { $volume } Geschriebenes am Tag lassen die Geräte frisch, wenn sie gleichmäßig kommen, in langen Schüben nicht: Beide Zustände werden gezeigt.
claim-states-mixed = Frische und eingeschwungene Geräte unterscheiden sich hier, und { $volume } Geschriebenes am Tag bedeuten nicht für alle dasselbe: Die Tabelle beider Zustände sagt, welcher für welche gilt.
claim-states-unknown = Frische und eingeschwungene Geräte unterscheiden sich hier. Welcher Zustand gilt, hängt davon ab, was am Tag geschrieben wird; `writes_per_day` in [lifetime] sagt es.
list-semicolon = { $item };
claim-cost = Über { $years ->
    [one] ein Jahr
   *[other] { $years_text } Jahre
  }: { $stacks }.
cost-of = { $stack }: { $parts }
cost-capacity = { $share } der Kapazität nutzbar
cost-wear = Nennschreibmenge nach { $years } Jahren erreicht
cost-loss = { $chance } Wahrscheinlichkeit eines Datenverlusts
cost-unknown = unbekannt
wins-gives = erreicht { $best }
wins-ahead = hat den besten Wert für { $metric }
claim-wins = { $axis } { $value } { $gives } in { $wins } von { $loads } Lasten{ $doubt }.
claim-wins-one = { $axis } { $value } { $gives }{ $doubt }.
claim-wins-all = { $axis } { $value } { $gives } in allen { $loads } Lasten{ $doubt }.
certain-all = , statistisch gesichert
certain-in-common = , gesichert, weil der Fehler des Profils ihnen gemeinsam ist
certain-none = , aber nicht statistisch gesichert
certain-some = , in { $certain } davon statistisch gesichert
claim-largest = Der größte Unterschied ({ $metric }) besteht bei { $load }: { $more } gegenüber { $less }, { $difference } ({ $more_value } gegenüber { $less_value }).
claim-largest-only = Der größte Unterschied ({ $metric }): { $more } gegenüber { $less }, { $difference } ({ $more_value } gegenüber { $less_value }).
ratio-interval = { $value } % [{ $low }; { $high }]{ $factor }
ratio-alone = { $value } % (ohne Intervall){ $factor }
judged-same = { $difference } gleich
judged-unknown = { $difference } nicht zu entscheiden
run-after = nachher (Lauf { $id })
run-before = vorher (Lauf { $id })
list-and-then = { $list } und { $last }
per-byte-moved = Für jedes Byte, das die Last { $direction ->
    [read] las, lasen
   *[write] schrieb, schrieben
  } die Platten { $high } Byte: Die Schichten darüber fügen Kopien, Parität, Journale oder Bäume hinzu.
moved = in { $where } { $size } { $word }{ $than }{ $range }
moved-size = { $percent } %{ $factor }
moved-than = { " " }als { $before }
moved-as = { " " }wie { $before }
moved-against = { " " }gegenüber { $before }
moved-of = { $count } von { $cells } Zellen
moved-one-cell = der einen Zelle
moved-at = { " " }({ $cell })
moved-range = { " " }(Median; von { $least } bis { $most } bei { $cell })
moved-same = in { $where } bis auf { $margin } % gleich{ $as }
moved-unknown = in { $where } unentschieden{ $against }
moved-by = nach { $metric }:{ " " }
claim-before-after = { $by }{ $after } ist { $parts }.
against-moved = { $count_text } { $count ->
    [one] ist
   *[other] sind
  } { $size } { $word }{ $range }
against-same = { $count_text } { $count ->
    [one] ist
   *[other] sind
  } bis auf { $margin } % gleich
against-unknown = { $count_text } { $count ->
    [one] ist
   *[other] sind
  } unentschieden
claim-against = { $by }von { $cells ->
    [one] der einen Zelle mit einer Basis
   *[other] { $cells_text } Zellen mit einer Basis
  }: { $parts }.
some-more = { $count } weitere
claim-untold = { $stacks } unterscheiden sich von { $baseline } in je mehreren Schlüsseln. Kein Stapel hier zeigt, welcher Schlüssel den Unterschied macht; ein Stapel, der sich von { $baseline } in nur einem unterscheidet, würde es zeigen.
claim-single = { $cells }, je einmal gemessen: kein Wert hat ein Intervall, und ein Unterschied kann Zufall sein.
claim-gives = { $cell } erreicht { $value } ({ $metric }).
claim-limits = Was begrenzt, in { $cells }: { $limits }.
limit-count = { $limit } ({ $cells })
cell-of-run = { $cell } ({ $run })
cell-count = { $count ->
    [one] { $count_text } Zelle
   *[other] { $count_text } Zellen
  }
claim-off = { $run } weicht von { $reference } über { $cells } im Mittel um { $mean } ab ({ $metric }), höchstens um { $worst } ({ $side ->
    [below] zu niedrig
   *[above] zu hoch
  }), bei { $worst_cell }.
difference = { $key } ({ $value } statt { $instead_of })
claim-differs = { $stack } unterscheidet sich von { $baseline } in { $differences }. { $cause }
claim-cause = Die Ursache ist { $keys }: { $witness } und { $same_as } unterscheiden sich nur in { $idle } und leisten dasselbe ({ $cells }).
claim-cause-unknown = Kein Stapel hier zeigt, was davon den Unterschied macht; ein Stapel, der sich von { $baseline } nur in einem unterscheidet, würde es zeigen.
claim-settled = { $settled_text } von { $cells } { $settled ->
    [one] hat
   *[other] haben
  } ein Intervall, das enger ist als ± { $margin }.
claim-open-empty = { $count_text } von { $cells } Zellen { $count ->
    [one] hat
   *[other] haben
  } keine Messung, die zählt: siehe die Warnungen.
claim-open-full = { $count_text } von { $cells } Zellen { $count ->
    [one] liegt
   *[other] liegen
  } nach { $most } Messungen, dem Höchstwert der Studie, nicht innerhalb von ± { $width }.
claim-open-wide = { $count_text } von { $cells } Zellen { $count ->
    [one] liegt noch nicht innerhalb von ± { $width }; mehr Messzeit verkleinert ihr Intervall.
   *[other] liegen noch nicht innerhalb von ± { $width }; mehr Messzeit verkleinert ihre Intervalle.
  }
claim-not-counted = { $samples_text } von { $of ->
    [one] { $of_text } Messung
   *[other] { $of_text } Messungen
  } { $samples ->
    [one] wurde
   *[other] wurden
  } nicht gezählt; die Warnungen sagen, warum.

## Urteile.

verdict-times = { $range }-mal so { $word }
verdict-percent = { $range } % { $word }
verdict-less-than-tenth = weniger als 0,1 % { $word }
verdict-up-to = bis zu { $high } % { $word }
verdict-range = { $low } bis { $high }
verdict-about = etwa { $value }
verdict-same = kein Unterschied über { $margin } %
verdict-unknown-about = nicht zu entscheiden; etwa { $count ->
    [one] 1 weitere Messung würde
   *[other] { $count_text } weitere Messungen würden
  } es klären
verdict-unknown-more = nicht zu entscheiden; mehr als { $count ->
    [one] 1 weitere Messung wäre
   *[other] { $count_text } weitere Messungen wären
  } nötig
verdict-simulated-open = zwischen { $low } und { $high }: { $simulations_text } Simulationen entscheiden es nicht
verdict-simulated-cut = zwischen { $low } und { $high }: der Lauf endete nach { $simulations ->
    [one] { $simulations_text } Simulation
   *[other] { $simulations_text } Simulationen
  }
verdict-simulated-few = nicht zu entscheiden mit weniger als { $least } Simulationen
verdict-imported-single = je eine Messung, daher kein Intervall
verdict-imported-few = { $baseline } und { $other } Messungen sind zu wenige für ein Intervall
verdict-imported-open = { $baseline } und { $other } Messungen entscheiden es nicht
word-times-higher-rises = schnell
word-times-higher-falls = langsam
word-times-lower-rises = hoch
word-times-lower-falls = niedrig
word-percent-higher-rises = schneller
word-percent-higher-falls = langsamer
word-percent-lower-rises = höher
word-percent-lower-falls = niedriger

## Teile eines I/Os, und was begrenzt.

part-aio_queue = Warteschlange des Programms
part-submit = Absenden
part-volume_cpu = Volume-Schicht
part-array_cpu = Array-Schicht
part-block_cpu = Blockschicht
part-block_queue = Block-Warteschlange
part-device_queue = Geräte-Warteschlange
part-device_service = Arbeit des Geräts
part-link = Anbindung
part-uplink = Uplink
part-adapter = Adapter
part-slowest_member = langsamstes Mitglied
part-read_modify_write = Read-Modify-Write
part-parity_thread = Paritäts-Thread
part-bitmap = Bitmap
part-rebuild = Wiederaufbau
part-flush = Flush
part-journal = Journal
part-page_cache = Page-Cache
part-completion = Abschluss
part-all = das ganze I/O
spent-aio_queue = das Warten in der Warteschlange des Programms
spent-submit = die CPU beim Absenden
spent-volume_cpu = die CPU in der Volume-Schicht
spent-array_cpu = die CPU in der Array-Schicht
spent-block_cpu = die CPU in der Blockschicht
spent-block_queue = das Warten auf einen Platz in der Warteschlange einer Platte
spent-device_queue = das Warten in der Platte, bis das I/O an der Reihe ist
spent-device_service = die Arbeit einer Platte
spent-link = die Anbindung einer Platte
spent-uplink = der Uplink, den sich alle Platten teilen
spent-adapter = Warten auf den Interrupt des Adapters
spent-slowest_member = das Warten auf die langsamste der Platten
spent-read_modify_write = das Lesen von Blöcken für die Parität
spent-parity_thread = der eine Paritäts-Thread des Arrays
spent-bitmap = die Write-Intent-Bitmap
spent-rebuild = das Warten auf den Wiederaufbau
spent-flush = das Leeren der Schreibcaches
spent-journal = das Journal des Dateisystems
spent-page_cache = der Page-Cache
spent-completion = die CPU beim Abschluss
resource-uplink = Uplink
resource-links = Anbindung der Platten
resource-devices = Platten
resource-job_cpu = CPU eines Jobs
resource-lock = Sperre des Arrays
resource-parity_thread = Paritäts-Thread
resource-cores = alle Kerne
limit-brief-saturated = { $resource } { $busy }
limit-brief-own-rate = eigene Rate
limit-brief-own-pauses = eigene Pausen
limit-name-own-rate = die eigene Rate der Last
limit-name-own-pauses = die eigenen Pausen der Last
limit-short-own-pauses = die eigenen Pausen der Last ({ $share } der Zeit)
limit-own-rate = Die eigene Rate der Last entscheidet: Der Stapel hält mit ihr Schritt, und die am stärksten ausgelastete Platte ist { $busy } der Zeit beschäftigt.
limit-own-pauses = Die eigenen Pausen der Last entscheiden: Sie nehmen { $share } der Zeit ein.
limit-brief-syncs = Syncs
limit-short-saturated = { $resource } (zu { $busy } ausgelastet)
limit-short-syncs = Syncs ({ $share } der Zeit)
limit-short-latency = { $part } ({ $share } jedes I/Os)
limit-devices = Die Platten sind { $busy } der Zeit beschäftigt, und ein I/O wartet { $share } seiner Zeit auf eine davon.
limit-uplink = Der Uplink, den sich alle Platten teilen, ist { $busy } der Zeit beschäftigt.
limit-links = Die Anbindungen der Platten sind { $busy } der Zeit beschäftigt.
limit-job_cpu = Die CPU des Jobs ist { $busy } der Zeit beschäftigt.
limit-lock = Eine Sperre, die sich alle Tasks des Arrays teilen, ist { $busy } der Zeit belegt: Mehr Kerne helfen nicht.
limit-parity_thread = Der eine Paritäts-Thread des Arrays ist { $busy } der Zeit beschäftigt.
limit-cores = Die Kerne des Rechners sind { $busy } der Zeit beschäftigt: Jobs, Interrupts und das Array teilen sie sich.
limit-syncs = { $share } der Zeit vergehen mit Syncs, je { $time }, bis jede Platte ihren Cache geleert hat; der Rest betrifft die I/Os dazwischen.
limit-latency = Keine Ressource ist die ganze Zeit beschäftigt; der größte Teil eines I/Os, { $share } ({ $time }), ist { $part }.
limit-latency-busy = Die am stärksten ausgelastete Platte ist { $busy } der Zeit beschäftigt; der größte Teil eines I/Os, { $share } ({ $time }), ist { $part }.

## Befunde.

finding-read-modify-write = Vor jedem Schreibzugriff liest das Array { $reads_per_write } Blöcke, weil der Zugriff keinen ganzen Streifen füllt: { $share } seiner Zeit.
finding-mirrors-take-turns = Die Spiegel wechseln sich ab, sodass jede Platte mit Lücken liest: Nur { $share } der Lesezugriffe auf den Platten schließen an den vorigen an (Linux { $kernel }: { $rule }).
finding-reads-favour = { $part } der Lesezugriffe gehen an { $members } (Linux { $kernel }: { $rule }).
finding-bitmap = Schreibzugriffe in einen sauberen Bereich warten, bis sein Bit in der Write-Intent-Bitmap auf den Platten ist: { $share } ihrer Zeit.
finding-flush = Das Warten darauf, dass die Platten ihre Caches leeren, kostet { $share } der Zeit.
finding-journal = Das Journal des Dateisystems kostet { $share } der Zeit.
finding-slowest-member = Aus einem I/O werden { $requests_per_io } Anforderungen, und es wartet auf die langsamste: { $share } seiner Zeit.
finding-idle-members = Im Mittel sind { $busy } von { $members } Platten beschäftigt: { $depth ->
    [one] Ein I/O von { $block } unterwegs lastet
   *[other] { $depth_text } I/Os von { $block } unterwegs lasten
  } nicht mehr Platten aus.
finding-cpu = Die CPU kostet { $share } der Zeit jedes I/Os, aus dem { $requests_per_io } Anforderungen an die Platten werden.
finding-split = Chunks zerlegen jedes I/O von { $block } in { $pieces_per_io } Stücke von im Mittel { $piece }.
finding-copies = Jedes Byte wird { $copies }-mal geschrieben.
all-of = 100 %
of-sixteen = { $sixteenths } von 16 ({ $share })
list-and = { $list } und { $last }
rule-raid10-first-idle = raid10 liest vom ersten Spiegel, bei dem nichts aussteht
rule-raid10-idle-is-zero = raid10 liest vom Spiegel, dessen Kopf am nächsten steht, und ein untätiger gilt als nah
rule-raid10-fewest-pending-if-ssd = raid10 liest vom Spiegel mit den wenigsten ausstehenden Zugriffen, bei Gleichstand vom ersten
rule-raid1-first-idle = raid1 liest vom ersten Spiegel, der sequenziell gelesen wird oder untätig ist
rule-raid1-fewest-pending = raid1 liest von einem Spiegel, der sequenziell gelesen wird, sonst von dem mit den wenigsten ausstehenden Zugriffen, bei Gleichstand vom ersten
rule-raid1-sequential-gives-way = raid1 liest von einem Spiegel, der sequenziell gelesen wird, bis dessen Folge lang ist, sonst von dem mit den wenigsten ausstehenden Zugriffen, bei Gleichstand vom ersten

## Änderungen.

change-chunk = Chunk { $size }
change-devices = { $count } Geräte
change-array = { $array }
change-array-unsafe = { $array } (keine Redundanz)
change-kernel = Regeln von Linux { $version }
change-depth = Tiefe { $depth }
change-fsync-every = ein Sync nach { $writes ->
    [one] jedem Schreibzugriff
   *[other] { $writes_text } Schreibzugriffen
  }
change-block-size = I/Os von { $size }
change-governor = Governor { $governor }
change-no-bitmap = keine Bitmap
change-no-own-rate = keine eigene Grenze und keine Pausen der Last
change-twice-devices = doppelt so schnelle Platten
change-twice-links = doppelt so schnelle Verbindungen zu den Platten
change-twice-uplink = ein doppelt so schneller Uplink
change-twice-adapter = ein Adapter, der fertige I/Os halb so lange zurückhält
change-twice-processor = eine doppelt so schnelle CPU

## Warnungen, und was zu tun ist.

warning-compressible-data = Die Daten sind `{ $data }`, und das Dateisystem komprimiert ({ $compression }): Das Ergebnis hängt von den Daten ab, nicht nur von der Platte
hint-compressible-data = Setzen Sie `data = "incompressible"`, oder vergleichen Sie mehrere Kompressionsverhältnisse
warning-file-fits-in-memory = Gepuffertes I/O auf Dateien von { $files } bei { $memory } Arbeitsspeicher: Gemessen wird der Page-Cache, nicht die Platte
hint-file-fits-in-memory = Setzen Sie `direct = true` oder eine `size`, die mindestens doppelt so groß wie der Arbeitsspeicher ist
warning-writes-throttled = Selbst die schnellsten Lesezugriffe von { $device } dauern { $read }, länger als die { $limit }, ab denen Linux Schreibzugriffe drosselt (blk-wbt): Die Mitglieder eines Verbunds bekommen dann nur wenige gleichzeitig, im Modell aber alle
hint-writes-throttled = Setzen Sie `wbt_lat_usec = 0` auf den Platten und in der Studie, oder messen Sie beides mit `--world lab`
warning-depth-ignored = Mit der Engine `{ $engine }` sind keine { $depth } I/Os gleichzeitig unterwegs: Ohne direktes I/O schließt sie jedes I/O sofort ab
hint-depth-ignored = Nehmen Sie `engine = "io_uring"`, `libaio` mit `direct = true` oder mehr `jobs`
warning-budget-too-small = Das Budget von { $budget } ist zu klein: Die für ein Intervall mindestens nötigen Messungen dauern etwa { $needed }
hint-budget-too-small = Geben Sie ein größeres `--budget`, weniger Zellen oder ein kürzeres `sample` an
warning-budget-ended = Das Budget endete zu früh: { $what ->
    [short] { $short_text } von { $cells } Zellen { $short ->
        [one] hat
       *[other] haben
      } weniger als { $least } Messungen
    [empty] { $empty_text } von { $cells } Zellen { $empty ->
        [one] hat
       *[other] haben
      } keine Messung
   *[both] { $empty_text } von { $cells } Zellen { $empty ->
        [one] hat
       *[other] haben
      } keine Messung, und { $short ->
        [one] { $short_text } weitere hat
       *[other] { $short_text } weitere haben
      } weniger als { $least }
  }
hint-budget-ended = Geben Sie ein größeres `--budget`, weniger Zellen oder ein kürzeres `sample` an
warning-array-busy = Das Array `{ $array }` war mit `{ $action }` beschäftigt
hint-array-busy = Warten Sie, bis `/proc/mdstat` weder `resync` noch `recovery` noch `check` zeigt
warning-array-degraded = Dem Array `{ $array }` { $missing ->
    [one] fehlt { $missing_text } Mitglied
   *[other] fehlen { $missing_text } Mitglieder
  }
hint-array-degraded = Die Leistung eines degradierten Arrays ist eine andere: Bauen Sie es zuerst wieder auf, oder untersuchen Sie den Ausfall mit Absicht
warning-array-lost-members = Das Array `{ $array }` hat seit Beginn der Messung ein Mitglied verloren; nun { $missing ->
    [one] fehlt { $missing_text }
   *[other] fehlen { $missing_text }
  }
hint-array-lost-members = Eine Platte fiel aus oder wurde entfernt: Stellen Sie mit `dmesg` und `cat /proc/mdstat` fest, welche und warum, und ersetzen Sie sie
warning-failure-unfinished = Als die Last endete, { $step ->
    [fail] war `{ $device }` des Arrays `{ $array }` noch nicht ausgefallen
    [take_out] war `{ $device }` des Arrays `{ $array }` ausgefallen, aber vom Kernel noch nicht freigegeben
   *[put_back] war `{ $device }` des Arrays `{ $array }` noch nicht wieder hinzugefügt
  }
hint-failure-unfinished = Lassen Sie das Gerät früher ausfallen oder wieder hinzufügen, oder geben Sie in `[repeat]` ein längeres `sample` an
warning-fewer-bytes-at-device = Die Geräte { $direction ->
    [read] lasen
   *[write] schrieben
  } { $device }, fio verlangte { $asked }: Ein Cache oder eine Kompression hat I/O abgefangen
hint-fewer-bytes-at-device = Setzen Sie `direct = true` und `data = "incompressible"`; gegen einen Cache unterhalb des Dateisystems hilft eine größere `size`
warning-data-shrunk = Das Dateisystem hat { $percent } der Daten nicht { $direction ->
    [read] gelesen
   *[write] geschrieben
  }, weil es sie komprimiert hat: Von { $asked }, die die Last zählt, kamen { $moved } bei den Platten an
hint-data-shrunk = Nennen Sie für die Platten die Zelle mit `data = "incompressible"`, und diese hier für das Dateisystem mit diesen Daten
warning-more-bytes-at-device = Die Geräte { $direction ->
    [read] lasen
   *[write] schrieben
  } { $device }, fio verlangte { $asked }{ $is_known ->
    [true] ; der aktivste andere Prozess: { $process }
   *[false] {""}
  }
hint-more-bytes-at-device = Beenden Sie andere Programme, die die Platte benutzen; gibt es keine, vermehrt das Dateisystem oder das Array die I/Os (kleine Schreibzugriffe auf große Blöcke, Journale bei `fsync`)
warning-disks-unknown = Die Platten unter `{ $filesystem }` lassen sich nicht ermitteln: Cache-Treffer, Kompression und I/O anderer Prozesse bleiben unbemerkt
hint-disks-unknown = Verlassen Sie sich weniger auf absolute Zahlen, und wiederholen Sie die Messung mit einer `size` weit über der Größe aller Caches
warning-partition-misaligned = `{ $device }` beginnt bei Byte { $start } der Platte, und das ist kein Vielfaches { $unit ->
    [physical_block] des physischen Blocks
    [optimal_io] der optimalen I/O-Größe der Platte
   *[chunk] des Chunks
  } ({ $bytes } Bytes)
hint-partition-misaligned = Lassen Sie Partitionen bei Vielfachen von 1 MiB beginnen, wie mit `parted --align optimal`
warning-short-run = Die Last lief { $elapsed } von { $asked }
hint-short-run = Sehen Sie sich die Meldungen von fio in der Aufzeichnung an; eine volle Platte oder ein Signal beendet es vorzeitig
warning-frequency-fell = Der höchste erlaubte Takt einer CPU fiel von { $before } auf { $after } MHz
hint-frequency-fell = Stellen Sie den Governor `performance` ein, und prüfen Sie die Temperaturen
warning-throttled = Die CPU wurde wegen Hitze { $count ->
    [one] einmal
   *[other] { $count_text }-mal
  } gedrosselt
hint-throttled = Kühlen Sie die Maschine, und messen Sie noch einmal
warning-first-sample-unlike = Die erste gezählte Messung weicht von den übrigen ab ({ $metric }: { $first } gegenüber { $rest })
hint-first-sample-unlike = Mit einem längeren `sample` oder mit `steady_state = "snia"` dauert das Aufwärmen länger
warning-drift = { $metric }: { $direction ->
    [falls] Abnahme
   *[rises] Zunahme
  } um { $percent } im Verlauf der Messungen (p = { $p })
hint-drift = `steady_state = "snia"` wartet, bis das Gerät eingeschwungen ist
warning-autocorrelated = { $metric }: Jede Messung ähnelt der vorigen (Autokorrelation bei Lag 1: { $lag }), daher zählen { $samples } Messungen nur wie { $effective }
hint-autocorrelated = Nehmen Sie längere oder mehr Messungen; das Intervall berücksichtigt die Abhängigkeit bereits
warning-not-steady = Kein eingeschwungener Zustand innerhalb von { $rounds ->
    [one] einer Runde
   *[other] { $rounds_text } Runden
  }
hint-not-steady = Konditionieren Sie länger vor, oder berichten Sie das Ergebnis als Übergangszustand, nicht als eingeschwungenen Zustand
warning-job-failed = Der fio-Job `{ $job }` meldet Fehler { $errno }{ $has_reason ->
    [true] { " " }({ $reason })
   *[false] , dessen Bedeutung vom Betriebssystem abhängt, auf dem fio lief
}
warning-no-histogram = Die Quelle hat kein Latenz-Histogramm: Perzentile stammen von fio, je Job, oder sind unbekannt
hint-no-histogram = Führen Sie fio mit `--output-format=json+` aus
warning-data-differs = Daten gingen verloren oder wurden verändert: { $found_by ->
    [md] Die Mitglieder von `{ $array }` stimmen nicht überein
   *[fio] fio las andere Daten zurück, als es geschrieben hatte
  }
hint-data-differs = Verlassen Sie sich nicht auf diese Geräte: Prüfen Sie das Protokoll des Kernels (`dmesg`), Kabel, Arbeitsspeicher und den Wiederaufbau
warning-not-verified = Die Daten wurden nicht geprüft: Die Welt { $world ->
    [metal] Hardware
    [lab] Labor
   *[model] Modell
  } hat keine, die sich vergleichen ließen
hint-not-verified = Nehmen Sie `--world lab` oder `--world metal`: Dort werden die Daten zurückgelesen
warning-host-lost = Rechner { $host } ging während einer Messung verloren: { $why }
hint-host-lost = Die Messung zählt nicht; der Rechner stellt sich binnen 15 s selbst wieder her, und `stripewise restore` stellt fest, ob das gelang
host-lost-closed = { $how ->
    [ssh] Seine Verbindung endete (Exit-Code 255 von `ssh`): Rechner, `sshd` dort oder Netz fielen aus
    [killed] Unser Programm dort wurde getötet (Signal 9), von jemandem oder aus Mangel an Speicher
    [signal] Unser Programm dort wurde von Signal { $number } beendet
    [program] Unser Befehl dort endete mit Exit-Code { $number }
   *[unknown] Seine Verbindung wurde geschlossen
  }{ $has_printed ->
    [true] ; letzte Worte: { $printed }
   *[false] { "" }
  }
host-lost-silent = Von ihm kam { $time } lang nichts
host-lost-failed = { $error }
warning-host-without = Gemessen ohne { $hosts }: { $left ->
    [one] Ein Rechner war
   *[other] { $left_text } Rechner waren
  } übrig
hint-host-without = Zahlen mit weniger Rechnern sind nicht die von allen: Messungen verschiedener Rechner werden nie zusammengefasst
warning-host-late = Rechner { $host } begann seine Last { $late } nach dem ersten (± { $within })
hint-host-late = Die Lasten überlappen sich kürzer, als die Messung dauert; suchen Sie einen ausgelasteten Rechner oder einen langsamen Start von fio dort
warning-host-slow = Rechner { $host } erreichte { $share } % des Durchsatzes des mittleren Rechners
hint-host-slow = Vergleichen Sie seinen Datenträger, seine Verbindung und was sonst auf ihm läuft mit denen der anderen
warning-host-clock = Die Uhr von Rechner { $host } geht { $off } { $is_ahead ->
    [true] vor
   *[false] nach
  } (± { $within })
hint-host-clock = Lasten beginnen trotzdem gemeinsam, nach Uhren, die niemand stellt; stellen Sie diese (`timedatectl`), sonst passen ihre Protokolle nicht zu anderen
warning-host-busy = Rechner { $host } war vor dem Lauf ausgelastet: mittlere Last { $load } auf { $cpus ->
    [one] einer CPU
   *[other] { $cpus_text } CPUs
  }
hint-host-busy = Beenden Sie, was dort läuft, oder messen Sie es als Teil des Ergebnisses
warning-host-unlike = Rechner { $host } unterscheidet sich von { $first }: { $fact }, { $here } statt { $there }
hint-host-unlike = Rechner einer Zahl sollten gleich sein; messen Sie jede Art in einem eigenen Lauf
warning-host-noticed = Rechner { $host }: { $sentence }
view-hosts = Rechner
hosts-lost-lead = { $lost ->
    [one] Einer von { $all } Rechnern ging verloren: { $hosts }.
   *[other] { $lost_text } von { $all } Rechnern gingen verloren: { $hosts }.
  } Was folgt, gilt für die übrigen und ist keine kleinere Zahl von allen.
hosts-missing-lead = { $lost ->
    [one] Einer von { $all } Rechnern nahm nicht teil: { $hosts }.
   *[other] { $lost_text } von { $all } Rechnern nahmen nicht teil: { $hosts }.
  } Was folgt, gilt für die anderen allein.
hosts-lost-one = { $host } ({ $why })
hosts-found-lead = Zu { $hosts }: siehe die Warnungen.
hosts-skew = { $hosts ->
    [one] Ein Rechner
   *[other] { $hosts_text } Rechner
  } begannen jede Last gemeinsam: der letzte höchstens { $skew } nach dem ersten (± { $within }).
hosts-title = Jeder Rechner neben den anderen, Mediane der Messungen, die zählen
hosts-column-host = Rechner
hosts-column-late = begann nach
warning-risk-not-measured = Welche Daten ein Stromausfall kostet, ist unbekannt: Ein echter Speicher zeigt nicht, wo seine Daten sind
hint-risk-not-measured = Nehmen Sie `--world model`: Das Modell verfolgt jeden Schreibvorgang bis auf den Datenträger
warning-simulation-cut-short = Die Simulation erreichte nach { $ios ->
    [one] { $ios_text } I/O
   *[other] { $ios_text } I/Os
  } die Grenze ihres Aufwands: Die Schätzung ist unsicherer als üblich
hint-simulation-cut-short = Fragen Sie nach kleineren I/Os oder nach weniger I/Os unterwegs
warning-not-stationary = Nach { $ios_text } { $ios ->
    [one] simuliertem I/O
   *[other] simulierten I/Os
  } änderte sich noch { $changing ->
    [write_cache] der Inhalt der Schreibcaches der Geräte
    [fast_area] der Inhalt der schnellen Bereiche der Geräte
    [flash_blocks] die Belegung der Blöcke des Flash-Speichers
    [page_cache] die Zahl der schmutzigen Seiten
    [bitmap] die Zahl der gesetzten Bits der Bitmap
   *[throughput] der Durchsatz
  }: Dies ist ein Übergangszustand, nicht der eingeschwungene Zustand
hint-not-stationary = Fragen Sie mit `state = "fresh"` nach den ersten Sekunden, oder messen Sie den eingeschwungenen Zustand am Gerät
warning-points-missed = Auf dem Host `{ $host }` verfehlt das Modell { $missed_text } von { $points ->
    [one] { $points_text } Messpunkt
   *[other] { $points_text } Messpunkten
  } des Geräteprofils `{ $profile }` um mehr als 10 %; im schlimmsten Fall ist { $pattern } { $block_size } mit { $in_flight_text } unterwegs { $off } { $is_faster ->
    [yes] zu schnell
   *[no] zu langsam
  }{ $is_other ->
    [yes] ; das Profil wurde mit dem Host `{ $fitted_host }` angepasst
   *[no] {""}
  }
hint-points-missed = Nennen Sie keinen Host, oder den, den `stripewise calibrate` neben das Gerät geschrieben hat; sonst kalibrieren Sie neu
warning-disk-store-full = Die modellierte Platte `{ $device }` hatte keinen Arbeitsspeicher mehr: { $waits ->
    [one] { $waits_text } Schreibzugriff wartete
   *[other] { $waits_text } Schreibzugriffe warteten
  } darauf, und { $failed ->
    [one] { $failed_text } Anforderung schlug
   *[other] { $failed_text } Anforderungen schlugen
  } fehl
hint-disk-store-full = Geben Sie dem Gast mit `--memory` mehr Arbeitsspeicher oder der Studie eine kleinere `size`
warning-late-completion = Die modellierte Platte `{ $device }` meldete Anforderungen zu spät als fertig: Sie dauerten { $service }, wie in ihrem Profil, aber der Gast bemerkte ihr Ende erst { $late } später
hint-late-completion = Die einzige CPU des Gastes war beschäftigt, meist mit Kopieren: Verzichten Sie auf Dateisystem und `verify`, oder vergleichen Sie nur Ergebnisse des Labors miteinander
warning-guest-core-full = Die einzige CPU des Gastes war zu { $busy } ausgelastet{ $is_known ->
    [true] , mit fio allein zu { $generator }
   *[false] {""}
  }: Sie begrenzt dieses Ergebnis, nicht die Platten
hint-guest-core-full = Vergleichen Sie das Ergebnis nur mit anderen Ergebnissen des Labors oder mit dem Modell unter dem Hostprofil `lab`; größere Blöcke, weniger oder langsamere Platten lassen der CPU Zeit
warning-imported-several-documents = Der Lauf hat { $count } Berichte (`--status-interval`), jeder mit allen I/Os bis dahin; es zählt der letzte vollständige
warning-imported-cut-short = Die Datei enthält ein unvollständiges Dokument: fio wurde abgebrochen oder läuft noch
warning-imported-trims-ignored = Der Job `{ $job }` führte { $count ->
    [one] { $count_text } Trim aus, der nicht gezählt wird
   *[other] { $count_text } Trims aus, die nicht gezählt werden
  }
warning-imported-short-ios = { $count ->
    [one] { $count_text } I/O des Jobs `{ $job }` übertrug weniger Bytes als angefordert oder wurde verworfen
   *[other] { $count_text } I/Os des Jobs `{ $job }` übertrugen weniger Bytes als angefordert oder wurden verworfen
  }
warning-imported-bins-disagree = Der Job `{ $job }` maß die Zeit von { $timed } I/Os, aber sein Histogramm enthält { $binned }
warning-imported-rates-disagree = Der Job `{ $job }` nennt { $stated } { $of ->
    [bytes] Bytes
   *[ios] I/Os
  } pro Sekunde, aber seine Anzahlen und seine Laufzeit ergeben { $counted }, was genommen wird
warning-imported-bytes-in-kib = fio vor 2.21 zählt Bytes in KiB und rundet sie ab, und Latenzen in ganzen Mikrosekunden
warning-imported-ios-from-rate = Diese Version von fio gibt die Zahl der I/Os nicht an: Sie ist als Rate mal Laufzeit berechnet
warning-imported-stated-left-out = { $count ->
    [one] { $count_text } weitere Zahl, die fio zu seinen Jobs angibt, wird nicht aufbewahrt
   *[other] { $count_text } weitere Zahlen, die fio zu seinen Jobs angibt, werden nicht aufbewahrt
  }
warning-imported-bad-bin = Ein Histogramm des Jobs `{ $job }` hat eine ungültige Klasse und wurde nicht gelesen
warning-imported-job-left-out = Der Job `{ $job }` wurde ausgelassen: `rw={ $pattern }` ist weder Lesen noch Schreiben
warning-imported-mixed-left-out = Der Job `{ $job }` wurde ausgelassen: Er zählt Lesen und Schreiben zusammen (`unified_rw_reporting=mixed`); starten Sie fio mit `unified_rw_reporting=none`
warning-imported-repeated-runs = { $count ->
    [one] Ein Lauf wurde ausgelassen, weil eine andere Datei denselben Lauf enthält
   *[other] { $count_text } Läufe wurden ausgelassen, weil andere Dateien dieselben Läufe enthalten
}: `{ $file }`
warning-imported-several-versions = Die Läufe stammen von mehreren Versionen von fio: { $versions }
warning-imported-several-directories = { $count ->
    [one] Eine Zelle hat
   *[other] { $count_text } Zellen haben
  } Wiederholungen aus mehreren Verzeichnissen ({ $directories }), zwischen denen fio keinen Unterschied nennt; sind es verschiedene Messungen, importieren Sie jedes Verzeichnis als eigenen Lauf und vergleichen Sie die Läufe
warning-imported-default-buffers = Die Standardpuffer von fio lassen sich bei dieser Blockgröße und Tiefe etwa { $ratio }:1 komprimieren; auf einem komprimierenden Dateisystem hängt das Ergebnis von den Daten ab
warning-imported-approximated = `{ $option }={ $value }` erscheint als { $taken }
warning-imported-rate-unreadable = `{ $option }={ $value }` ist nicht lesbar; die Last erscheint ohne Rate
warning-imported-size-unknown = Die Größe der Datei steht nicht in den Optionen; sie erscheint als 0
warning-imported-options-unknown = fio vor 2.3 zeichnet keine Optionen auf: Richtung und Blockgröße sind aus seinen Zählern abgeleitet; zufällig oder sequenziell, Tiefe, Engine und Größe sind unbekannt
warning-imported-percentiles-by-job = fio gibt Perzentile je Job oder Richtung an (insgesamt { $parts }), die sich nicht zusammenfassen lassen: Sie bleiben unverändert; `--output-format=json+` liefert Histogramme, bei denen es geht
warning-imported-group-reported = `group_reporting` summierte { $jobs } Jobs; die Summe kann andere Abschnitte derselben Gruppe enthalten
warning-imported-ended-early = Der Job endete vorzeitig, nach { $elapsed } von { $asked }: { $is_time_based ->
    [true] Mit `time_based` hätte er so lange laufen müssen, also hat ihn etwas beendet
   *[false] Ohne `time_based` endet fio am Ende der Datei
  }
warning-imported-completion-latency = Die Latenzen sind Completion-Latenzen (`clat`), ohne das Absenden der I/Os; `lat_percentiles=1` liefert die gesamten
warning-imported-bad-log-lines = Die Logs des Jobs haben fehlerhafte Zeilen ({ $count }), die ausgelassen wurden
warning-imported-histogram-log-part = Das Histogramm-Log des Jobs enthält { $logged } von { $ios } I/Os: fio verwirft das letzte Fenster, wenn es nicht voll ist
warning-imported-log-of-maxima = Das Latenz-Log des Jobs enthält die größte Latenz jedes Fensters, nicht den Mittelwert, und wurde ausgelassen
warning-imported-log-maxima-left-out = Das Latenz-Log des Jobs enthält neben dem Mittelwert die größte Latenz jedes Fensters (`log_window_value=both`); die größten wurden ausgelassen
warning-imported-log-unused = Das `{ $ending }`-Log des Jobs fügt dem Rest nichts hinzu und wurde ausgelassen
warning-unreadable = Die Daten einer Warnung sind nicht lesbar
warning-at = bei { $samples ->
    [one] { $samples_text } Messung
   *[other] { $samples_text } Messungen
  }
warning-invalidates = nicht gezählt
warning-cells = { $run }, bei { $cells }
warning-at-cells = bei { $cells }
warning-all-cells = Alle { $count } Zellen
warning-run = { $run }, der ganze Lauf
warning-what-to-do = Was zu tun ist:

## Merkmale und Befehle.

changed-kernel = Kernel
changed-kernel-source = Quelle des Kernels
changed-cpu-model = CPU-Modell
changed-cpu-governor = CPU-Governor
changed-cpu-count = Zahl der CPUs
changed-memory = Arbeitsspeicher
changed-target-filesystem = Dateisystem des Ziels
changed-target-mount-point = Einhängepunkt des Ziels
changed-target-source = Gerät unter dem Ziel
changed-disk-model = Modell der Platte { $disk }
changed-disk-firmware = Firmware der Platte { $disk }
changed-disk-serial = Seriennummer der Platte { $disk }
changed-disk-size = Größe der Platte { $disk } in Bytes
changed-disk-scheduler = Scheduler der Platte { $disk }
changed-disk-write-cache = Schreibcache der Platte { $disk }
changed-tool = Version von { $tool }
changed-other = { $fact }
tree-storage = Speicher
tree-below = unter
tree-holds-target = trägt das Ziel
tree-mark = * trägt das Ziel
tree-as-above = wie oben
tree-partition = Partition
tree-unknown-filesystem = unbekanntes Dateisystem
tree-members = { $count ->
    [one] { $count_text } Mitglied
   *[other] { $count_text } Mitglieder
  }
tree-missing = { $count ->
    [one] { $count_text } davon fehlt
   *[other] { $count_text } davon fehlen
  }
tree-rotating = rotierend
tree-solid = nicht rotierend
tree-scheduler = Scheduler { $name }
tree-encrypted = verschlüsselt
tree-multipath = Multipath
machine-kernel = Kernel
machine-system = System
machine-board = Hauptplatine
machine-hypervisor = Hypervisor
machine-cpu = CPU
machine-governor = Governor
machine-memory = Arbeitsspeicher
machine-target = Ziel
machine-filesystem = Dateisystem
machine-options = Optionen
machine-compression = Kompression
machine-profile = Profil der Daten
machine-free = frei
machine-disks = Platten
machine-unknown = unbekannt
machine-mounts-unread = Eingehängtes unbekannt
machine-hypervisor-none = keiner erkannt
machine-hypervisor-unnamed = namenloser Hypervisor
machine-compression-none = keine in den Optionen
machine-filesystem-on = { $filesystem } auf { $source }
machine-filesystem-source-unknown = { $filesystem } auf unbekannter Quelle
machine-governor-preference = Energievorgabe { $preference }
machine-governor-driver = Treiber { $driver }
machine-governor-up-to = bis { $frequency }
label-size = Größe
label-description = Beschreibung
value-none = ohne
facts-of = { $run }
facts-changed = Was sich geändert hat
facts-changed-note = Zahlen von vor und nach einer Änderung können sich allein deshalb unterscheiden.
facts-model = Simuliert: Kernel { $kernel }, Host { $host }, Geräte { $devices }.
facts-nearest-rules = { $rules } (die nächsten bekannten Regeln, für { $kernel })
facts-study = Die Studiendatei
command-repeat = Wiederholen
command-resume = Fortsetzen
command-show = Im Terminal anzeigen
command-compare = Vergleichen
command-why = Die Zahlen erklären
command-export = Daten und Diagramme exportieren

## Ansichten: Überschrift, und in einem Satz, was zu sehen ist.

view-curve = { $metric } nach { $axis }
view-curve-says = { $metric } nach { $axis }, eine Linie je { $series }. { $better } { $interval }
view-curve-panels = Ein Teildiagramm je { $panel }.
view-curve-runs = Durchgezogen: { $solid }; gestrichelt: { $dashed }.
view-curve-runs-dotted = Gepunktet: { $dotted }.
view-curve-worlds = Linien sind Vorhersagen, einzelne Punkte mit Fehlerbalken sind Messungen.
view-under-load = Latenz unter Last
view-under-load-says = { $latency } über { $rate }, von der kleinsten Last zur größten. Wo eine Linie nach oben abbiegt, wartet mehr Last nur länger. Gestrichelte Linien mit hohlen Punkten sind Vorhersagen.
view-bars = { $metric }
view-bars-says = { $metric } je { $series }, mit Konfidenzintervall. { $better }
view-heat-map = { $metric } nach { $rows } und { $columns }
view-heat-map-says = { $metric } je Kombination von { $rows } und { $columns }; je kräftiger die Farbe, desto größer der Wert. { $better }
view-table = Alle Zellen
view-table-says = Schätzwerte mit Intervallen und Unterschieden.
view-table-chosen = Die wichtigen Zellen
view-table-chosen-says = Die größten Unterschiede, und die Zellen, zu denen es Warnungen gibt: { $shown } von { $all }.
view-table-extremes-says = Die höchsten und die niedrigsten Werte, und die Zellen, zu denen es Warnungen gibt: { $shown } von { $all }.
view-table-all = Alle { $all } Zellen
cells-share = Alle Zellen: { $values }.
same-means = „gleich“ ist ein Unterschied von höchstens { $margin }.
view-distribution = Verteilung der Latenz
view-distribution-says = Der Anteil der I/Os (nach oben), die nicht länger brauchten als eine Latenz (nach rechts, logarithmisch), über alle gezählten Messungen.
view-distribution-tail-says = Wie selten langsame I/Os sind: Eines von so vielen (nach oben) brauchte länger als eine Latenz (nach rechts, logarithmisch).
one-in-all = alle
one-in = 1 von { $count }
view-percentiles = Perzentile mit ihren Intervallen
view-percentiles-says = Der Median über die Messungen; ein Perzentil, für das es zu wenige I/Os gibt, fehlt.
view-timeline = Ein Ausfall im Verlauf
view-timeline-says = Eine Messung, Schritt für Schritt; gepunktete Linien markieren Ereignisse des Arrays.
timeline-phases = Durchsatz: { $phases }.
timeline-reads = Lesen
timeline-writes = Schreiben
timeline-rebuilt = Wiederaufbau
timeline-events = Ereignisse
timeline-seconds = Sekunden seit Beginn der Messung
timeline-rebuild-done = Der Wiederaufbau dauert { $time }.
timeline-rebuild-still = Der Neuaufbau steht neben dieser Last am Ende der Messung still.
timeline-rebuild-unfinished = Der Wiederaufbau würde { $time } dauern.
timeline-read-back = Daten zurückgelesen: alle { $size } wie geschrieben.
timeline-checked = Von md geprüft: alle Kopien stimmen überein.
timeline-mismatch = Von md geprüft: { $size } stimmen nicht überein.
phase-whole = vollständig
phase-degraded = degradiert
phase-rebuilding = im Wiederaufbau
phase-whole-again = wieder vollständig
event-failed = Gerät { $device } fällt aus
event-replaced = Gerät { $device } wird ersetzt
event-re-added = Gerät { $device } ist zurück
event-rebuild-done = wieder aufgebaut
event-read-back = Daten wie geschrieben zurückgelesen
event-checked = alle Kopien stimmen überein
event-mismatch = Kopien stimmen nicht überein
view-time-series = Messungen im Verlauf
view-time-series-says = Alle Messungen der Zelle in zeitlicher Reihenfolge. Kreuze zählen nicht: Sie gehören zum Aufwärmen, oder eine Warnung macht sie ungültig.
view-time-series-steady = Die schattierten Runden sind der eingeschwungene Zustand (SNIA), die Linie ist an sie angepasst.
view-ratios = Jede Zelle im Vergleich zu ihrer Basis
view-ratios-says = Verhältnis ({ $metric }) zur Basis, mit Intervall; ein Pfeil bedeutet, dass es über das Bild hinausreicht. Dreieck: besser; Raute: schlechter; gefüllter Kreis: kein Unterschied über der Toleranz; hohler Kreis: nicht zu entscheiden. Dass ein Intervall die 1 nicht einschließt, genügt für einen Unterschied nicht: Es kann innerhalb der Toleranz liegen, oder ein strengeres Intervall schließt die 1 ein.
view-ratios-before = Nachher gegenüber vorher
view-ratios-before-says = Verhältnis ({ $metric }) zur selben Zelle vorher, mit Intervall; ein Pfeil bedeutet, dass es über das Bild hinausreicht. Dreieck: besser; Raute: schlechter; gefüllter Kreis: kein Unterschied über der Toleranz; hohler Kreis: nicht zu entscheiden. Dass ein Intervall die 1 nicht einschließt, genügt für einen Unterschied nicht: Es kann innerhalb der Toleranz liegen, oder ein strengeres Intervall schließt die 1 ein.
view-ratios-largest = Gezeichnet sind die { $shown } größten Unterschiede von { $all }.
view-paired = Vorher und nachher, Paar für Paar
view-paired-says = { $metric }: Jede Linie ist ein Paar von Messungen aus demselben Block, von { $baseline } zu { $cell }.
view-paired-result = { $difference }: { $verdict }.
view-waterfall = Wo die Zeit eines I/Os bleibt
view-waterfall-says = Die Teile des mittleren I/Os von { $cell }; jeder beginnt, wo der vorige endete.
view-waterfall-slowest-says = Die Teile des langsamsten Hundertstels der I/Os von { $cell }; jeder beginnt, wo der vorige endete.
waterfall-mean = Das mittlere I/O
waterfall-slowest = Das langsamste Hundertstel
waterfall-why = Warum
waterfall-use = Auslastung der Komponenten
view-members = Was jedes Gerät tat
view-members-says = I/Os pro Sekunde an jedem Gerät von { $cell }, gemittelt über die gesamte Last.
members-ios = I/Os je s
view-array-map = Wo die Chunks liegen
view-array-map-says = Jedes Kästchen ist ein Chunk auf einem Mitglied. Kästchen mit kräftigem Rand sind die, aus denen ein sequenzieller Leser bedient wird.
view-warnings = Warnungen
view-warnings-none = Es ist nichts aufgefallen, was eine Zahl zweifelhaft macht.
view-warnings-says = Probleme bei den Messungen, und was zu tun ist.
view-facts = Merkmale
view-facts-says = Merkmale der Maschine und der simulierten Hardware.
view-commands = Befehle
view-states = Frische und eingeschwungene Geräte
view-cost = Was die Stapel über die Jahre kosten
view-commands-says = Zum Wiederholen, Fortsetzen und Auswerten dieser Läufe.
view-data = Daten
view-data-says = Alle Daten dieser Seite, zum Weiterverarbeiten.
view-broken = Dieser Teil der Seite kann nicht angezeigt werden; die übrigen sind nicht betroffen. Der Fehler:
view-unknown = Eine Ansicht, die diese Version nicht kennt: { $kind }
data-json = JSON herunterladen
data-csv = CSV der Zellen herunterladen
data-json-says = Alle Daten dieser Seite, mit jeder einzelnen Messung.
data-csv-says = Eine Zeile je Zelle: Schätzwerte und die Grenzen ihrer Intervalle, Einheiten in der Kopfzeile.
map-place = Lage
map-caption = { $stack }: { $level }{ $layout }, { $unit }
map-unit-chunk = Chunk { $chunk }
map-unit-piece = Stücke zu { $chunk }
map-unit-member = ein Mitglied nach dem anderen
map-chunk = Chunk { $chunk }
map-copy = Kopie von Chunk { $chunk }
map-parity = Parität
map-q = zweite Parität
map-serves = , wird hier gelesen
map-left-out = { $count ->
    [one] { $count_text } weitere Zeile folgt
   *[other] { $count_text } weitere Zeilen folgen
  }, bevor sich das Muster wiederholt.
map-members = { $shown } von { $all } Mitgliedern werden gezeigt.
map-legend-serves = hier wird gelesen
map-legend-copy = eine Kopie, die nicht gelesen wird
map-legend-parity = Parität
reads = Lesen
writes = Schreiben
role-warm-up = Aufwärmen
role-counted = gezählt
role-not-counted = nicht gezählt
steady-window = eingeschwungener Zustand
sample-number = Messung
pair-number = Paar { $pair }
aria-figure = { $title }. { $description }

## Der Rat aus Stromausfällen, auf der Seite und im Terminal.

advice-setting = „{ $name }“
advice-predicted-lossless = Im Modell { $settings_count ->
    [one] verliert { $settings } keine { $promise ->
        [durable] dauerhaft zugesagten
       *[returned] bestätigten
      } Daten: diese Einstellung verwenden
   *[other] verlieren { $settings } keine { $promise ->
        [durable] dauerhaft zugesagten
       *[returned] bestätigten
      } Daten: eine davon verwenden
  }.
advice-predicted-none = Im Modell verliert jede Einstellung { $promise ->
    [durable] dauerhaft zugesagte
   *[returned] bestätigte
  } Daten.
advice-predicted-losses = { $promise ->
    [durable] Dauerhaft zugesagte
   *[returned] Bestätigte
  } Daten verlieren { $losses }.
advice-predicted-loss = { $setting } (höchstens { $age })
advice-predicted-no-limit = { $setting } (ohne Grenze: die ganze Last)
advice-no-cuts = Es gab keinen Stromausfall, also ist dies nur vorhergesagt. Ob ein Stapel wiederkommt, sagt das Modell nicht vorher: `--world lab` schaltet ihm den Strom ab und sieht nach.
advice-lossless = { $settings_count ->
    [one] Kein Stromausfall hat mit { $settings } etwas verloren: 0 von { $cuts } Ausfällen, was noch bis zu { $high } zulässt.
   *[other] Kein Stromausfall hat mit { $settings } etwas verloren: jeweils 0 von mindestens { $cuts } Ausfällen, was noch bis zu { $high } zulässt.
  }
advice-none-lossless = Keine Einstellung hat nachweislich alle bestätigten Daten behalten.
advice-fastest = Die schnellste davon ist { $setting }: { $value } (simuliert), { $ratio }-mal so schnell wie { $other }.
advice-alternatives = Andere Geräte verlieren auch nichts und sind schneller als die langsamste davon: { $settings }.
advice-alternative = { $setting } ({ $ratio }-mal so schnell)
advice-relax = Wer für Geschwindigkeit ein wenig an Daten riskiert, nimmt { $setting }: { $ratio }-mal so schnell wie { $other } (simuliert), für höchstens { $age } an bestätigten Daten. In { $cuts } Ausfällen kamen alle Stapel wieder, was noch bis zu { $high } ohne Wiederkehr zulässt.
advice-avoid-unusable = { $setting } vermeiden: { $count_text } von { $of_text } Stapeln { $count ->
    [one] kam
   *[other] kamen
  } nicht wieder ({ $steps }).
advice-avoid-corrupt = { $setting } vermeiden: { $count_text } von { $of_text } Stapeln { $count ->
    [one] kam
   *[other] kamen
  } mit falschen Daten wieder, ohne einen Fehler zu melden.
advice-avoid-loses = { $setting } vermeiden: Es kann { $age } an bestätigten Daten verlieren.
advice-avoid-no-limit = { $setting } vermeiden: Nichts begrenzt den Verlust. Der älteste verlorene Datensatz war { $age } alt, und eine längere Last kann mehr verlieren.
advice-undecided = Zu wenige Stromausfälle für ein Urteil über { $settings }: Jede Einstellung braucht mindestens { $needed } unabhängige Ausfälle mit bekanntem Ausgang.
advice-no-throughput = Der Durchsatz ist unbekannt, daher gilt keine Einstellung als die schnellste. Eine Simulation der Studie im Modell ergänzt ihn.
advice-disagrees = Modell und Labor widersprechen sich bei { $setting }: Das Modell sagt vorher, dass { $predicted } der Ausfälle Daten verlieren, und { $count_text } von { $of_text } taten es { $interval }.
risk-unbounded = unbegrenzt
cut-lost-head = verloren
cut-lost = Ausfälle mit verlorenen Daten
cut-unusable-head = defekt
cut-unusable = Stapel, die nicht wiederkamen
cut-corrupt-head = falsch
cut-corrupt = Stapel mit falschen Daten ohne Fehlermeldung
cut-unknown-head = offen
cut-unknown = unbekannte Ausgänge
cut-recordings-head = Aufn.
cut-recordings = Aufnahmen
cut-time-p50-head = Zeit p50
cut-time-p50 = Median der verlorenen Zeit
cut-time-max-head = Zeit max
cut-time-max = längste verlorene Zeit
cut-bytes-p50-head = Bytes p50
cut-bytes-p50 = Median der verlorenen Bytes
cut-bytes-max-head = Bytes max
cut-bytes-max = meiste verlorene Bytes
cut-simulated-iops = simulierte IOPS
cut-simulated-bandwidth = simulierte Bandbreite
cut-predicted-lost-head = ~verloren
cut-predicted-lost = simulierter Anteil der Ausfälle mit verlorenen Daten
cut-predicted-time-p50-head = ~Zeit p50
cut-predicted-time-p50 = simulierter Median der verlorenen Zeit
cut-predicted-time-max-head = ~Zeit max
cut-predicted-time-max = simulierte längste verlorene Zeit
cut-predicted-bytes-p50-head = ~Bytes p50
cut-predicted-bytes-p50 = simulierter Median der verlorenen Bytes
cut-predicted-bytes-max-head = ~Bytes max
cut-predicted-bytes-max = simulierte meiste verlorene Bytes
cut-share = { $count } von { $of }
cut-loss-unknown = unbekannt
cut-setting = { $name }
cut-interval = [{ $low }–{ $high } %]
cut-step-count = { $step } { $count }
cut-step-assemble = Zusammenbau
cut-step-check = Dateisystemprüfung
cut-step-mount = Einhängen
cut-step-start = Datenbankstart
cut-step-read = Lesen

## Die Ansicht der Stromausfälle.

view-power-cuts = Verlorene Zeit bei einem Stromausfall, gegen den Durchsatz
cuts-says = Jede Einstellung mit dem Alter der ältesten bestätigten Daten, die ein Stromausfall verlor: der Median, ein breiter Balken für sein 95-%-Intervall und eine Linie bis zum Maximum. Das Band unter der Skala heißt: nichts verloren. Das Band darüber enthält Stapel, die nicht wiederkamen, mit ihrer Zahl; sie haben vielleicht alles verloren.
cuts-says-throughput = Rechts ist schneller: { $metric }, vom Modell simuliert.
cuts-says-no-throughput = Die Einstellungen stehen nebeneinander, weil kein Lauf des Modells ihren Durchsatz nennt.
cuts-says-marks = Gefüllte Zeichen sind mit Stromausfällen gemessen, hohle und gestrichelte Linien simuliert; ein Pfeil hat keine Grenze.
cuts-measured = gemessener Verlust
cuts-unusable = kam nicht wieder
cuts-simulated = simulierter Verlust
cuts-nothing = nichts
cuts-all = defekt
cuts-loss = Verlorene Zeit
cuts-throughput = { $metric } (simuliert)
cuts-throughput-unknown = Durchsatz unbekannt

# Beide Zustände von Geräten.
states-title = Frische Geräte und eingeschwungene
states-fresh = frisch, { $unit }
states-steady = danach, { $unit }
states-after = bis
states-full-speed = ohne Pause
states-a-day = bei { $volume } am Tag
states-what = Frisch: eben getrimmt, oder mit Platz in ihren schnellen Bereichen. „Bis“ ist, wie viel der Last sie füllt, „ohne Pause“, wie lange das ununterbrochen dauert.
states-unknown = was frische Geräte leisten, ist für { $which } unbekannt: simuliert wurde nur der lange Lauf. `stripewise predict` simuliert auch frische Geräte.
states-ask = Welcher Zustand gilt, hängt davon ab, was die Last am Tag schreibt: `--writes-per-day 50G` sagt es.
states-ask-key = Welcher Zustand gilt, hängt davon ab, was am Tag geschrieben wird: `writes_per_day = "50G"` in [lifetime] der Studie sagt es.
states-more = { $count ->
    [one] Eine weitere Zeile steht
   *[other] { $count_text } weitere Zeilen stehen
 } in der Ausgabe von `--json`.
states-all = alle
states-applies-fresh = bei { $volume } Geschriebenem am Tag gilt für { $which } der frische Zustand: selbst alles auf einmal füllt nicht, was die Geräte schnell macht, und im Rest des Tages leeren sie es.
states-applies-steady = bei { $volume } Geschriebenem am Tag gilt für { $which } der eingeschwungene Zustand: das sind { $mean }, Tag und Nacht, und damit mehr, als die Geräte von dem leeren, was sie schnell macht.
states-applies-bursts = bei { $volume } Geschriebenem am Tag können für { $which } beide Zustände gelten. Kommt es gleichmäßig, mit { $mean }, bleiben die Geräte frisch, denn sie leeren mehr als das. Kommt es in Schüben mit voller Geschwindigkeit, beginnt der eingeschwungene Zustand in jedem Schub nach { $time }.
states-about = etwa { $value }
states-from-to = { $least } bis { $most }
states-is-fresh = frisch
states-is-steady = eingeschwungen
states-is-bursts = beides möglich
states-is-unknown = unbekannt
states-shown-both = Das Bild darüber zeigt Durchsatz und IOPS frischer und eingeschwungener Geräte. Alle anderen Größen, Bilder und Tabellen sind die eingeschwungener.
states-shown-fresh = Das Bild darüber zeigt Durchsatz und IOPS frischer Geräte, des Zustands, der hier gilt. Alle anderen Größen, Bilder und Tabellen sind die eingeschwungener.
states-shown-figures = Die Bilder und Tabellen darunter zeigen eingeschwungene Geräte; was frische leisten, steht unter „Frische und eingeschwungene Geräte“.
states-shown = Die Tabelle und ihre Balken zeigen eingeschwungene Geräte; was frische leisten, steht darunter.
states-applies-unknown = welcher Zustand für { $which } bei { $volume } Geschriebenem am Tag gilt, ist unbekannt: das Modell sagt nicht, wann diese Geräte eingeschwungen sind.

# Was Stapel über ihr Leben kosten.
lifetime-title = { $years ->
    [one] In { $years_text } Jahr
   *[other] In { $years_text } Jahren
  }
lifetime-title-volume = { $years ->
    [one] In { $years_text } Jahr, mit { $volume } Schreiblast am Tag
   *[other] In { $years_text } Jahren, mit { $volume } Schreiblast am Tag
  }
lifetime-column-capacity = nutzbar
lifetime-column-written = geschrieben
lifetime-column-days = Tage unter Volllast
lifetime-column-years = Jahre
lifetime-column-rebuild = Wiederaufbau
lifetime-column-loss = Datenverlust
lifetime-name-capacity = nutzbarer Anteil der Kapazität
lifetime-name-written = Bytes, die die Geräte je Byte der Last schreiben
lifetime-name-days = Tage bis zur Nennschreibmenge unter Volllast
lifetime-name-years = Jahre bis zur Nennschreibmenge bei der Tagesmenge
lifetime-name-rebuild = Wiederaufbau neben der Last
lifetime-name-loss = { $years ->
    [one] Wahrscheinlichkeit eines Datenverlusts in { $years_text } Jahr
   *[other] Wahrscheinlichkeit eines Datenverlusts in { $years_text } Jahren
  }
lifetime-wear = „geschrieben“ ist, wie viele Bytes die Geräte je Byte der Last schreiben. „Jahre“ ist, wann das Gerät, das am meisten schreibt, bei der Tagesmenge seine Nennschreibmenge (TBW) erreicht, „Tage unter Volllast“, wann, wenn die Last ohne Pause läuft.
lifetime-wear-no-volume = „geschrieben“ ist, wie viele Bytes die Geräte je Byte der Last schreiben. „Tage unter Volllast“ ist, wann das Gerät, das am meisten schreibt, seine Nennschreibmenge (TBW) erreicht, wenn die Last ohne Pause läuft. { $says ->
    [options] `--writes-per-day 50G`
   *[keys] `writes_per_day` in [lifetime]
  } ergibt die Jahre einer echten Last.
lifetime-assumptions = „Datenverlust“ ist eine Wahrscheinlichkeit, und eine optimistische: Geräte fallen unabhängig voneinander und mit gleichbleibender Rate aus, ein ausgefallenes wird sofort ersetzt, und nur Ausfälle und unlesbare Sektoren kosten Daten. Eine Sicherung zählt nicht.
lifetime-stated = { $says ->
    [options] `--tbw` gibt die Nennschreibmenge an
   *[keys] Die Studie gibt { $keys } an
  }; das Geräteprofil wird dafür nicht verwendet.
lifetime-unknown-stack = Unbekannt: Kapazität, Verschleiß oder Verlustwahrscheinlichkeit, wo die Geräte kein Profil haben, ein Dateisystem die Daten verteilt oder die Zähler nicht die der Geräte sind.
lifetime-unknown-layout = Unbekannt: die Verlustwahrscheinlichkeit bei Anordnungen, deren Kopien nicht in getrennten Spiegeln liegen. Eine „near“-Anordnung, deren Kopien die Zahl der Geräte teilen, hat eine.
lifetime-wear-neighbours = Neben Nachbarn ist ein Byte der Last eines, das irgendeine der Lasten schreibt, und die Tagesmenge die aller zusammen.
lifetime-unknown-neighbours = Unbekannt: der Verschleiß, wo Nachbarn neben der Last schreiben und dieser Lauf nicht sagt, wie viel.
lifetime-unknown-rebuild = Unbekannt: der Wiederaufbau, wo keine Zelle mit derselben Last ein ausgefallenes Gerät ersetzt. Ein solcher Ausfall gehört zu `failure` unter [conditions], neben `none`.
lifetime-unknown-write-rating = Unbekannt: Jahre und Tage für Geräte, deren Profil keine Nennschreibmenge hat. `tbw_bytes` in [lifetime] gibt sie an.
lifetime-unknown-tbw = Unbekannt: die Jahre und Tage für Geräte, deren Profil keine Nennschreibmenge hat. `--tbw 150T` gibt die eines Datenblatts an.
lifetime-unknown-failure-rating = Unbekannt: die Verlustwahrscheinlichkeit für Geräte, deren Profil keine Ausfallrate hat. `afr_percent` in [lifetime] gibt sie an.
lifetime-unknown-read-error-rating = Unbekannt: die Verlustwahrscheinlichkeit für Geräte, deren Profil keine Rate unlesbarer Sektoren hat. `ure_bits` in [lifetime] gibt sie an.
