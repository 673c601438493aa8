"""Drafts: the examples to begin with, and the language a text seems to be in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from console.dialects import likely_dialect
from console.dialects.base import Dialect


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A text to begin with."""

    dialect: Dialect
    title: str
    text: str


def samples_of(languages: Iterable[Dialect]) -> list[Sample]:
    """Return the examples of every language, those of the default one first."""
    return [
        Sample(dialect=dialect, title=title, text=text)
        for dialect in sorted(languages, key=lambda each: not each.is_default)
        for title, text in dialect.samples().items()
    ]


def other_language(dialect: str, text: str) -> Dialect | None:
    """Return the language that *text* looks like, unless it is the one it is read in."""
    likely = likely_dialect(text)
    return likely if likely is not None and likely.name != dialect else None
