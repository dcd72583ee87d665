"""Gates: limits on regressions, decided by counts and ratios, not by times."""
