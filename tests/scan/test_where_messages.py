"""Conditions in SQL, C or plain text: the message says what to write."""

from __future__ import annotations

import pytest

import snooze

TEXT = b'{"a":1,"b":true,"j":1}\n{"a":2,"b":true,"j":"x"}'


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("b == true", "expected a constant on one side; write True, in b == true"),
        ("b != FALSE", "one side; write False, in "),
        ("a == null", "one side; null is tested by `is None`, in "),
        ("a is null", "only None can follow `is`, as in x is None, in a is null"),
        ("a == x", 'one side; a text has quotes: "x", in a == x'),
        ("a >= now()", "expected a constant on one side, in a >= now()"),
        (
            "user-id == 1",
            "such as status or col(\"a b\"); write this name as col('user-id'), in "
            "user - id",
        ),
        ("a <> 1", "in 'a <> 1'; write != for \"not equal\""),
        ("a == 1 AND b", "; write `and`, `or` and `not` in small letters"),
        ("NOT b", "; write `and`, `or` and `not` in small letters"),
        ("a == 1 && b", "; expected Python's syntax, with `and` and `or`"),
        ("a == 1 || b", "; expected Python's syntax, with `and` and `or`"),
        ("a = 1", "; equality is =="),
        ("a == 'x=1' b", "; expected Python's syntax, such as status >= 500"),
        ("a == 'AND' and", "; expected Python's syntax, such as status >= 500"),
        ("a == 2026-01-01", "invalid syntax, in 'a == 2026-01-01'; put quotes around"),
        ("a == 2026-11-24", 'one side; put quotes around a date or a time, as in "'),
        ("a == 2026-1-1", 'one side; put quotes around a date or a time, as in "'),
        ("a == 2026-1-01", "invalid syntax, in 'a == 2026-1-01'; put quotes around"),
        (
            "a == 08",
            "leading zeros in decimal integer literals are not permitted; use an 0o "
            "prefix for octal integers, in 'a == 08'; write the number without zeros "
            "in front",
        ),
        ("a == 12:05", "in 'a == 12:05'; put quotes around a date or a time"),
        ("a == 08:30", "in 'a == 08:30'; put quotes around a date or a time"),
        ("a == 8:05", "in 'a == 8:05'; put quotes around a date or a time"),
        ("a == 08:30:00", "in 'a == 08:30:00'; put quotes around a date or a time"),
        ("a == 01/02/2026", "in 'a == 01/02/2026'; put quotes around a date or a time"),
        ("a == 2026/01/02", "in 'a == 2026/01/02'; put quotes around a date or a time"),
        ("a == 01-02-2026", "in 'a == 01-02-2026'; put quotes around a date or a time"),
        ("a == 24.12.2026", "in 'a == 24.12.2026'; put quotes around a date or a time"),
        ("a == 01.02.2026", "in 'a == 01.02.2026'; put quotes around a date or a time"),
        ("a == 0_1", "in 'a == 0_1'; write the number without zeros in front"),
        ("a == -007", "in 'a == -007'; write the number without zeros in front"),
        ("a == 00 b", "invalid syntax, in 'a == 00 b'; expected Python's syntax"),
        ("a == 01.5 b", "invalid syntax, in 'a == 01.5 b'; expected Python's syntax"),
        ("a == 0x", "invalid hexadecimal literal, in 'a == 0x'; expected Python's"),
        ("a == 1e-05 b", "invalid syntax, in 'a == 1e-05 b'; expected Python's"),
        ("a == 2026-11-24T00:00:00Z", "; put quotes around a date or a time"),
        (
            "j == 1",
            "the type arrow.json does not compare with 1; it has values of several "
            "types, so test it with `is None` only, in j == 1",
        ),
        ('a.startswith("\\ud800")', "no string of a column has a lone surrogate"),
        ('j.startswith("\\ud800")', "no string of a column has a lone surrogate"),
    ],
)
def test_hints(condition, said):
    with pytest.raises(ValueError, match="^where: ") as caught:
        list(snooze.scan(TEXT, where=condition))
    assert said in str(caught.value)
