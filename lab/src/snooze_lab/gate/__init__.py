"""Gates: what a change may not make worse, decided by counts and not by times."""
