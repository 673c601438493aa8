"""Wording of messages: lists, starts of sentences, and shortened or quoted texts."""

from __future__ import annotations

from collections.abc import Iterable


def capitalize(words: str) -> str:
    """Return *words* as the start of a sentence."""
    return words[:1].upper() + words[1:]


def listed(words: Iterable[str], joint: str = "or") -> str:
    """
    Return words as a list in a sentence.

    >>> listed(["never", "lower_priority", "any"])
    'never, lower_priority or any'
    """
    *head, last = words
    return f"{', '.join(head)} {joint} {last}" if head else last


def shorten(text: str, limit: int = 60) -> str:
    r"""
    Return *text* on one line, shortened to *limit* characters.

    >>> shorten("a\nb")
    'a b'
    """
    line = " ".join(text[: limit * 4].split())
    return line if len(line) <= limit and len(text) <= limit * 4 else f"{line[: limit - 1]}…"


def quote(text: str, limit: int = 60) -> str:
    r"""
    Return *text* in quotes with special characters escaped, so that white space is visible.

    >>> print(quote(" 5"), quote("5\t"), quote("5\u2003"))
    " 5" "5\t" "5\u2003"
    """
    shown = text if len(text) <= limit else f"{text[: limit - 1]}…"
    return '"' + "".join(_visible(character) for character in shown) + '"'


def _visible(character: str) -> str:
    if character == " " or character.isprintable():
        return character
    return character.encode("unicode_escape").decode()
