"""Match a pattern in time linear in the text, whatever the pattern.

Separate from iregexp.py, which parses patterns and leaves simple ones to `re`. That one
tries alternatives one after the other, which takes exponential time for some patterns.
Here all are followed at once (Thompson's construction), and sets of states that were
seen are remembered (a DFA made as needed). Invariants: a pattern has no more than
MOST_STATES states; what is remembered is bounded. Used by iregexp.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_STATES = 2_000
#: States in all sets, and characters that lead from one set to another.
_MOST_REMEMBERED = 100_000


class PatternSizeError(ValueError):
    """A pattern would need too many states."""


class Atom(NamedTuple):
    """One character: whether it fits, and the same for `re`."""

    fits: Callable[[str], bool]
    source: str


class Anchor(NamedTuple):
    """The start of the text, or its end."""

    is_start: bool


class Sequence(NamedTuple):
    """One after the other; possibly none."""

    trees: tuple[Tree, ...]


class Alternatives(NamedTuple):
    """One of several."""

    trees: tuple[Tree, ...]


class Repeated(NamedTuple):
    """At least and at most so many times; None is without end."""

    tree: Tree
    least: int
    most: int | None


Tree = Atom | Anchor | Sequence | Alternatives | Repeated


class _State:
    """Waits for a character, or for an end of the text, or splits; or is the last."""

    __slots__ = ("anchor", "fits", "number", "targets")

    def __init__(self, number: int, fits: Callable[[str], bool] | None) -> None:
        self.number = number
        self.fits = fits
        self.anchor: Anchor | None = None
        self.targets: list[_State] = []


class _Set:
    """States that are reached together, and what each character leads to.

    It accepts the text up to here, or only if the text ends here.
    """

    __slots__ = ("accepts", "accepts_end", "moves", "states")

    def __init__(
        self, states: list[_State], *, accepts: bool, accepts_end: bool
    ) -> None:
        self.states = states
        self.accepts = accepts
        self.accepts_end = accepts_end
        self.moves: dict[str, _Set] = {}


class Automaton:
    """A compiled tree."""

    def __init__(self, tree: Tree, *, anywhere: bool) -> None:
        """Compile; `anywhere` accepts texts of which a part matches."""
        self._count = 0
        self._anywhere = anywhere
        self._sets: dict[tuple[int, ...], _Set] = {}
        self._remembered = 0
        start = self._built(tree, self._state(None))
        if anywhere:
            loop = self._state(None)
            loop.targets = [start, self._state(lambda _: True)]
            loop.targets[1].targets = [loop]
            start = loop
        self._start = self._closed([start], at_start=True)

    def accepts(self, text: str) -> bool:
        """Tell whether the text, or a part of it, matches."""
        here = self._start
        if self._anywhere and here.accepts:
            return True
        for character in text:
            following = here.moves.get(character) or self._move(here, character)
            if following.accepts and self._anywhere:
                return True
            if not following.states and not following.accepts_end:
                return False
            here = following
        return here.accepts_end

    def _state(self, fits: Callable[[str], bool] | None) -> _State:
        self._count += 1
        if self._count > MOST_STATES:
            raise PatternSizeError(f"more than {MOST_STATES} states")
        return _State(self._count, fits)

    def _built(self, tree: Tree, following: _State) -> _State:
        """Return the first state of a tree that leads to a state."""
        if isinstance(tree, Atom):
            state = self._state(tree.fits)
            state.targets = [following]
            return state
        if isinstance(tree, Anchor):
            state = self._state(None)
            state.anchor, state.targets = tree, [following]
            return state
        if isinstance(tree, Sequence):
            for one in reversed(tree.trees):
                following = self._built(one, following)
            return following
        if isinstance(tree, Alternatives):
            state = self._state(None)
            state.targets = [self._built(one, following) for one in tree.trees]
            return state
        return self._repeated(tree, following)

    def _repeated(self, tree: Repeated, following: _State) -> _State:
        end = following
        if tree.most is None:
            following = self._state(None)
            following.targets = [self._built(tree.tree, following), end]
        else:
            for _ in range(tree.most - tree.least):
                split = self._state(None)
                split.targets = [self._built(tree.tree, following), end]
                following = split
        for _ in range(tree.least):
            step = self._state(None)  # counts, also if the tree is empty
            step.targets = [self._built(tree.tree, following)]
            following = step
        return following

    def _closed(self, states: list[_State], *, at_start: bool = False) -> _Set:
        """Return the set of all states that are reached without a character."""
        inside = _reached(states, at_start=at_start, at_end=False)
        at_end = _reached(states, at_start=at_start, at_end=True)
        kept = [state for state in inside if state.fits is not None]
        accepts, accepts_end = (
            any(state.fits is None and not state.targets for state in one)
            for one in (inside, at_end)
        )
        key = (accepts, accepts_end, *(state.number for state in kept))
        known = self._sets.get(key)
        if known is None:
            self._remembered += len(kept)
            known = _Set(kept, accepts=accepts, accepts_end=accepts_end)
            self._sets[key] = known
        return known

    def _move(self, here: _Set, character: str) -> _Set:
        """Return what a character leads to, and remember it."""
        reached = [
            target
            for state in here.states
            if state.fits is not None and state.fits(character)
            for target in state.targets
        ]
        self._remembered += 1
        if self._remembered > _MOST_REMEMBERED:
            self._remembered = 0
            self._sets.clear()
            here.moves.clear()
            self._start.moves.clear()
        found = self._closed(reached)
        here.moves[character] = found
        return found


def _reached(states: list[_State], *, at_start: bool, at_end: bool) -> list[_State]:
    """Return the states that are reached without a character, in a fixed order."""
    seen: dict[int, _State] = {}
    waiting = [*states]
    while waiting:
        state = waiting.pop()
        if state.number in seen:
            continue
        seen[state.number] = state
        if state.fits is not None:
            continue
        if state.anchor is None or (at_start if state.anchor.is_start else at_end):
            waiting += state.targets
    return [state for _, state in sorted(seen.items())]
