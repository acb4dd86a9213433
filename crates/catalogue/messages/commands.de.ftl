## Bemerkungen und Fortschritt der Befehle.
