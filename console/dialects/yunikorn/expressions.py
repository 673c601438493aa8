"""Regular expressions of filters: those of Go, in time that grows with the length of a name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final, Protocol

import re2

#: A single name with one of these may be an expression.
_SPECIAL: Final = frozenset("^$*+?()[{}|")
#: The pieces of an expression; the named ones are of RE2 and not of Go: ``\C``, and names of groups
#: with other letters than ASCII.
_PIECE: Final = re.compile(
    r"\\Q.*?(?:\\E|\Z)|(?P<byte>\\C)|\\."
    r"|\[\^?\]?(?:\[:[^\]]*:\]|\\.|[^\]\\])*\]"
    r"|(?P<name>\(\?P?<[^>]*[^\x00-\x7f>])",
    re.DOTALL,
)
#: Repetitions are written out while an expression is read, so that its text has a limit too.
_LONGEST: Final = 10_000
#: Expressions that are kept ready to search. Each takes no more than the memory below, in bytes.
_KEPT: Final = 500
_MOST_MEMORY: Final = 2**18


def _options() -> re2.Options:
    options = re2.Options()
    options.max_mem = _MOST_MEMORY
    options.log_errors = False
    # Only whether a name matches is asked, not where.
    options.never_capture = True
    return options


_OPTIONS: Final = _options()


class ExpressionProblem(Enum):
    """Why a text is not usable as an expression."""

    NOT_ONE = "not one"
    #: Go reads it, and it needs more memory than an expression may have here.
    LARGE = "large"


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression that can be read."""

    text: str

    def finds(self, name: str) -> bool:
        """Return whether a part of *name* matches."""
        return _searcher(self.text).search(_encoded(name)) is not None


class _Searcher(Protocol):
    """A compiled expression of RE2, which has no types."""

    def search(self, text: bytes) -> object | None:
        """Return the first match, or None."""


def has_special_characters(text: str) -> bool:
    """Return whether a text has a character that only expressions have."""
    return not _SPECIAL.isdisjoint(text)


def read_expression(text: str) -> Expression | ExpressionProblem:
    r"""
    Return an expression, or why a text is none.

    >>> read_expression("^team-.*$").finds("team-a"), read_expression(r"^(a+)+\z").finds("aab")
    (True, False)
    >>> read_expression("*"), read_expression(r"\pL{1000}")
    (<ExpressionProblem.NOT_ONE: 'not one'>, <ExpressionProblem.LARGE: 'large'>)
    """
    if len(text) > _LONGEST:
        return ExpressionProblem.LARGE
    if any(piece["byte"] or piece["name"] for piece in _PIECE.finditer(text)):
        return ExpressionProblem.NOT_ONE
    try:
        _searcher(text)
    except re2.error as error:
        is_large = b"too large" in error.args[0]
        return ExpressionProblem.LARGE if is_large else ExpressionProblem.NOT_ONE
    return Expression(text)


@lru_cache(maxsize=_KEPT)
def _searcher(text: str) -> _Searcher:
    found: _Searcher = re2.compile(_encoded(text), _OPTIONS)
    return found


def _encoded(text: str) -> bytes:
    """Return the bytes of a text; a surrogate, which no name has, stays one and matches nothing."""
    return text.encode("utf-8", "surrogatepass")
