"""The documents of others: obtained by package name, checked, kept for offline use."""
