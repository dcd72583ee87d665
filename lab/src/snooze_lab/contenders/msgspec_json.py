"""msgspec's JSON module, untyped; its typed use has separate rows in the race."""

from typing import Any

from snooze_lab.contenders._shared import refuse
from snooze_lab.contenders.base import Call, Calls, Library, Need


def bind(module: Any) -> Calls:
    """Return its documented fast path: an encoder and a decoder made once."""

    def writer(need: Need) -> Call:
        refuse(need, "sort_keys", "indent", "non_str_keys", "default")
        order = "sorted" if need.sort_keys else None
        encode: Call = module.Encoder(enc_hook=need.default, order=order).encode
        if need.indent:  # it indents by a second pass over the text
            return lambda value: module.format(encode(value), indent=2)
        return encode

    encoder = module.Encoder()

    def into(value: Any, buffer: bytearray) -> int:
        encoder.encode_into(value, buffer)
        return len(buffer)

    return Calls(module.Decoder().decode, encoder.encode, writer, into=into)


LIBRARY = Library(
    name="msgspec",
    module="msgspec.json",
    distribution="msgspec",
    bind=bind,
    call_path=(
        "decode(bytes) of one Decoder and encode(value) of one Encoder, both made "
        "before the time begins and without a type; encode makes bytes. An indent is "
        "its json.format over the text, inside the time. Into a buffer that is used "
        "again: encode_into of the same Encoder."
    ),
)
