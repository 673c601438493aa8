"""Data of the draft editor: sample configs, and the likely dialect of a text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from console.dialects import dialects, likely_dialect
from console.dialects.base import Dialect


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A sample config to start a draft with."""

    dialect: Dialect
    title: str
    text: str


def samples_of(languages: Iterable[Dialect]) -> list[Sample]:
    """Return the samples of all dialects, those of the default dialect first."""
    return [
        Sample(dialect=dialect, title=title, text=text)
        for dialect in sorted(languages, key=lambda each: not each.is_default)
        for title, text in dialect.samples().items()
    ]


@dataclass(frozen=True, slots=True)
class FirstTexts:
    """The texts with which the first draft in a language can start: value and title of each."""

    language: str
    texts: tuple[tuple[str, str], ...]


def first_texts() -> list[FirstTexts]:
    """Return the samples and an empty text of each language, those of the default one first."""
    languages = sorted(dialects().values(), key=lambda each: not each.is_default)
    return [
        FirstTexts(
            dialect.title,
            (
                *((f"{dialect.name}/{title}", title) for title in dialect.samples()),
                (f"{dialect.name}/", f"Empty config in {dialect.title}"),
            ),
        )
        for dialect in languages
    ]


def other_language(dialect: str, text: str) -> Dialect | None:
    """Return the likely dialect of *text*, or None if it is *dialect* or unknown."""
    likely = likely_dialect(text)
    return likely if likely is not None and likely.name != dialect else None
