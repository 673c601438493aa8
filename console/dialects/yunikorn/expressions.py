"""Regular expressions of filters: those of Go that also run here, and run fast for any name."""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

#: A single name with one of these may be an expression.
_SPECIAL: Final = frozenset("^$*+?()[{}|")
#: Constructs of Python that Go does not have: look-around, conditions, references.
_NOT_GO: Final = re.compile(r"\(\?(?![:imsU-]|P<|<[A-Za-z_])|\\[1-9]|[*+?}]\+|\(\?P[=>]")
_CLASSES: Final = {
    "[:alnum:]": "0-9A-Za-z",
    "[:alpha:]": "A-Za-z",
    "[:digit:]": "0-9",
    "[:lower:]": "a-z",
    "[:upper:]": "A-Z",
    "[:space:]": r"\s",
    "[:word:]": r"\w",
}
_PIECE: Final = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[^:)]*:?|\(|\)|\||[*+?]\??|\{[0-9]*,?[0-9]*\}\??|.",
    re.DOTALL,
)
_LONGEST: Final = 500
#: Unlimited repetitions one after the other.
_MOST_REPETITIONS: Final = 2
#: A limited repetition of more than this counts as unlimited.
_SMALL: Final = 16


class ExpressionProblem(Enum):
    """Why a text is not usable as an expression."""

    NOT_ONE = "not one"
    SLOW = "slow"


def has_special_characters(text: str) -> bool:
    """Return whether a text has a character that only expressions have."""
    return not _SPECIAL.isdisjoint(text)


def read_expression(text: str) -> re.Pattern[str] | ExpressionProblem:
    r"""
    Return a compiled expression, or why it is none.

    >>> read_expression("^team-.*$").search("team-a") is not None
    True
    >>> read_expression("(a+)+$"), read_expression("*")
    (<ExpressionProblem.SLOW: 'slow'>, <ExpressionProblem.NOT_ONE: 'not one'>)
    """
    if len(text) > _LONGEST:
        return ExpressionProblem.SLOW
    if _NOT_GO.search(text):
        return ExpressionProblem.NOT_ONE
    translated = text.replace(r"\z", r"\Z")
    for name, characters in _CLASSES.items():
        translated = translated.replace(name, characters)
    try:
        compiled = re.compile(translated, re.ASCII)
    except (re.error, OverflowError, RecursionError):
        return ExpressionProblem.NOT_ONE
    return ExpressionProblem.SLOW if _is_slow(translated) else compiled


def _is_slow(text: str) -> bool:
    """
    Return whether matching may take longer than a small power of the length of a name.

    Only the nesting and number of repetitions count, so that some fast expressions are refused.
    """
    # Per open group: the repetitions in its present branch, and the most of its earlier ones.
    groups: list[list[int]] = [[0, 0]]
    closed = 0
    was_group = False
    for found in _PIECE.finditer(text):
        piece = found.group()
        if piece.startswith("("):
            groups.append([0, 0])
            was_group = False
            continue
        if piece == "|":
            groups[-1] = [0, max(groups[-1])]
        elif piece == ")":
            closed = max(groups.pop())
            groups[-1][0] += closed
            was_group = True
            continue
        elif _repeats(piece):
            if was_group and closed:
                return True
            groups[-1][0] += 1
        if max(groups[-1]) > _MOST_REPETITIONS:
            return True
        was_group = False
    return max(groups[0]) > _MOST_REPETITIONS


def _repeats(piece: str) -> bool:
    """Return whether a piece repeats what is before it without a small limit."""
    if piece[0] in "*+":
        return True
    if piece[0] != "{" or len(piece) < len("{1}"):
        return False
    numbers = piece.rstrip("?")[1:-1].split(",")
    return not numbers[-1] or int(numbers[-1][:6]) > _SMALL
