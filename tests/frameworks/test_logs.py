"""structlog and logging: one line of JSON for each event, whatever is logged."""

from __future__ import annotations

import datetime
import io
import json
import logging
import logging.config
import sys

import pytest
import structlog

import snooze
from helpers.framework_cases import MOMENT, PLAIN, RICH, User
from snooze.ext.logging import JSONFormatter


class Shown:
    """A class with structlog's own hook."""

    def __structlog__(self):
        return {"shown": 1}


def logged(renderer, **event) -> bytes:
    """Return what structlog writes for an event."""
    out = io.BytesIO()
    logger = structlog.wrap_logger(
        structlog.BytesLogger(out),
        processors=[structlog.processors.add_log_level, renderer],
    )
    logger.info("sold", **event)
    return out.getvalue()


@pytest.mark.parametrize("name", PLAIN)
def test_structlog_writes_the_same_values(name: str) -> None:
    """`JSONRenderer(serializer=snooze.dumps)` with a logger of bytes."""
    if name == "huge ints" or "key" in name:
        return  # of `dumps` these are errors; the encoder below writes them
    ours = logged(structlog.processors.JSONRenderer(snooze.dumps), value=PLAIN[name])
    stock = logged(
        structlog.processors.JSONRenderer(lambda *a, **k: json.dumps(*a, **k).encode()),
        value=PLAIN[name],
    )
    if name != "tuples":  # structlog's fallback shows a named tuple by repr
        assert json.loads(ours) == json.loads(stock)
    assert ours.count(b"\n") == 1


ENCODER = snooze.Encoder(enc_hook=repr)


def render(_logger, _name, event):
    """Render an event by an Encoder: a processor of one line."""
    return ENCODER.encode(event)


@pytest.mark.parametrize("name", [*PLAIN, *RICH])
def test_structlog_with_an_encoder(name: str) -> None:
    if name == "surrogate":
        return
    value = {**PLAIN, **RICH}[name]
    line = json.loads(logged(render, value=value))
    assert line["event"] == "sold"
    assert line["level"] == "info"


def test_structlog_hooks() -> None:
    """`dumps` gets structlog's fallback as its `default`."""
    renderer = structlog.processors.JSONRenderer(snooze.dumps)
    line = json.loads(logged(renderer, value=Shown(), user=User(1, "ann"), at=MOMENT))
    assert line["value"] == {"shown": 1}
    assert line["user"]["name"] == "ann"
    assert line["at"] == MOMENT.isoformat()


