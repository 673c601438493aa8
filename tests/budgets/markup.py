"""What a page's HTML says about its weight."""

from __future__ import annotations

import gzip
import re
from dataclasses import dataclass
from typing import Final

_REFERENCE: Final = re.compile(r'(?:src|href)="/static/([^"#]+)')
_PART: Final = re.compile(r'hx-trigger="load\b')


@dataclass(frozen=True, slots=True)
class Markup:
    """What a page's HTML says about its weight."""

    #: Size in bytes, compressed as the server compresses pages.
    size: int
    #: Names of the static files that it refers to.
    static: frozenset[str]
    #: Number of parts that the page requests at once.
    parts: int

    @property
    def files(self) -> int:
        """The number of files with the page itself."""
        return 1 + len(self.static) + self.parts


def read_markup(html: bytes) -> Markup:
    """Return the markup of a page."""
    text = html.decode()
    return Markup(
        len(gzip.compress(html, 6)),
        frozenset(_REFERENCE.findall(text)),
        len(_PART.findall(text)),
    )
