# pyright: basic
"""Wrong uses of typed codecs: one error in each line that ends with `# error`.

Read by mypy and pyright, never run. tests/contract/test_type_checkers.py runs both.
"""

from __future__ import annotations

from dataclasses import dataclass

import snooze
from snooze import Decoder, Encoder, Field, Via, configure


@dataclass
class User:
    name: str


Decoder(User, strict="no")  # error
Decoder(User, errors="some")  # error
Decoder(User, unknown="collect")  # error
Decoder(User, rename="title")  # error
Decoder(User, skip=True)  # error
Decoder(User, at=("a", "b"))  # error
Decoder(User, dec_hook=1)  # error
Decoder(User, gc="no")  # error
Decoder(User, colour=1)  # error
Decoder(User).decode(1)  # error
Decoder(User).decode()  # error
Encoder(User, omit_none=1.5)  # error
Encoder(User, nan="zero")  # error
Encoder(User, decimal="float")  # error
Encoder(User, enc_hook="str")  # error
Encoder(User).encode("mira")  # error
Encoder(User).encode_into(User(""), b"")  # error
Encoder(User).encode_into(User(""), bytearray(), "0")  # error
snooze.decode(b"", User, errors="some")  # error
snooze.decode(b"", User, unknown=True)  # error
snooze.decode(1, User)  # error
snooze.dumps_str()  # error
snooze.dumps_str(1, option="indent")  # error
snooze.dumps_str(1, indent=2)  # error
snooze.encode(User(""), User, sort_keys="yes")  # error
snooze.convert({}, User, skip="fast")  # error
snooze.convert({}, User, from_attributes=1.5)  # error
snooze.Converter(User).convert()  # error
snooze.to_builtins(User(""), keep=[bytes])  # error
snooze.to_builtins(User(""), str_keys="no")  # error
snooze.schema(User, rename=5)  # error
wrong_class: str = snooze.decode(b"", User)  # error
wrong_member: int = Decoder(User).decode(b"").name  # error
configure(rename="title")  # error
configure(tag=1.5)  # error
configure(tag_field=1)  # error
configure(content=1)  # error
configure(array_like="yes")  # error
configure(gc="no")  # error
configure("camel")  # error
configure(formats="unix")  # error
configure(meta="title")  # error
configure(fallback="yes")  # error
snooze.Meta(title=5)  # error
snooze.Meta("title")  # error
snooze.Format(5)  # error
snooze.schema_components(User)  # error
Field(alias=5)  # error
Field(exclude="yes")  # error
Field(flatten="yes")  # error
Via(int, decode=1)  # error
snooze.Ge("a")  # error
snooze.Len("a")  # error
snooze.Pattern(1)  # error
