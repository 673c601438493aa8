"""
Reproducible mutations of valid documents of each dialect.

``python -m tests.dialects.mutations 10000`` reads that many per dialect and prints the slowest.
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from console.dialects import dialects
from console.dialects.base import Dialect
from console.dialects.lints import Checked, Facts, lint
from tests.dialects.lints.marked import marked_documents

_FOLDER = Path(__file__).parent

#: Documents longer than this are used only once in so many cases, because they are slow.
_LONG, _SELDOM = 20_000, 50

_TOKEN = re.compile(r"[\w./-]+")
_SCRAPS = (
    *"{}[]:-,#&*!|>'\"%@`?\t\r\n \0\x07\x85\u2028\ufeff😀\ud800",
    *("---\n", "...\n", "<<: *a", "&a ", "*a", "!!str ", "  - ", "\r\n", "null", "~", "{}", "[]"),
    *("no", "010", "1_000", "12:30", "1e3", ".inf", ".nan", "-1", "0", "0.0001", "9" * 30, "1Ki"),
)


@dataclass(frozen=True, slots=True)
class Mutant:
    """A mutated document, and the facts for its lints."""

    text: str
    facts: Facts

    def check(self, dialect: Dialect) -> Checked:
        """Parse and lint the document, as the editor does after every pause in typing."""
        return lint(dialect, dialect.read(self.text, {}), self.facts)


def mutant(dialect: Dialect, number: int) -> Mutant:
    """Return mutation *number* of a valid document of *dialect*."""
    chance = random.Random(f"{dialect.name}-{number}")
    documents = _valid_documents(dialect.name)
    short = [each for each in documents if len(each.text) < _LONG]
    origin = chance.choice(documents if number % _SELDOM == 0 else short)
    text = origin.text
    for _ in range(chance.randint(1, 4)):
        text = chance.choice(_MUTATIONS)(chance, text)
    return Mutant(text, origin.facts)


@cache
def _valid_documents(name: str) -> list[Mutant]:
    """Return the samples of a dialect, and the marked documents of its tests without errors."""
    dialect = dialects()[name]
    texts = list(dialect.samples().values())
    texts += [path.read_text("utf-8") for path in sorted((_FOLDER / name / "bad").glob("*.yaml"))]
    documents = [Mutant(text, Facts()) for text in texts if dialect.read(text, {}).ok]
    linted = (each for each in marked_documents() if each.dialect is dialect)
    return documents + [Mutant(each.text, each.facts) for each in linted]


def _drop_lines(chance: random.Random, text: str) -> str:
    lines, start, end = _some_lines(chance, text)
    return "".join(lines[:start] + lines[end:])


def _repeat_lines(chance: random.Random, text: str) -> str:
    lines, start, end = _some_lines(chance, text)
    return "".join(lines[:end] + lines[start:end] + lines[end:])


def _move_lines(chance: random.Random, text: str) -> str:
    lines, start, end = _some_lines(chance, text)
    rest = lines[:start] + lines[end:]
    at = chance.randint(0, len(rest))
    return "".join(rest[:at] + lines[start:end] + rest[at:])


def _indent_lines(chance: random.Random, text: str) -> str:
    lines, start, end = _some_lines(chance, text)
    more = chance.choice((-4, -2, -1, 1, 2, 4))
    moved = [" " * more + line if more > 0 else line[-more:] for line in lines[start:end]]
    return "".join(lines[:start] + moved + lines[end:])


def _swap_words(chance: random.Random, text: str) -> str:
    """Replace one word of the text by another one of its words."""
    words = [match.span() for match in _TOKEN.finditer(text)]
    if not words:
        return text
    (start, end), (other, other_end) = chance.choice(words), chance.choice(words)
    return text[:start] + text[other:other_end] + text[end:]


def _misspell(chance: random.Random, text: str) -> str:
    words = [match.span() for match in _TOKEN.finditer(text)]
    if not words:
        return text
    start, end = chance.choice(words)
    at = chance.randint(start, end - 1)
    letter = chance.choice(("", text[at] * 2, text[at].swapcase(), "x", "0"))
    return text[:at] + letter + text[at + 1 :]


def _change_number(chance: random.Random, text: str) -> str:
    numbers = [match.span() for match in re.finditer(r"\d+", text)]
    if not numbers:
        return text
    start, end = chance.choice(numbers)
    new = chance.choice(("0", "-1", "0.5", "1e9", "9" * 20, str(chance.randint(0, 100)), '"8"'))
    return text[:start] + new + text[end:]


def _insert_scrap(chance: random.Random, text: str) -> str:
    at = chance.randint(0, len(text))
    return text[:at] + chance.choice(_SCRAPS) + text[at + chance.choice((0, 0, 1, 8)) :]


def _cut_off(chance: random.Random, text: str) -> str:
    return text[: chance.randint(0, len(text))]


_MUTATIONS: Sequence[Callable[[random.Random, str], str]] = (
    _drop_lines,
    _repeat_lines,
    _move_lines,
    _indent_lines,
    _swap_words,
    _swap_words,
    _misspell,
    _change_number,
    _insert_scrap,
    _cut_off,
)


def _some_lines(chance: random.Random, text: str) -> tuple[list[str], int, int]:
    lines = text.splitlines(keepends=True)
    start = chance.randint(0, len(lines))
    return lines, start, min(len(lines), start + chance.randint(1, 12))


def main(count: int) -> None:
    """Check *count* mutations of every dialect, and print one line for each dialect."""
    for name, dialect in dialects().items():
        slowest, sound, told = 0.0, 0, 0
        for number in range(count):
            each = mutant(dialect, number)
            start = time.perf_counter()
            checked = each.check(dialect)
            slowest = max(slowest, time.perf_counter() - start)
            sound += checked.reading.ok
            told += len(checked.findings)
        sys.stdout.write(
            f"{name}: {count:,} mutations, {sound:,} without errors, {told:,} findings, "
            f"the slowest took {slowest * 1000:.0f} ms\n"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]))
