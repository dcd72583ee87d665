"""The laboratory of snooze: time, memory, size, correctness, energy."""

__version__ = "0.1.0"
