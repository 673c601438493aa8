"""Marks the words that differ in two similar lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

#: Maximum length of a line whose words are compared.
_LONGEST = 2000
#: Maximum number of pairs of equal words in one comparison of texts. Long lists on one line would
#: otherwise take too long.
_MOST_WEIGHED = 500_000
#: The part of two lines, without white space, that must be equal for marks to be useful.
_ALIKE = 0.4

_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)


class Piece(NamedTuple):
    """A part of a line, equal or different."""

    text: str
    differs: bool


class Marker:
    """Marks words in the lines of one comparison, up to a maximum cost."""

    def __init__(self) -> None:
        self._left = _MOST_WEIGHED

    def changed_words(self, old: str, new: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
        """
        Return both lines as pieces; empty when they are too long or have too little in common.

        >>> Marker().changed_words("max: 4", "max: 5")[1]
        (Piece(text='max: ', differs=False), Piece(text='5', differs=True))
        """
        if self._left < 0 or max(len(old), len(new)) > _LONGEST:
            return (), ()
        before, after = _WORD.findall(old), _WORD.findall(new)
        known = Counter(before)
        self._left -= sum(known[word] for word in after)
        return _pieces(before, after) if self._left >= 0 else ((), ())


def _pieces(before: list[str], after: list[str]) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    same = (before[i : i + size] for i, _, size in matcher.get_matching_blocks())
    if sum(map(_weight, same)) < _ALIKE * max(_weight(before), _weight(after)):
        return (), ()
    one: list[Piece] = []
    other: list[Piece] = []
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        differs = tag != "equal"
        if i < i_end:
            one.append(Piece("".join(before[i:i_end]), differs))
        if j < j_end:
            other.append(Piece("".join(after[j:j_end]), differs))
    return tuple(one), tuple(other)


def _weight(words: Sequence[str]) -> int:
    return sum(len(word) for word in words if not word.isspace())
