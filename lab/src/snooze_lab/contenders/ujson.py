"""ujson: an old favourite, with its options."""

from typing import Any

from snooze_lab.contenders.base import Call, Calls, Library, Need


def bind(module: Any) -> Calls:
    """Return its calls; by default it escapes slashes and all non-ASCII characters."""
    dumps = module.dumps

    def encode(value: Any) -> Any:
        return dumps(value, ensure_ascii=False, escape_forward_slashes=False).encode()

    def writer(need: Need) -> Call:
        options: dict[str, Any] = {
            "ensure_ascii": False,
            "escape_forward_slashes": False,
        }
        if need.sort_keys:
            options["sort_keys"] = True
        if need.indent:
            options["indent"] = 2
        if need.default or need.fallback:
            options["default"] = need.default or need.fallback
        return lambda value: dumps(value, **options).encode()

    return Calls(module.loads, encode, writer)


LIBRARY = Library(
    name="ujson",
    module="ujson",
    distribution="ujson",
    bind=bind,
    call_path=(
        "loads(bytes); dumps(value, ensure_ascii=False, escape_forward_slashes=False) "
        "and .encode() of the str that it returns, inside the time. Options: sort_keys "
        "and indent=2, none for keys that are not str; classes and arrays through "
        "default."
    ),
)
