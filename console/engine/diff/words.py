"""Which words of two lines differ, for lines that are alike enough to be read as one changed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

#: Characters of a line up to which words are matched.
_LONGEST = 2000
#: Pairs of equal words that are weighed in one comparison of texts. Long lists on a line have more
#: than anybody waits for.
_MOST_WEIGHED = 500_000
#: The share of two lines, white space aside, that must be equal for marks inside them to help.
_ALIKE = 0.4

_WORD = re.compile(r"\w+|\s+|.", re.DOTALL)


class Piece(NamedTuple):
    """A stretch of a line."""

    text: str
    differs: bool


class Marker:
    """Marks words in the lines of one comparison, until that has cost enough."""

    def __init__(self) -> None:
        self._left = _MOST_WEIGHED

    def changed_words(self, old: str, new: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
        """
        Return both lines in pieces; empty when they are too long or have too little in common.

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
