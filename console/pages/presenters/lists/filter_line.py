"""The line of text above a list: its filters become parameters of the address."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from django.http import QueryDict

from console.pages.presenters.lists.addresses import with_query
from console.workloads.text_query import Mistake, TextFilters

#: The parameter of a line; it is never part of a canonical address.
LINE: Final = "line"

#: Maximum number of words that are offered.
_OFFERED: Final = 12


@dataclass(frozen=True, slots=True)
class FilterWord:
    """A word that continues a line, and the address of the list with its filter."""

    text: str
    url: str


@dataclass(frozen=True, slots=True)
class ShownMistake:
    """A mistake in a line, and the address of the list with the suggested line."""

    mistake: Mistake
    url: str


def take_line(path: str, query: QueryDict, filters: TextFilters) -> tuple[str, list[ShownMistake]]:
    """
    Replace the line in *query* by its filters.

    If it has mistakes, no filter is added; the line is returned with its mistakes.
    """
    line = str(query.get(LINE, ""))
    query.pop(LINE, None)
    found, mistakes = filters.read(line)
    if mistakes:
        return line, [
            ShownMistake(each, with_query(path, query, cursor=None, **{LINE: each.suggestion}))
            for each in mistakes
        ]
    for name, value in found.items():
        query[name] = str(value)
    if found:
        query.pop("cursor", None)
    return "", []


def words_of(
    path: str, query: QueryDict, filters: TextFilters, values: Mapping[str, Sequence[str]]
) -> list[FilterWord]:
    """
    Return words that continue the line in *query*, at first those that begin with its last word.

    *values* are those that occur, by parameter; other parameters have all their choices. The links
    lead to *path* with the other words.
    """
    before, written = filters.split(str(query.get(LINE, "")))
    rest = query.copy()
    rest.pop(LINE, None)
    found, _ = filters.read(before)
    for name, value in found.items():
        rest[name] = str(value)
    wanted = written.casefold()
    known = {**filters.choices, **values}
    words = [each for each in _words(filters, known) if wanted in each[2].casefold()]
    words.sort(key=lambda each: not each[2].casefold().startswith(wanted))
    return [
        FilterWord(text, with_query(path, rest, cursor=None, **{name: value}))
        for name, value, text in islice(words, _OFFERED)
    ]


def _words(
    filters: TextFilters, known: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, str, str]]:
    """Yield parameter, value and text of every word; the values of each filter take turns."""
    names = {parameter: name for name, parameter in filters.names.items()}
    columns = [
        (parameter, names.get(parameter, parameter.removeprefix("label.")), list(values))
        for parameter, values in known.items()
    ]
    longest = max((len(values) for *_, values in columns), default=0)
    for row in range(longest):
        for parameter, name, values in columns:
            if row < len(values):
                value = values[row]
                text = f'"{value}"' if re.search(r"\s", value) else value
                yield parameter, value, f"{name}:{text}"
