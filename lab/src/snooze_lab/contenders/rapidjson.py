"""python-rapidjson: bindings of the C++ library RapidJSON, with its options."""

from typing import Any

from snooze_lab.contenders.base import Call, Calls, Library, Need


def bind(module: Any) -> Calls:
    """Return its calls; by default it escapes all non-ASCII characters."""
    dumps = module.dumps

    def encode(value: Any) -> Any:
        return dumps(value, ensure_ascii=False).encode()

    def writer(need: Need) -> Call:
        options: dict[str, Any] = {"ensure_ascii": False}
        if need.sort_keys:
            options["sort_keys"] = True
        if need.indent:
            options["indent"] = 2
        if need.non_str_keys:
            options["mapping_mode"] = module.MM_COERCE_KEYS_TO_STRINGS
        if need.default or need.fallback:
            options["default"] = need.default or need.fallback
        return lambda value: dumps(value, **options).encode()

    return Calls(module.loads, encode, writer)


LIBRARY = Library(
    name="rapidjson",
    module="rapidjson",
    distribution="python-rapidjson",
    bind=bind,
    call_path=(
        "loads(bytes); dumps(value, ensure_ascii=False) and .encode() of the str that "
        "it returns, inside the time. Options: sort_keys, indent=2, "
        "mapping_mode=MM_COERCE_KEYS_TO_STRINGS for keys that are not str; classes and "
        "arrays through default."
    ),
)
