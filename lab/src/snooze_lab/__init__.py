"""The laboratory of snooze: time, memory, size, correctness and energy of serializers."""

__version__ = "0.1.0"
