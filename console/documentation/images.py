"""The size of PNG images, so that a page reserves their space before they are loaded."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Final

#: The signature, and the length and type of the first chunk, which has the size.
_START: Final = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height in pixels."""

    width: int
    height: int


def size_of(path: Path) -> Size | None:
    """Return the size of a PNG image; None for other files."""
    with path.open("rb") as file:
        head = file.read(len(_START) + 8)
    if not head.startswith(_START) or len(head) < len(_START) + 8:
        return None
    return Size(*struct.unpack(">II", head[len(_START) :]))
