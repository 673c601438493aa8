"""Full-text search over the sections of the documents."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from console.documentation.library import INDEX, Document, Library, document_url
from console.documentation.sections import Section

#: Most words of a search text; others are ignored.
_MOST_WORDS: Final = 8

#: Length of words that are searched as whole words.
_LONGEST_WHOLE: Final = 2

#: Points of a word in the title of a section, and in the title of its document: as a whole word,
#: and as the beginning of one.
_IN_TITLE: Final = (45, 30)
_IN_PAGE: Final = (15, 10)
#: Points if the title of a section has all words, and if it has no others.
_ALL_IN_TITLE: Final = 30
_WHOLE_TITLE: Final = 100
#: Most points of a word in the text of a section, one for each time, and those of a whole word.
_MOST_IN_TEXT: Final = 5
_WHOLE_IN_TEXT: Final = 3
#: Points that a section about one diagnostic has less, unless its code is searched: a subject has
#: many of them.
_OF_DIAGNOSTIC: Final = 60

#: Length of an excerpt, and of the text that it shows before the first match, in characters.
_EXCERPT: Final = 220
_BEFORE: Final = 40

#: Occurrences of words in a section that are tried as the beginning of an excerpt.
_MOST_PLACES: Final = 50


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text, and whether it is a word that was searched."""

    text: str
    is_match: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A section that contains all searched words."""

    document: Document
    section: Section
    title: tuple[Piece, ...]
    excerpt: tuple[Piece, ...]

    @property
    def url(self) -> str:
        """The address of the section."""
        return section_url(self.document, self.section)


@dataclass(frozen=True, slots=True)
class _Entry:
    """A section with its title, that of its document and its text in lower case."""

    document: Document
    section: Section
    title: str
    page: str
    text: str


class _Word:
    """
    A searched word. It matches the beginning of words, and of parts of names such as nominalQuota.

    A short one matches whole words, because too many others begin with it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        starts = r"(?:(?<![^\W_])|(?<=[a-z0-9])(?=[A-Z]))" if text[0].isalnum() else ""
        ends = r"(?![^\W_])" if len(text) <= _LONGEST_WHOLE and text.isalnum() else ""
        self.pattern = f"{starts}(?i:{re.escape(text)}){ends}"
        self._compiled = re.compile(self.pattern)
        self._whole = re.compile(rf"{self.pattern}(?i:s|es)?(?![^\W_])")

    def count(self, text: str, lower: str) -> int:
        """Return how often the word is in *text*, which is *lower* in lower case."""
        # This excludes most texts in a fraction of the time.
        return len(self._compiled.findall(text)) if self.text in lower else 0

    def is_whole(self, text: str) -> bool:
        """Return whether *text* has the word as a whole, or its plural."""
        return self._whole.search(text) is not None

    def points(self, text: str, lower: str, points: tuple[int, int]) -> int:
        """Return the first of *points* for a whole word, the second for the beginning of one."""
        if not self.count(text, lower):
            return 0
        return points[0] if self.is_whole(text) else points[1]


def section_url(document: Document, section: Section) -> str:
    """Return the address of a section; that of a title is the page."""
    return document_url(document.name, "" if section.level == 1 else section.anchor)


@dataclass(frozen=True, slots=True)
class Found:
    """The sections that contain all words of a text, best first."""

    words: tuple[_Word, ...]
    entries: tuple[_Entry, ...]

    def __len__(self) -> int:
        return len(self.entries)

    def hits(self, start: int, end: int) -> list[Hit]:
        """Return the sections from *start* to before *end*, with marked words."""
        return self._hits(self.entries[start:end])

    def titled(self, most: int) -> list[Hit]:
        """Return the first *most* sections whose title contains all words."""
        titled = (
            entry
            for entry in self.entries
            if all(word.count(entry.section.title, entry.title) for word in self.words)
        )
        return self._hits(islice(titled, most))

    def _hits(self, entries: Iterable[_Entry]) -> list[Hit]:
        if not self.words:
            return []
        longest_first = sorted(self.words, key=lambda word: -len(word.text))
        pattern = re.compile("|".join(word.pattern for word in longest_first))
        return [_hit(entry, pattern) for entry in entries]


