"""Hugging Face datasets: a scan of files as a Dataset or an IterableDataset.

    from snooze.adapters.datasets import dataset, iterable_dataset

Invariants: the rows are those of the scan, in its order; a Dataset in the cache is used
again only for the same files, with the same sizes and times of change, and the same
options.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from snooze._missing import unusable

try:
    import datasets
    import pyarrow as pa  # noqa: TC002 - its absence is reported here

    from snooze.adapters import _parts
except ImportError as error:
    raise unusable(__name__, "datasets", error) from error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from snooze import Scan

__all__ = ("LinesBuilder", "dataset", "iterable_dataset")


def dataset(
    scan: Scan,
    *,
    part_bytes: int = _parts.PART,
    cache_dir: str | os.PathLike[str] | None = None,
    num_proc: int | None = None,
) -> datasets.Dataset:
    """Return a Dataset of a scan of files, which is written to the cache once.

    Args:
        scan: The scan, of paths or a pattern. Its schema is inferred now, if none was
            given.
        part_bytes: The bytes of text that a process reads at a time. Default 32 MiB.
        cache_dir: The folder of the cache. Default None: that of ``datasets``.
        num_proc: How many processes read. Default None: this one.

    Raises:
        TypeError: The scan is not of files.
        ValueError: `part_bytes` is below 1, or there are rows without columns.
        snooze.ScanError: A record does not fit, while the schema is inferred. Later it
            is the cause of a ``datasets.exceptions.DatasetGenerationError``.
    """
    builder = _builder(scan, part_bytes, cache_dir)
    if not builder.config.schema.names:
        # What writes the cache needs a column, even for no rows.
        for _ in builder._generate_tables(builder.config.parts):  # noqa: SLF001 - of this module
            pass
        return _empty(builder)
    builder.download_and_prepare(num_proc=num_proc)
    if not builder.info.splits["train"].num_examples:
        return _empty(builder)
    return builder.as_dataset(split="train")


def iterable_dataset(
    scan: Scan, *, part_bytes: int = _parts.PART
) -> datasets.IterableDataset:
    """Return an IterableDataset of a scan of files, which is read as it is used.

    Args:
        scan: The scan, of paths or a pattern. Its schema is inferred now, if none was
            given.
        part_bytes: The bytes of text in a shard: what a worker of a data loader takes,
            and what ``shuffle`` puts in another order. Default 32 MiB.

    Raises:
        TypeError: The scan is not of files.
        ValueError: `part_bytes` is below 1; when it is read: there are rows without
            columns.
        snooze.ScanError: A record does not fit: now, while the schema is inferred, or
            when it is read.
    """
    return _builder(scan, part_bytes, None).as_streaming_dataset(split="train")


@dataclass
class LinesConfig(datasets.BuilderConfig):
    """What `LinesBuilder` builds: the parts of a scan, and their schema."""

    parts: tuple[Scan, ...] = ()
    schema: pa.Schema | None = None

    def create_config_id(self, *_args: Any, **_options: Any) -> str:
        """Return the name, which has a hash of the files and the options."""
        return str(self.name)


class LinesBuilder(datasets.ArrowBasedBuilder):
    """Builds a dataset of the parts of a scan; `dataset` makes it."""

    BUILDER_CONFIG_CLASS = LinesConfig

    def _info(self) -> datasets.DatasetInfo:
        features = datasets.Features.from_arrow_schema(self.config.schema)
        return datasets.DatasetInfo(features=features)

    def _split_generators(self, _dl_manager: Any) -> list[datasets.SplitGenerator]:
        return [
            datasets.SplitGenerator("train", gen_kwargs={"parts": self.config.parts})
        ]

    def _generate_tables(self, parts: list[Scan]) -> Iterator[tuple[Any, pa.Table]]:
        for number, part in enumerate(parts):
            for at, table in enumerate(_parts.tables_of(part)):
                if table.num_rows and not table.num_columns:
                    raise ValueError(
                        f"expected a scan with a column, found {table.num_rows} rows "
                        "without any, which a dataset would lose"
                    )
                yield datasets.builder.Key(number, at), _plain(table)


def _empty(builder: LinesBuilder) -> datasets.Dataset:
    """Return a Dataset without rows, of which the cache has none."""
    table = _parts.empty_table(builder.config.schema)
    return datasets.Dataset(table, info=builder.info, split=datasets.Split.TRAIN)


def _builder(scan: Scan, part_bytes: int, cache_dir: Any) -> LinesBuilder:
    parts = scan.splits(part_bytes)
    schema = _plain(_parts.empty_table(_parts.schema_of(scan))).schema
    return LinesBuilder(
        cache_dir=None if cache_dir is None else os.fspath(cache_dir),
        config_name=_fingerprint(scan, parts, schema),
        dataset_name="snooze",
        parts=parts,
        schema=schema,
    )


def _fingerprint(scan: Scan, parts: list[Scan], schema: pa.Schema) -> str:
    """Return a hash of what decides the rows, with the times of change of the files."""
    found = hashlib.sha256(schema.serialize())
    found.update(repr(scan.__reduce__()[1]).encode())
    for part in parts:
        found.update(repr((part.ranges, _parts.stamp_of(part))).encode())
    return found.hexdigest()[:32]


def _plain(table: pa.Table) -> pa.Table:
    """Return a table whose extension types are those that hold their values."""
    return _parts.cast(table, _parts.converted(table.schema, _parts.storage_of))
