## Gespeicherte Läufe im Terminal: `show`, `compare`, `list`.

judged-different = { $difference } { $word }
judged-open = { $difference }: { $word }

compare-none = Keine Zelle ließ sich vergleichen.
