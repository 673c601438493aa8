"""
Filters written as one line of text, such as ``state:pending queue:ml team:research older:2h``.

A word is the value of a filter after its name and a colon; quotes enclose spaces. A name that is
no filter is that of a label, and a word without a name is the beginning of a workload's name. The
line is only another form of the parameters of an address, which alone are evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.http import QueryDict

from console.engine.wording.suggest import nearest
from console.errors import BadRequest

#: Maximum number of characters of a line.
LONGEST: Final = 1_000

#: An optional name with a colon, and a value, which may be quoted.
_WORD = re.compile(r'(?:([^\s:"]+):)?("[^"]*"?|[^\s"]+)?')


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a line: its parameter, its value, and its place in the line."""

    parameter: str
    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mistake:
    """A word that is no filter: its text, what is wrong, and the line that is probably meant."""

    text: str
    message: str
    suggestion: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFilters:
    """The filters of one list: their names in a line, and how they are evaluated."""

    #: Name in a line -> parameter of the address.
    names: Mapping[str, str]
    #: Parameter -> its values, if they are known.
    choices: Mapping[str, Sequence[str]]
    #: Raises BadRequest for parameters with wrong values.
    check: Callable[[QueryDict], object]
    #: Whether a name that is no filter is that of a label.
    has_labels: bool = False

    def split(self, line: str) -> tuple[str, str]:
        """Return the finished words of *line*, and the one that is being written."""
        words = self._words(line)
        if not words or line[-1:].isspace():
            return line, ""
        return line[: words[-1].start], line[words[-1].start :]

    def read(self, line: str) -> tuple[QueryDict, list[Mistake]]:
        """Return the parameters of *line*, and the mistakes in it."""
        query = QueryDict(mutable=True)
        mistakes: list[Mistake] = []
        if len(line) > LONGEST or "\0" in line:
            message = f"A line of filters has at most {LONGEST:,} characters, without NUL."
            return query, [Mistake("", message)]
        for word in self._words(line):
            mistake = self._mistake(word, line, query)
            if mistake is None:
                query[word.parameter] = word.value
            else:
                mistakes.append(mistake)
        return query, mistakes

    def _words(self, line: str) -> list[Word]:
        found = []
        for match in _WORD.finditer(line):
            name, value = match[1] or "", (match[2] or "").strip('"')
            if match[0]:
                found.append(Word(self._parameter(name), value, *match.span()))
        return found

    def _parameter(self, name: str) -> str:
        if not name:
            return "q"
        if name.casefold() in self.names:
            return self.names[name.casefold()]
        if name.startswith("label.") or not self.has_labels or self._similar(name):
            return name
        return f"label.{name}"

    def _similar(self, name: str) -> str | None:
        """Return the filter that *name* probably means, if it is misspelled."""
        return nearest(name.casefold(), self.names)

    def _mistake(self, word: Word, line: str, query: QueryDict) -> Mistake | None:
        text = line[word.start : word.end]
        name = word.parameter
        if name not in {"q", *self.names.values()} and not (
            self.has_labels and name.startswith("label.")
        ):
            similar = self._similar(name)
            fixed = similar and line[: word.start] + similar + line[word.start + len(name) :]
            known = f"{', '.join(self.names)}{' and label.KEY' if self.has_labels else ''}"
            hint = f" For a label of this name, write label.{name}." if self.has_labels else ""
            return Mistake(
                text, f"There is no filter {name}; there are: {known}.{hint}", fixed or ""
            )
        if not word.value:
            return Mistake(text, f"Write a value after {text or 'the colon'}, without a space.")
        if name in query:
            return Mistake(text, "This filter occurs twice; each has one value.")
        alone = QueryDict(mutable=True)
        alone[name] = word.value
        try:
            self.check(alone)
        except BadRequest as error:
            similar = nearest(word.value, self.choices.get(name, ()))
            at = word.start + text.rindex(word.value)
            fixed = similar and line[:at] + similar + line[at + len(word.value) :]
            return Mistake(text, error.errors[0].message, fixed or "")
        return None
