"""The class of the package's module, which loads names when they are first used.

Separate because only CPython 3.14 and later use it: there, attributes of a module are
specialised if its class looks them up as modules do, so `snooze.loads` is as fast as in
a plain module. Before 3.14 only a plain module without `__getattr__` has that, and a
lookup in full takes 12 ns more, for a call that may take 40; there all names are loaded
with the package. Invariants: a late name is an attribute of the class that any entry of
the module's dict replaces, so assignment, deletion, mocking and reloading work as in a
plain module; it is stored in the dict when it is first used. Called by the package.
"""

import sys

from snooze import _snooze

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
else:
    ModuleType = type(sys)


class _Late:
    """A name that is loaded when it is first used, with all others or alone."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, module: object, _owner: type) -> object:
        if module is None:
            return self
        if self.name == "JSONDecodeError":
            from snooze._decode_error import JSONDecodeError  # noqa: PLC0415 - late

            return vars(module).setdefault(self.name, JSONDecodeError)
        if self.name == "json":
            # With `as` it would be looked up here once more.
            import snooze.json  # noqa: F401, PLC0415 - late

            return vars(module).setdefault(self.name, sys.modules["snooze.json"])
        from snooze import _names  # noqa: PLC0415 - late

        members = vars(module)
        for name in _names.__all__:
            # Names that were deleted stay so.
            if isinstance(vars(_Package).get(name), _Late):
                members.setdefault(name, getattr(_names, name))
        return members[self.name]


class _Package(ModuleType):
    """A module with late names."""

    __slots__ = ()

    def __dir__(self) -> list[str]:
        """Return the names, with those that are not loaded yet."""
        late = (name for name, what in vars(_Package).items() if type(what) is _Late)
        return [*{**vars(self), **dict.fromkeys(late)}]

    def __delattr__(self, name: str) -> None:
        """Delete a name, also one that is not loaded yet."""
        if isinstance(vars(_Package).get(name), _Late):
            delattr(_Package, name)
            vars(self).pop(name, None)
        else:
            super().__delattr__(name)

    def __reduce__(self) -> tuple[object, tuple[str]]:
        """Pickle by name: tools that pickle modules know plain modules only."""
        from importlib import import_module  # noqa: PLC0415 - late

        return import_module, (self.__name__,)


def name_late(module: ModuleType, names: tuple[str, ...]) -> None:
    """Make those names of a module late that the extension lacks."""
    members, extension = vars(module), vars(_snooze)
    for name in names:
        if name not in extension or members.get(name) is not extension[name]:
            setattr(_Package, name, _Late(name))
            # What a program assigned before it reloads the module.
            members.pop(name, None)
    module.__class__ = _Package
