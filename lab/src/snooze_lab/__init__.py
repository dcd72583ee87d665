"""The snooze laboratory: measures time, memory, size, correctness and energy."""

__version__ = "0.1.0"


class UserError(Exception):
    """A mistake that the user can mend; the message is one sentence that says how."""
