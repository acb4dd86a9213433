## Stored runs in the terminal: `show`, `compare`, `list`.

judged-different = { $difference } { $word }
judged-open = { $difference }: { $word }

compare-none = No cell could be compared.
