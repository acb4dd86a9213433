## Was nur das Terminal zeigt.
