"""How instances are made: without the constructor where skipping it is unobservable.

Separate, because a wrong answer here makes a wrong object: everything that could make a
difference is checked, and any doubt means that the constructor is called. Invariant:
the answer is "slots" or "attributes" only if all that the constructor does is to store
the fields and to call `__post_init__`. Called by `records`.
"""

from __future__ import annotations

import types
from typing import Any

#: `co_qualname` of the `__init__` that dataclasses generate, in CPython 3.11 to 3.15.
GENERATED_INIT = "__create_fn__.<locals>.__init__"


def lookup(cls: Any, name: str) -> tuple[Any, Any]:
    """Return the class that defines an attribute, and the value in its `__dict__`."""
    for base in cls.__mro__:
        if name in base.__dict__:
            return base, base.__dict__[name]
    return None, None


def _calls_only_init(cls: Any) -> bool:
    """Return whether calling the class is `object.__new__` and then `__init__`."""
    call = lookup(type(cls), "__call__")[1]
    return (
        call is type.__dict__["__call__"]
        and lookup(cls, "__new__")[1] is object.__dict__["__new__"]
        # A `__getattribute__` would see the lookup of `__post_init__`.
        and lookup(cls, "__getattribute__")[1] is object.__dict__["__getattribute__"]
        and not getattr(cls, "__abstractmethods__", None)
    )


def _code_name(function: Any) -> str:
    return getattr(getattr(function, "__code__", None), "co_qualname", "")


def field_storage(cls: Any, names: list[str]) -> str | None:
    """Return where fields are stored: "slots", "attributes", or None if in doubt."""
    has_dict = bool(cls.__dictoffset__)
    slots = 0
    for name in names:
        owner, found = lookup(cls, name)
        if isinstance(found, types.MemberDescriptorType) and (
            found.__objclass__ is owner and found.__name__ == name
        ):
            slots += 1
            continue
        descriptor = type(found)
        if hasattr(descriptor, "__set__") or hasattr(descriptor, "__delete__"):
            return None
        if not has_dict:
            return None
    return "slots" if slots == len(names) and not has_dict else "attributes"


def of_dataclass(  # noqa: PLR0911 - one line for each doubt
    cls: Any, names: list[str], *, init_only: bool
) -> tuple[Any, ...]:
    """Return how to make a dataclass; `names` are the fields that `__init__` sets.

    `init_only` means that it has InitVars.
    """
    call = ("call", cls)
    owner, init = lookup(cls, "__init__")
    if (
        init_only
        or not _calls_only_init(cls)
        or _code_name(init) != GENERATED_INIT
        or not isinstance(init, types.FunctionType)
        or owner is not lookup(cls, "__dataclass_fields__")[0]
    ):
        return call
    frozen = lookup(owner, "__dataclass_params__")[1].frozen
    setter = lookup(cls, "__setattr__")[1]
    if not frozen and setter is not object.__dict__["__setattr__"]:
        return call
    storage = field_storage(cls, names)
    if storage is None:
        return call
    post = lookup(cls, "__post_init__")[1]
    if post is not None and not isinstance(post, types.FunctionType):
        return call
    # The generated __init__ calls __post_init__ only if the decorator found one.
    if post is not None and "__post_init__" not in init.__code__.co_names:
        return call
    if post is None and "__post_init__" in init.__code__.co_names:
        return call
    return (storage, cls, post)


def of_attrs(cls: Any, attributes: Any, names: list[str]) -> tuple[Any, ...]:
    """Return how to make an attrs class; `names` are the fields that it sets."""
    call = ("call", cls)
    init = lookup(cls, "__init__")[1]
    code = getattr(init, "__code__", None)
    if (
        not isinstance(init, types.FunctionType)
        or code is None
        or not code.co_filename.startswith("<attrs generated")
        or not _calls_only_init(cls)
        or any(
            hasattr(cls, hook)
            for hook in (
                "__attrs_pre_init__",
                "__attrs_post_init__",
                "__attrs_init__",
                "_attrs_cached_hash",
            )
        )
        or "_attrs_cached_hash" in code.co_consts
        or "_attrs_cached_hash" in code.co_names
        or lookup(cls, "__attrs_attrs__")[0] is not lookup(cls, "__init__")[0]
    ):
        return call
    for attribute in attributes:
        if attribute.converter is not None or attribute.validator is not None:
            return call
        if getattr(attribute.default, "takes_self", False):
            return call
    setter = lookup(cls, "__setattr__")[1]
    if setter is not object.__dict__["__setattr__"] and (
        getattr(setter, "__module__", None) != "attr._make"
    ):
        return call
    storage = field_storage(cls, names)
    return call if storage is None else (storage, cls, None)


def of_namedtuple(cls: Any, base: Any) -> tuple[Any, ...]:
    """Return how to make a named tuple; `base` is the class that defines its fields."""
    new = lookup(cls, "__new__")
    init = lookup(cls, "__init__")[1]
    plain = (
        new[0] is base
        and getattr(getattr(new[1], "__func__", new[1]), "__module__", "")
        == f"namedtuple_{base.__name__}"
        and init is object.__dict__["__init__"]
        and lookup(type(cls), "__call__")[1] is type.__dict__["__call__"]
    )
    return ("tuple" if plain else "positional", cls)


def is_slotted(cls: Any) -> bool:
    """Return whether the decorator made slots; CPython 3.11 does not record it."""
    params = lookup(cls, "__dataclass_params__")[1]
    return bool(getattr(params, "slots", "__slots__" in cls.__dict__))
