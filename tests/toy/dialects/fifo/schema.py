"""The parsed document, with the origin of every field."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from console.dialects.fields import Shape
from console.dialects.findings import Place
from console.dialects.written import Read

DOCUMENT: Final = Shape("the config", ("lines",))
LINE: Final = Shape("a line", ("name", "limit"))
LIMIT: Final = Shape("a limit", ("cpu", "gpu", "memory_gb", "tpu"))


@dataclass(frozen=True, slots=True, kw_only=True)
class LineDoc:
    """One entry of ``lines``."""

    place: Place
    name: Read[str]
    #: Thousandths, by resource.
    limit: dict[str, Read[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A parsed config; entries that are not mappings are left out."""

    lines: tuple[LineDoc, ...] = ()
