"""``logging``: a formatter that writes each record as one line of JSON.

    from snooze.ext.logging import JSONFormatter

Invariants: a record is one line; formatting raises nothing for any value, because
``logging`` would print a traceback and lose the record. Standard library only.
"""

from __future__ import annotations

import datetime as dt
import json as _standard
import logging
from typing import TYPE_CHECKING, Any

from snooze import Encoder

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ("JSONFormatter",)

#: What every record has; all other attributes came by `extra`.
_USUAL = {
    *vars(logging.makeLogRecord({})),
    *("message", "asctime", "taskName"),
}
#: The members of a line, by the attribute of the record they come from.
FIELDS = {"levelname": "level", "name": "logger", "message": "message"}


class JSONFormatter(logging.Formatter):
    """A ``logging.Formatter`` whose lines are JSON objects.

    A line has the time (RFC 3339, UTC), the chosen fields, what the call passed as
    ``extra``, and, if there are, the exception and the stack as text. Values that JSON
    has no form for are written by ``repr``; NaN is null. An extra value with the name
    of a field takes its place.

    Args:
        fields: The attributes of a ``LogRecord`` and their names in the line. Default:
            ``levelname`` as level, ``name`` as logger, ``message`` as message.
        time: The name of the time; None for none. Default "time".
        encoder: What writes a line. Default: an ``Encoder`` whose hook is ``repr``.

    Examples:
        >>> import logging
        >>> from snooze.ext.logging import JSONFormatter
        >>> formatter = JSONFormatter(time=None)
        >>> record = logging.makeLogRecord(
        ...     {"name": "shop", "levelname": "INFO", "msg": "sold %d", "args": (2,)}
        ... )
        >>> record.ids = {7}  # what extra={"ids": {7}} does
        >>> formatter.format(record)
        '{"level":"INFO","logger":"shop","message":"sold 2","ids":[7]}'
    """

    def __init__(
        self,
        fields: Mapping[str, str] | None = None,
        *,
        time: str | None = "time",
        encoder: Encoder[Any] | None = None,
    ) -> None:
        """Check the fields."""
        super().__init__()
        self._fields = dict(FIELDS if fields is None else fields)
        unknown = self._fields.keys() - _USUAL
        if unknown:
            raise ValueError(
                "fields: expected attributes of logging.LogRecord, found "
                + ", ".join(sorted(unknown))
            )
        self._time = time
        self._encoder = Encoder(enc_hook=repr) if encoder is None else encoder

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as one line, without its newline."""
        record.message = record.getMessage()
        line: dict[str, Any] = {}
        if self._time is not None:
            moment = dt.datetime.fromtimestamp(record.created, dt.UTC)
            line[self._time] = moment.isoformat(timespec="microseconds")
        for attribute, name in self._fields.items():
            line[name] = getattr(record, attribute, None)
        line |= {k: v for k, v in vars(record).items() if k not in _USUAL}
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        if record.exc_text:
            line["exception"] = record.exc_text
        if record.stack_info:
            line["stack"] = self.formatStack(record.stack_info)
        try:
            return self._encoder.encode_str(line)
        except Exception:  # noqa: BLE001 - a lone surrogate, a cycle, a failing repr
            return _standard.dumps({name: _shown(line[name]) for name in line})


def _shown(value: object) -> str:
    """Return a value as text, whatever it is."""
    if isinstance(value, str):
        return value
    try:
        return repr(value)
    except Exception:  # noqa: BLE001 - anything may be logged
        return f"<{type(value).__name__} that cannot be shown>"
