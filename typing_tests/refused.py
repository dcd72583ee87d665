# pyright: basic
"""Wrong uses of typed codecs: one error in each line that ends with `# error`.

Read by mypy and pyright, never run. tests/contract/test_type_checkers.py runs both.
"""

from __future__ import annotations

import io
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
Decoder(User, syntax="hjson")  # error
Decoder(numbers="int")  # error
Decoder(nan=True)  # error
Decoder(duplicates="all")  # error
Decoder(surrogates=None)  # error
Decoder(encoding="utf-16")  # error
Decoder(max_depth="5")  # error
Decoder(max_size=1.5)  # error
Decoder(object_hook="dict")  # error
Decoder(object_pairs_hook=1)  # error
Decoder(list[User], threads=None)  # error
snooze.Raw(1)  # error
snooze.decode(b"", duplicates=1)  # error
Decoder(User).decode(1)  # error
Decoder(User).decode()  # error
Decoder(User).decode_lines([b"1"])  # error
Decoder(User).decode_lines(b"", on_error="skip")  # error
Decoder(User).iter_lines(1)  # error
Decoder(User).partial().feed(1)  # error
Decoder(User).partial().value = 1  # error
Decoder(User).iter_items(1)  # error
Decoder(User).iter_items(b"[]", at=1)  # error
Encoder(User).iter_items([1])  # error
Encoder(User).dump_items([], 1)  # error
Encoder(User).encode_lines(1)  # error
Encoder(User).encode_lines([1])  # error
Encoder(User).dump_lines([], 1)  # error
Encoder(User, omit_none=1.5)  # error
Encoder(User, nan="zero")  # error
Encoder(User, decimal="float")  # error
Encoder(User, enc_hook="str")  # error
Encoder(User, hooks=[str])  # error
Encoder(User, key_hook="str")  # error
Encoder(User, json_method=str)  # error
Encoder(User, iterables="yes")  # error
Encoder(User, namedtuple="dict")  # error
Encoder(User, formats={"bytes": "hex"})  # error
Encoder(User, timespec="minutes")  # error
Encoder(User, naive_utc="yes")  # error
Encoder(User, utc_z="Z")  # error
Encoder(User, surrogates="keep")  # error
Encoder(User, max_depth="deep")  # error
Encoder(User, omit_none="some")  # error
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
snooze.pointer.get({}, 5)  # error
snooze.pointer.get({})  # error
snooze.pointer.set({}, "/a")  # error
snooze.pointer.parse(["a"])  # error
snooze.pointer.join([1.5])  # error
snooze.patch({}, 5)  # error
snooze.patch({}, [], 1)  # error
snooze.patch({}, [], in_place="yes")  # error
snooze.patch({}, [], max_copied="1")  # error
snooze.merge_patch({})  # error
snooze.diff({}, {}, form="json")  # error
wrong_diff: str = snooze.diff({}, {})  # error
snooze.jsonpath.compile(5)  # error
snooze.jsonpath.find("$")  # error
wrong_node: str = snooze.jsonpath.nodes({}, "$")[0].place  # error
snooze.jsonpath.Path("$").find()  # error
snooze.reformat({"a": 1})  # error
snooze.reformat("1", separators=",")  # error
snooze.reformat("1", sort_keys=True)  # error
snooze.canonical()  # error
snooze.canonical_hash([1], algorithm=256)  # error
snooze.encode([1], indent=2.5)  # error
snooze.infer(1).source(5)  # error
snooze.infer(1).schema("title")  # error
snooze.scan(b"", errors="ignore")  # error
snooze.scan(b"", drift="skip")  # error
snooze.scan(b"", check=True)  # error
snooze.scan(b"", threads="2")  # error
snooze.scan(b"", columns=[1])  # error
snooze.scan(b"", colour=1)  # error
snooze.scan(b"").splits("1")  # error
snooze.scan(b"", where=1)  # error
snooze.scan(b"", limit="1")  # error
snooze.scan(b"", errors="collected")  # error
snooze.scan(b"").where(["a"])  # error
snooze.scan(b"").head("1")  # error
snooze.scan(b"").batches(progress=1)  # error
snooze.write_lines(snooze.scan(b""))  # error
snooze.write_lines(snooze.scan(b""), 1)  # error
snooze.write_lines(snooze.scan(b""), "out", nulls="drop")  # error
snooze.write_lines(snooze.scan(b""), "out", nan=None)  # error
snooze.write_lines(snooze.scan(b""), "out", decimal="float")  # error
snooze.dumps()  # error
snooze.dumps([1], option="indent")  # error
snooze.dumps([1], default=1)  # error
snooze.dumps(obj=1)  # error
snooze.dumps([1], indent=2)  # error
wrong_text: str = snooze.dumps([1])  # error
snooze.loads(1)  # error
snooze.loads(io.BytesIO())  # error
snooze.Fragment(1)  # error
snooze.load(1)  # error
snooze.load("file.json", mmap="yes")  # error
snooze.load("file.json", None)  # error
snooze.dump([1])  # error
snooze.dump([1], 1)  # error
snooze.dump([1], dest=1, default="str")  # error
snooze.dump([1], "file.json", indent=2)  # error
snooze.install("json")  # error
snooze.install(json="yes")  # error
snooze.install(as_orjson=True, orjson_version=3.11)  # error
snooze.install(orjson=True)  # error
snooze.uninstall("json")  # error
snooze.JSONDecodeError("no")  # error
wrong_path = snooze.JSONDecodeError("no", "[", 1).path  # error
snooze.JSONDecodeError("no", "[", 1).pointer = ""  # error
wrong_place = snooze.JSONEncodeError("no").path  # error
snooze.json.dumps([1], indent=1.5)  # error
snooze.json.dumps([1], cls=snooze.json.JSONDecoder)  # error
snooze.json.dumps([1], separators=",")  # error
wrong_bytes: bytes = snooze.json.dumps([1])  # error
snooze.json.dump([1], io.BytesIO())  # error
snooze.json.loads(1)  # error
snooze.json.loads("1", object_hook=1)  # error
snooze.json.load("file.json")  # error
snooze.json.detect_encoding("1")  # error
snooze.json.JSONEncoder(None)  # error
snooze.json.JSONDecoder().decode(b"1")  # error
wrong_part = snooze.json.decoder.JSONEncoder  # error
snooze.json.encoder.encode_basestring(1)  # error
wrong_name = snooze.json.simple  # error


class Unset(snooze.UnsetType):  # error
    pass
