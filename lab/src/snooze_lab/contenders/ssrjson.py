"""ssrjson: written in C with SIMD; few options."""

import importlib
from typing import Any

from snooze_lab.contenders._shared import refuse, with_options
from snooze_lab.contenders.base import Call, Calls, Library, Need


def bind(module: Any) -> Calls:
    """Return its calls; it must be set up once for numpy's types."""

    def writer(need: Need) -> Call:
        refuse(need, "indent", "numpy")
        if need.numpy:
            module.setup_numpy_types(importlib.import_module("numpy"))
        indent = {"indent": 2} if need.indent else {}
        return with_options(module.dumps_to_bytes, **indent)

    return Calls(module.loads, module.dumps_to_bytes, writer)


LIBRARY = Library(
    name="ssrjson",
    module="ssrjson",
    distribution="ssrjson",
    bind=bind,
    call_path=(
        "loads(bytes) and dumps_to_bytes(value), as imported. By its default it keeps "
        "the UTF-8 form of strings with the strings, which makes a second dumps of the "
        "same value faster: the factor `cache` tells the two apart."
    ),
)
