"""Typed decoding on several threads and in several interpreters."""

from __future__ import annotations

import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any

import pytest

import snooze
from helpers import typed_subjects
from helpers.interpreters import Interpreters
from helpers.isolated import TESTS, in_child
from helpers.threads import result_or_error
from snooze import Decoder


def shared_decoders() -> None:
    """In a child: all plans on all threads."""
    calls = [typed_subjects.case(name) for name in typed_subjects.PLANS]
    right = [repr(result_or_error(call)) for call in calls]
    barrier = threading.Barrier(6)

    def body(turn: int) -> None:
        barrier.wait()
        for _ in range(60):
            for index in range(len(calls)):
                place = (index + turn * 7) % len(calls)
                assert repr(result_or_error(calls[place])) == right[place]

    sys.setswitchinterval(1e-5)
    with ThreadPoolExecutor(6) as pool:
        for run in [pool.submit(body, turn) for turn in range(6)]:
            run.result()


def test_threads_share_decoders() -> None:
    """Each call has its own state."""
    in_child(shared_decoders)


def first_use() -> None:
    """In a child: plans that wait for a name, made by whichever thread comes first."""
    for turn in range(60):
        names: dict[str, Any] = {"__name__": f"late_{turn}"}
        module = type(sys)(f"late_{turn}")
        sys.modules[module.__name__] = module
        code = (
            "from __future__ import annotations\nimport dataclasses\n"
            "@dataclasses.dataclass\nclass Early:\n    late: Late\n    self: Early | None = None\n"
        )
        exec(code, module.__dict__)
        decoder = Decoder(list[module.Early])
        with pytest.raises(TypeError, match="'Late'"):
            decoder.decode(b"[]")
        exec("@dataclasses.dataclass\nclass Late:\n    a: int\n", module.__dict__)
        barrier = threading.Barrier(8)

        def body(
            decoder: Any = decoder, module: Any = module, barrier: Any = barrier
        ) -> None:
            barrier.wait()
            value = decoder.decode(b'[{"late":{"a":1},"self":{"late":{"a":2}}}]')
            early, late = module.Early, module.Late
            assert value == [early(late(1), early(late(2)))]

        with ThreadPoolExecutor(8) as pool:
            for run in [pool.submit(body) for _ in range(8)]:
                run.result()
        assert names


def test_first_use_on_many_threads() -> None:
    """Forward references are resolved once, or several times with the same result."""
    in_child(first_use)


def one_cache() -> None:
    """In a child: `decode` makes and drops plans on all threads."""

    def body() -> None:
        for index in range(400):
            tp = Annotated[int, snooze.Ge(index % 300)]
            assert snooze.decode(b"300", tp) == 300
            assert snooze.decode(b"[1]", list[Any]) == [1]

    with ThreadPoolExecutor(6) as pool:
        for run in [pool.submit(body) for _ in range(6)]:
            run.result()


def test_the_plan_cache_on_many_threads() -> None:
    """The cache is bounded and can be filled from any thread."""
    in_child(one_cache)


USE = textwrap.dedent("""
    import sys
    sys.path.insert(0, {tests!r})
    import snooze
    from helpers import typed_subjects

    for _ in range({rounds}):
        for name in typed_subjects.PLANS:
            for call in (typed_subjects.case(name), typed_subjects.build(name)):
                try:
                    repr(call())
                except (TypeError, ValueError) as error:
                    assert name.startswith(("no ", "all", "refused", "forbidden")), (name, error)
""")


def interpreters(rounds: int) -> None:
    """In a child: several interpreters, one after the other and in parallel."""
    those = Interpreters()
    code = USE.format(tests=str(TESTS), rounds=rounds)

    def one() -> None:
        those.run_once(code)

    one()
    snooze.decode(b"1", int)
    one()
    threads = [threading.Thread(target=one) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.skipif(
    sys.version_info < (3, 12), reason="subinterpreters have their own GIL from 3.12 on"
)
def test_subinterpreters() -> None:
    """Each interpreter has its own types, plans and caches."""
    in_child(interpreters, 3)
