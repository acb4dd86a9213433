## Vorhersagen im Terminal: `predict`, `why`, `profiles`, `calibrate`, Array-Karten.

predict-still-changing = Nicht der Dauerzustand: Als die Simulation die Grenze ihres Aufwands erreichte, änderte sich noch { $changing ->
    [write_cache] der Inhalt der Schreibcaches der Geräte
    [fast_area] der Inhalt der schnellen Bereiche der Geräte
    [flash_blocks] die Belegung der Blöcke des Flash-Speichers
    [page_cache] die Zahl der schmutzigen Seiten
    [bitmap] die Zahl der gesetzten Bits der Bitmap
   *[throughput] der Durchsatz
  }.
predict-no-difference = { $percent } %, kein Unterschied
