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


def test_unknown_fields_are_refused() -> None:
    with pytest.raises(ValueError, match="expected attributes of logging.LogRecord, f"):
        JSONFormatter({"mesage": "message"})
