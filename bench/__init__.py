"""The benchmark: JSON libraries raced against each other in one process."""
