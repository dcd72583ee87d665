"""pyrjson (imported as rjson): written in Rust, options as separate arguments."""

from typing import Any

from snooze_lab.contenders._shared import hook, refuse, with_options
from snooze_lab.contenders.base import Call, Calls, Library, Need


def bind(module: Any) -> Calls:
    """Return its calls; it has no option for numpy."""

    def writer(need: Need) -> Call:
        refuse(need, "sort_keys", "indent", "non_str_keys", "default")
        options = {"sort_keys": need.sort_keys, "non_str_keys": need.non_str_keys}
        options = {name: True for name, wanted in options.items() if wanted}
        indent = {"indent": 2} if need.indent else {}
        return with_options(module.dumps, **options, **indent, **hook(need))

    return Calls(module.loads, module.dumps, writer)


LIBRARY = Library(
    name="pyrjson",
    module="rjson",
    distribution="pyrjson",
    bind=bind,
    call_path="rjson.loads(bytes) and rjson.dumps(value); dumps makes bytes.",
)
