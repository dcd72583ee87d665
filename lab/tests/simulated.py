"""A launcher without processes: answers as a worker would, with chosen times.

So a whole run (schedule, store, results) can be tested in a second, against known
values. Used by test_results.py and test_honesty_runs.py.
"""

from __future__ import annotations

import math
import random
import time
from typing import Any


class Simulated:
    """Times of `truth` (ns, by contender) times noise, drawn with a seed.

    `noise` is the standard deviation of a process's logarithm, `shared` that of what
    all processes of one stretch of time have in common, `drift` the logarithm by which
    the machine slows down over a thousand processes.
    """

    def __init__(
        self,
        truth: dict[str, float],
        seed: int = 1,
        noise: float = 0.03,
        shared: float = 0.05,
        drift: float = 0.0,
    ) -> None:
        self.truth = truth
        self.dice = random.Random(seed)
        self.noise = noise
        self.shared = shared
        self.drift = drift
        self.calls = 0
        self.level = 0.0
        self.slower = 0.0
        self.wrong: set[str] = set()
        self.timed: list[str] = []
        self.python = "simulated"
        self.pin = None
        self.path = ()

    def __call__(
        self, request: dict[str, Any], hash_seed: int = 0, listen: Any = None
    ) -> dict[str, Any]:
        del listen
        self.calls += 1
        task = request["task"]
        answer = {"started": time.time(), "hash_seed": hash_seed}
        if task == "environment":
            return answer | {"status": "ok", "environment": {}}
        if task == "verify":
            return answer | {
                "verified": {
                    name: {"status": "wrong", "reason": "another value"}
                    if name in self.wrong
                    else {"status": "ok", "digest": "", "bytes": 100, "version": "1"}
                    for name in request["contenders"]
                }
            }
        # A slow random walk: neighbours in time share it.
        self.level = 0.9 * self.level + self.dice.gauss(0, self.shared * 0.43)
        self.slower += self.drift / 1000
        if task == "interleaved":
            self.timed += request["contenders"]
            return answer | {
                "status": "ok",
                "rounds": 40,
                "times": {
                    name: [self._time(name, 0.03) for _ in range(40)]
                    for name in request["contenders"]
                },
                "wrong": {},
                "unable": {},
                "absent": {},
            }
        name = request["contender"]
        self.timed.append(name)
        center = self._time(name, self.noise)
        return answer | {
            "status": "ok",
            "loops": 1,
            "warmups": 1,
            "values": {"time": [center * self._jitter(0.01) for _ in range(5)]},
            "bytes": 100,
            "digest": "",
            "rusage": {"wall": 0.1},
        }

    def _time(self, name: str, noise: float) -> float:
        return (
            self.truth[name] * math.exp(self.level + self.slower) * self._jitter(noise)
        )

    def _jitter(self, noise: float) -> float:
        return math.exp(self.dice.gauss(0, noise))