def hit_of(library: Library, reference: str) -> Hit | None:
    """Return the section document#anchor, or that of the document's title; None if missing."""
    name, _, anchor = reference.partition("#")
    document = library.documents.get(name)
    for section in document.sections if document is not None else ():
        if document is not None and anchor in ("", section.anchor):
            return Hit(document, section, (Piece(section.title),), ())
    return None


def search(library: Library, text: str) -> Found:
    """
    Return the sections that contain all words of *text*, or words that begin with them.

    Words in the title of a section count most, then those in the title of its document, then those
    in its text; whole words count more than beginnings, and titles with all words more than others.
    Sections about one diagnostic come after others of the same words. Words of the document's title
    may be missing in the section, but not all of them.
    """
    words = tuple(map(_Word, islice(dict.fromkeys(text.lower().split()), _MOST_WORDS)))
    found = []
    for entry in _entries(library) if words else ():
        score = _score(entry, words)
        if score is not None:
            found.append((score, entry))
    # Sections of equal score keep their order in the documents.
    found.sort(key=lambda each: -each[0])
    return Found(words, tuple(entry for _, entry in found))


@lru_cache(maxsize=4)
def _entries(library: Library) -> tuple[_Entry, ...]:
    documents = [*library.in_order]
    documents += [each for each in library.documents.values() if each not in documents]
    return tuple(
        _Entry(document, each, each.title.lower(), document.title.lower(), each.text.lower())
        for document in documents
        # The index consists of links to the others.
        if document.name != INDEX
        for each in document.sections
    )


def _score(entry: _Entry, words: Sequence[_Word]) -> int | None:
    score = titled = 0
    is_own = False
    section = entry.section
    for word in words:
        in_title = word.points(section.title, entry.title, _IN_TITLE)
        in_page = word.points(entry.document.title, entry.page, _IN_PAGE)
        count = word.count(section.text, entry.text)
        if not (in_title or in_page or count):
            return None
        is_own = is_own or in_title > 0 or count > 0
        titled += in_title > 0
        in_text = min(count, _MOST_IN_TEXT)
        if count and word.is_whole(section.text):
            in_text += _WHOLE_IN_TEXT
        score += in_title + in_page + in_text
    if not is_own:
        # Only the title of the document matches, and its first section is found already.
        return None
    score += _ALL_IN_TITLE * (titled == len(words))
    score += _WHOLE_TITLE * (entry.title == " ".join(word.text for word in words))
    if section.code and section.code.lower() not in (word.text for word in words):
        score -= _OF_DIAGNOSTIC
    return score - 4 * entry.section.level


def _hit(entry: _Entry, pattern: re.Pattern[str]) -> Hit:
    section = entry.section
    return Hit(
        entry.document,
        section,
        tuple(_pieces(section.title, pattern)),
        tuple(_pieces(_excerpt(section.text, pattern), pattern)),
    )


def _excerpt(text: str, pattern: re.Pattern[str]) -> str:
    """Return the part of *text* with the most different words, cut between words."""
    places = [(found.start(), found[0].lower()) for found in pattern.finditer(text)][:_MOST_PLACES]
    start = max(
        (place for place, _ in places),
        key=lambda at: len({word for place, word in places if at <= place < at + _EXCERPT}),
        default=0,
    )
    start = 0 if start <= _BEFORE else text.rfind(" ", 0, start - _BEFORE) + 1
    end = len(text)
    if end - start > _EXCERPT:
        cut = text.rfind(" ", start, start + _EXCERPT)
        end = cut if cut > start else start + _EXCERPT
    return f"{'… ' if start else ''}{text[start:end]}{' …' if end < len(text) else ''}"


def _pieces(text: str, pattern: re.Pattern[str]) -> Iterator[Piece]:
    at = 0
    for found in pattern.finditer(text):
        if found.start() > at:
            yield Piece(text[at : found.start()])
        yield Piece(found[0], is_match=True)
        at = found.end()
    if at < len(text):
        yield Piece(text[at:])
