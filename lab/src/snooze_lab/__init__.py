"""The snooze laboratory: measures time, memory, size, correctness and energy."""

__version__ = "0.1.0"
