"""``logging``: a formatter that writes each record as one line of JSON.

    from snooze.ext.logging import JSONFormatter

Invariants: a record is one line; formatting raises nothing for any record, because
``logging`` would print a traceback and lose the record. Standard library only.
"""

from __future__ import annotations

import datetime as dt
import json as _standard
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from snooze import Encoder

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

__all__ = ("JSONFormatter",)

#: What every record has; all other attributes came by `extra`.
_USUAL = {*vars(logging.makeLogRecord({})), "message", "asctime"}
#: The members of a line, by the attribute of the record they come from.
FIELDS = {"levelname": "level", "name": "logger", "message": "message"}


class JSONFormatter(logging.Formatter):
    """A ``logging.Formatter`` whose lines are JSON objects.

    A line has the time (RFC 3339, UTC), the chosen fields, what the call passed as
    ``extra``, and, if there are, the exception and the stack as text. Values that JSON
    has no form for are written by ``repr``; NaN is null. An extra value with the name
    of a field takes its place. Beside a field or an extra value ``exception`` or
    ``stack``, the one of the record is ``exception_`` or ``stack_``. Names that are not
    ``str`` become text, with an underscore at the end if another has that name. The
    text of a ``Raw`` or ``Fragment`` is not checked; its line breaks become spaces.

    No record is an error. Where the arguments do not fit the message, the line has both
    and the reason.

    Args:
        fields: The attributes of a ``LogRecord`` and their names in the line. Default:
            ``levelname`` as level, ``name`` as logger, ``message`` as message.
        datefmt: The form of the field ``asctime``, as in ``logging.Formatter``.
        style: Not used; ``logging.config`` passes it.
        validate: Not used; ``logging.config`` passes it.
        time: The name of the time; None for none. Default "time".
        encoder: What writes a line. Default: an ``Encoder`` whose hook is ``repr``.

    Raises:
        TypeError: The fields are no mapping, such as the format of another formatter;
            or another argument has the wrong type.
        ValueError: A field is no attribute of a ``LogRecord``, two have the same name,
            or there is a ``datefmt`` without the field ``asctime``.

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

    def __init__(  # noqa: PLR0913 - the first four are those of logging.Formatter
        self,
        fields: Mapping[str, str] | None = None,
        datefmt: str | None = None,
        style: Literal["%", "{", "$"] = "%",
        validate: bool = True,  # noqa: FBT001, FBT002 - logging.config passes it so
        *,
        time: str | None = "time",
        encoder: Encoder[Any] | None = None,
    ) -> None:
        """Check the arguments, because formatting raises nothing."""
        for argument, value in (("datefmt", datefmt), ("time", time)):
            if value is not None and not isinstance(value, str):
                raise TypeError(f"{argument}: expected a str or None, found {value!r}")
        if encoder is not None and not isinstance(encoder, Encoder):
            raise TypeError(f"encoder: expected an Encoder or None, found {encoder!r}")
        super().__init__(None, datefmt, style, validate)
        self._fields = _checked(FIELDS if fields is None else fields)
        if datefmt is not None and "asctime" not in self._fields:
            raise ValueError("datefmt is for asctime, which is not among the fields")
        self._time = time
        self._encoder = Encoder(enc_hook=repr) if encoder is None else encoder

    def format(self, record: logging.LogRecord) -> str:
        """Return a record as one line, without its newline."""
        record.message = _message(record)
        line: dict[str, Any] = {}
        if self._time is not None:
            line[self._time] = _moment(record)
        for attribute, name in self._fields.items():
            line[name] = getattr(record, attribute, None)
            if attribute == "asctime":
                line[name] = self._asctime(record)
        extra = self._extra(record)
        line.update(extra)
        if record.exc_info and not record.exc_text:
            record.exc_text = self._exception(record)
        if record.exc_text:
            line[_free(line, "exception")] = record.exc_text
        if record.stack_info:
            line[_free(line, "stack")] = self.formatStack(record.stack_info)
        return self._text(line)

    def _extra(self, record: logging.LogRecord) -> dict[str, Any]:
        """Return what the call passed, by names that are text."""
        extra: dict[str, Any] = {}
        others: list[Any] = []
        for key, value in vars(record).items():
            if not isinstance(key, str):
                others.append(key)
            elif key not in _USUAL and key not in self._fields:
                extra[key] = value
        for key in others:
            extra[_free(extra, _shown(key))] = vars(record)[key]
        return extra

    def _text(self, line: dict[str, Any]) -> str:
        try:
            text = self._encoder.encode_str(line)
        except Exception:  # noqa: BLE001 - a lone surrogate, a cycle, a failing repr
            members = [self._member(name, value) for name, value in line.items()]
            text = "{" + ",".join(filter(None, members)) + "}"
        if "\n" in text or "\r" in text:  # of a Raw, or of an Encoder with indent
            text = text.rstrip("\r\n").replace("\r", " ").replace("\n", " ")
        return text

    def _member(self, name: str, value: Any) -> str:
        """Return one member of a line that cannot be written at once."""
        name = name.encode(errors="backslashreplace").decode()  # a lone surrogate
        try:
            text = self._encoder.encode_str({name: value})
        except Exception:  # noqa: BLE001 - this is the one, or one of them
            text = _standard.dumps({name: _shown(value)}, separators=(",", ":"))
        # Without the braces, and the white space that an Encoder may add.
        return text.strip()[1:-1].strip()

    def _asctime(self, record: logging.LogRecord) -> Any:
        try:
            return self.formatTime(record, self.datefmt)
        except Exception:  # noqa: BLE001 - a time that is not on the calendar
            return record.created

    def _exception(self, record: logging.LogRecord) -> str:
        try:
            return self.formatException(record.exc_info)  # type: ignore[arg-type]
        except Exception:  # noqa: BLE001 - what is not the three values of an exception
            return _shown(record.exc_info)


def _checked(fields: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a line.

    Raises:
        TypeError: They are no mapping to names.
        ValueError: One is no attribute of a ``LogRecord``, or two have the same name.
    """
    if not isinstance(fields, Mapping):
        raise TypeError(
            "fields: expected a mapping from attributes of logging.LogRecord to "
            f"names, found {fields!r}"
        )
    names = list(fields.values())
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"fields: expected names that are str, found {name!r}")
        if names.count(name) > 1:
            raise ValueError(f"fields: expected different names, found {name!r} twice")
    # taskName is new in CPython 3.12.
    unknown = fields.keys() - _USUAL - {"taskName"}
    if unknown:
        raise ValueError(
            "fields: expected attributes of logging.LogRecord, found "
            + ", ".join(sorted(map(str, unknown)))
        )
    return dict(fields)


def _free(line: dict[str, Any], name: str) -> str:
    """Return a name that nothing else has, with underscores if it needs them."""
    while name in line:
        name += "_"
    return name


def _message(record: logging.LogRecord) -> str:
    """Return the message; if its arguments do not fit, with them and the reason."""
    try:
        return record.getMessage()
    except Exception as error:  # noqa: BLE001 - of `%`, or of a value's own code
        text = _shown(record.msg)
        if record.args:
            text += f" % {_shown(record.args)}"
        return f"{text}: {type(error).__name__}: {_shown(error, str)}"


def _moment(record: logging.LogRecord) -> Any:
    """Return the time as text; as it is, if it is not on the calendar."""
    try:
        moment = dt.datetime.fromtimestamp(record.created, dt.UTC)
    except (OSError, OverflowError, TypeError, ValueError):
        return record.created
    return moment.isoformat(timespec="microseconds")


def _shown(value: object, show: Callable[[object], str] = repr) -> str:
    """Return a value as text, whatever it is."""
    if isinstance(value, str):
        return value
    try:
        return show(value)
    except Exception:  # noqa: BLE001 - anything may be logged
        return f"<{type(value).__name__} that cannot be shown>"