@pytest.fixture
def logger():
    """Return a logger and a function that returns its lines."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JSONFormatter())
    log = logging.Logger("shop")  # noqa: LOG001 - one for each test
    log.addHandler(handler)

    def lines() -> list[dict]:
        text = stream.getvalue()
        assert text.endswith("\n")
        return [json.loads(line) for line in text.split("\n")[:-1]]

    return log, lines


def test_lines(logger, monkeypatch) -> None:
    """Time, level, logger, message with its arguments, and extra."""
    log, lines = logger
    log.warning("sold %d of %s", 2, "é\n", extra={"user": User(1, "ann"), "ids": {7}})
    [line] = lines()
    assert list(line) == ["time", "level", "logger", "message", "user", "ids"]
    moment = datetime.datetime.fromisoformat(line["time"])
    assert moment.utcoffset() == datetime.timedelta(0)
    assert abs(moment - datetime.datetime.now(datetime.UTC)).total_seconds() < 600
    assert (line["level"], line["logger"]) == ("WARNING", "shop")
    assert line["message"] == "sold 2 of é\n"
    assert (line["user"]["name"], line["ids"]) == ("ann", [7])


def test_an_extra_value_takes_the_place_of_a_field(logger) -> None:
    log, lines = logger
    log.warning("sold", extra={"level": 7, "exception": "none"})
    [line] = lines()
    assert (line["level"], line["exception"]) == (7, "none")


@pytest.mark.parametrize("name", [*PLAIN, *RICH])
def test_every_value_can_be_logged(name: str, logger, capsys) -> None:
    """Nothing is lost, and `logging` prints no traceback of its own."""
    log, lines = logger
    log.error("value", extra={"value": {**PLAIN, **RICH}[name]})
    [line] = lines()
    assert line["message"] == "value"
    assert "value" in line
    assert capsys.readouterr().err == ""


def test_hostile_values(logger, capsys) -> None:
    """A cycle, a failing repr, a lone surrogate in the message."""

    class Broken:
        def __repr__(self):
            raise RuntimeError("no")

    cycle: list = []
    cycle.append(cycle)
    log, lines = logger
    for value in (cycle, Broken(), {"a": Broken()}):
        log.error("value", extra={"value": value})
    log.error("\ud800")
    found = lines()
    assert [line["message"] for line in found] == ["value"] * 3 + ["\ud800"]
    assert found[1]["value"] == "<Broken that cannot be shown>"
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("wrong", ["\ud800", {(1, 2): 3}, {float("nan"): 1}])
@pytest.mark.parametrize("encoder", [None, snooze.Encoder(indent=2, enc_hook=repr)])
def test_a_value_without_a_json_form_changes_no_other(wrong, encoder) -> None:
    """Only that one becomes text, whether it is a value, the message or a name."""
    record = logging.makeLogRecord({"name": "n", "levelname": "INFO", "msg": "x"})
    good = {"n": 5, "ok": True, "none": None, "list": [1.5, {"a": MOMENT}]}
    vars(record).update(good, wrong=wrong)
    text = JSONFormatter(time=None, encoder=encoder).format(record)
    assert "\n" not in text
    line = json.loads(text)
    assert line.pop("wrong") == (wrong if isinstance(wrong, str) else repr(wrong))
    shown = {**good, "list": [1.5, {"a": MOMENT.isoformat()}]}
    assert line == {"level": "INFO", "logger": "n", "message": "x", **shown}
    del record.wrong
    record.msg = "\ud800"
    vars(record)["\udfff"] = 7
    line = json.loads(JSONFormatter(time=None).format(record))
    assert line == {
        "level": "INFO",
        "logger": "n",
        "message": "\ud800",
        **shown,
        "\\udfff": 7,
    }


def test_exceptions_and_stacks(logger) -> None:
    log, lines = logger
    try:
        _ = {}["missing"]
    except KeyError:
        log.exception("failed", stack_info=True)
    [line] = lines()
    assert line["exception"].startswith("Traceback (most recent call last):")
    assert line["exception"].endswith("KeyError: 'missing'")
    assert line["stack"].startswith("Stack (most recent call last):")


def test_an_extra_value_named_as_the_exception_or_the_stack(logger) -> None:
    """Both are in the line."""
    log, lines = logger
    extra = {"exception": "mine", "stack": [1], "stack_": 2}
    try:
        _ = {}["missing"]
    except KeyError:
        log.exception("failed", stack_info=True, extra=extra)
    [line] = lines()
    assert {name: line[name] for name in extra} == extra
    assert line["exception_"].endswith("KeyError: 'missing'")
    assert line["stack__"].startswith("Stack (most recent call last):")
    assert list(line)[4:] == ["exception", "stack", "stack_", "exception_", "stack__"]


def test_a_field_with_the_name_of_the_exception() -> None:
    """Neither is lost."""
    record = logging.makeLogRecord({"levelname": "INFO", "msg": "x"})
    record.exc_text, record.stack_info = "failed", "here"
    formatter = JSONFormatter({"lineno": "exception", "levelname": "stack"}, time=None)
    line = json.loads(formatter.format(record))
    assert line == {
        "exception": 0,
        "stack": "INFO",
        "exception_": "failed",
        "stack_": "here",
    }


@pytest.mark.parametrize("names", [(1, "1"), ("1", 1)])
def test_names_that_become_the_same_text(names) -> None:
    record = logging.makeLogRecord({"levelname": "INFO", "msg": "x"})
    vars(record).update(dict.fromkeys(names, 0), **{"1": "text"})
    vars(record)[1] = "number"
    line = json.loads(JSONFormatter({}, time=None).format(record))
    assert line == {"1": "text", "1_": "number"}


def test_fields_and_configuration() -> None:
    """Chosen fields, another encoder, and `logging.config`."""
    stream = io.StringIO()
    config = {
        "version": 1,
        "formatters": {
            "json": {
                "()": "snooze.ext.logging.JSONFormatter",
                "fields": {"message": "msg", "lineno": "line"},
                "time": None,
                "encoder": snooze.Encoder(sort_keys=True),
            }
        },
        "handlers": {
            "stream": {
                "class": "logging.StreamHandler",
                "stream": stream,
                "formatter": "json",
            }
        },
        "loggers": {"shop.test": {"handlers": ["stream"], "propagate": False}},
    }
    logging.config.dictConfig(config)
    logging.getLogger("shop.test").error("a")
    number = sys._getframe().f_lineno - 1
    assert stream.getvalue() == f'{{"line":{number},"msg":"a"}}\n'


@pytest.mark.parametrize("more", [{}, {"validate": False}, {"style": "{"}])
def test_the_class_in_a_configuration(more: dict) -> None:
    """`dictConfig` and `fileConfig` call it as `logging.Formatter`."""
    formatter = {"class": "snooze.ext.logging.JSONFormatter", **more}
    logging.config.dictConfig(
        {
            "version": 1,
            "formatters": {"json": formatter},
            "handlers": {"null": {"class": "logging.NullHandler", "formatter": "json"}},
            "loggers": {"shop.null": {"handlers": ["null"], "propagate": False}},
        }
    )
    [handler] = logging.getLogger("shop.null").handlers
    assert isinstance(handler.formatter, JSONFormatter)


FILE = """\
[loggers]
keys=root,shop
[handlers]
keys=null
[formatters]
keys=json
[logger_root]
handlers=
[logger_shop]
qualname=shop.file
handlers=null
propagate=0
[handler_null]
class=NullHandler
formatter=json
args=()
[formatter_json]
class=snooze.ext.logging.JSONFormatter
"""


def test_the_class_in_a_file() -> None:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        logging.config.fileConfig(io.StringIO(FILE), disable_existing_loggers=False)
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
    [handler] = logging.getLogger("shop.file").handlers
    assert isinstance(handler.formatter, JSONFormatter)


@pytest.mark.parametrize("fields", ["%(message)s", 5, ["message"]])
def test_a_format_is_refused(fields: object) -> None:
    with pytest.raises(TypeError, match="^fields: expected a mapping from attributes"):
        JSONFormatter(fields)  # type: ignore[arg-type]
    with pytest.raises(
        TypeError, match="^fields: expected names that are str, found 5"
    ):
        JSONFormatter(fields={"message": 5})  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"time": 5}, "time: expected a str or None, found 5"),
        ({"time": b"time"}, "time: expected a str or None, found b'time'"),
        (
            {"fields": {"asctime": "at"}, "datefmt": 5},
            "datefmt: expected a str or None, found 5",
        ),
        ({"datefmt": 5}, "datefmt: expected a str or None, found 5"),
        ({"encoder": json}, "encoder: expected an Encoder or None, found <module"),
        ({"encoder": snooze.Encoder}, "encoder: expected an Encoder or None, found <c"),
    ],
)
def test_arguments_of_other_types_are_refused(arguments: dict, expected: str) -> None:
    """When the formatter is made: formatting raises nothing."""
    with pytest.raises(TypeError, match=f"^{expected}"):
        JSONFormatter(**arguments)


def record(**attributes: object) -> logging.LogRecord:
    """Return a record, with attributes as `extra` sets them."""
    made = logging.LogRecord("shop", 30, "f.py", 1, "sold", None, None)
    vars(made).update(attributes)
    return made


def test_asctime() -> None:
    """As `logging.Formatter` writes it."""
    fields = {"asctime": "at"}
    one = record(created=0.0, msecs=5.0)
    stock = logging.Formatter().formatTime
    assert JSONFormatter(fields, time=None).format(one) == f'{{"at":"{stock(one)}"}}'
    year = JSONFormatter(fields, "%Y", time=None).format(one)
    assert year == f'{{"at":"{stock(one, "%Y")}"}}'
    nowhere = record(created=float("nan"))
    assert JSONFormatter(fields, time=None).format(nowhere) == '{"at":null}'
    with pytest.raises(ValueError, match="^datefmt is for asctime"):
        JSONFormatter(datefmt="%Y")


class Odd:
    """A class that has no text."""

    def __repr__(self) -> str:
        raise RuntimeError("no")

    __str__ = __repr__


@pytest.mark.parametrize(
    ("attributes", "member", "value"),
    [
        ({(1, 2): 3}, "(1, 2)", 3),
        ({Odd: 3}, repr(Odd), 3),
        ({Odd(): 3}, "<Odd that cannot be shown>", 3),
        ({(1, 2): "\ud800"}, "(1, 2)", "\ud800"),
        ({"created": float("nan")}, "time", None),
        ({"created": 1e18}, "time", 1e18),
        ({"created": None}, "time", None),
        (
            {"msg": "sold %d", "args": ("x",)},
            "message",
            "sold %d % ('x',): TypeError: "
            "%d format: a real number is required, not str",
        ),
        (
            {"msg": Odd()},
            "message",
            "<Odd that cannot be shown>: RuntimeError: no",
        ),
        ({"exc_info": (1,)}, "exception", "(1,)"),
        ({"exc_info": True}, "exception", "True"),
    ],
)
def test_every_record_is_written(attributes: dict, member: str, value: object) -> None:
    one = record()
    vars(one).update(attributes)
    text = JSONFormatter().format(one)
    assert json.loads(text)[member] == value


@pytest.mark.parametrize(
    "value",
    [
        snooze.Raw(b"{\n}"),
        snooze.Raw(b"{\r}"),
        snooze.Raw(b"\n{}\r\n"),
        snooze.Fragment(b"{\n}"),
        [snooze.Fragment("{\r\n}")],
    ],
)
def test_texts_of_several_lines(value: object) -> None:
    """A record is one line, and the value is the same."""
    text = JSONFormatter().format(record(body=value))
    assert "\n" not in text
    assert "\r" not in text
    assert json.loads(text)["body"] in ({}, [{}])


def test_texts_that_are_not_json() -> None:
    """They are written, unchecked, in one line."""
    text = JSONFormatter(time=None).format(record(body=snooze.Raw(b"not json\n")))
    assert text.endswith(',"body":not json }')


def test_an_encoder_with_indent() -> None:
    encoder = snooze.Encoder(indent=1, newline=True)
    text = JSONFormatter({"name": "logger"}, time=None, encoder=encoder).format(
        record()
    )
    assert text == '{  "logger": "shop" }'


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="an attribute of each record")
def test_a_task_name_of_the_user() -> None:
    one = record(taskName="x")
    assert json.loads(JSONFormatter().format(one))["taskName"] == "x"
    assert JSONFormatter({"taskName": "task"}, time=None).format(one) == '{"task":"x"}'


def test_unknown_fields_are_refused() -> None:
    with pytest.raises(ValueError, match="expected attributes of logging.LogRecord, f"):
        JSONFormatter({"mesage": "message"})


def test_fields_with_the_same_name_are_refused() -> None:
    """A line would have one of them only."""
    with pytest.raises(ValueError, match="^fields: expected different names, found 'x"):
        JSONFormatter({"name": "x", "message": "x"})
