"""Suggestions ("did you mean"): the known word that is most similar to an unknown one."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

#: Longer words are not compared: they are hardly misspelled by only a few letters.
_MAX_LENGTH: Final = 100
_SEPARATOR = re.compile(r"[-_ ]")
#: The boundary of two words in any style: nominal_quota, nominalQuota.
_BETWEEN_WORDS = re.compile(r"[-_ ]|(?<=[a-z0-9])(?=[A-Z])")


def nearest(word: str, choices: Iterable[str]) -> str | None:
    """
    Return the choice that *word* most likely stands for, or None.

    Case, ``-`` and ``_`` are ignored; a third of the letters may be wrong,
    at most three. If no choice is that similar, return the only choice that
    contains all words of *word*, or whose words are all in *word*.

    >>> nearest("defualt", ["default", "team-a"])
    'default'
    >>> nearest("resourceQueue", ["resource_queue", "selector"])
    'resource_queue'
    >>> nearest("quota", ["nominal_quota", "lending_limit"])
    'nominal_quota'
    >>> nearest("cohort", ["cohortName", "stopPolicy"])
    'cohortName'
    """
    if not word or len(word) > _MAX_LENGTH:
        return None
    folded, words = _fold(word), _words(word)
    best, least = None, min(3, max(1, len(folded) // 3)) + 1
    related = []
    for choice in choices:
        if len(choice) > _MAX_LENGTH or choice == word:
            continue
        distance = edit_distance(folded, _fold(choice), least)
        if distance < least:
            best, least = choice, distance
        elif words <= (others := _words(choice)) or others <= words:
            related.append(choice)
    if best is None and len(related) == 1:
        return related[0]
    return best


def _fold(word: str) -> str:
    return "".join(_SEPARATOR.split(word.casefold()))


def _words(word: str) -> set[str]:
    return {part.casefold() for part in _BETWEEN_WORDS.split(word)}


def edit_distance(a: str, b: str, limit: int) -> int:
    """
    Return the number of letters to insert, delete, replace or swap, at most *limit*.

    >>> edit_distance("reserach", "research", 2), edit_distance("ml", "eval", 2)
    (1, 2)
    """
    if abs(len(a) - len(b)) >= limit or len(set(a) ^ set(b)) >= 2 * limit:
        return limit
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        older, before, row = before, row, [i]
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and y == a[i - 2]:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) >= limit:
            return limit
    return min(row[-1], limit)
