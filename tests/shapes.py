"""
Records the SQL shapes that each test sends, and selects few tests that cover all shapes.

make shapes

A shape is a statement without its values: numbers, texts, names of savepoints, and lengths of
lists. As a pytest plugin (`-p tests.shapes`) this module writes the shapes of each test to the
folder that `SHAPES` names, one file per process. As a program it reads these files and writes
what `make test` runs on PostgreSQL: `REDUNDANT`, the tests of `FOLDERS` that it leaves out, and
`CHOSEN`, tests of other folders that it adds. A test of `FOLDERS` that is in no list runs, so that
new tests run on PostgreSQL. Tests that depend on the database itself are never redundant: those
that commit, such as races between connections, those that SQLite skips, and those with the mark
`every_database`, whose results depend on values, such as integers beyond 64 bits.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from _pytest.skipping import evaluate_skip_marks
from django.db.backends.utils import CursorWrapper

#: Folders whose tests run on PostgreSQL unless they are redundant: use cases, races and locks.
FOLDERS = ("tests/services/", "tests/tasks/")

#: The tests of `FOLDERS` whose shapes are all sent by other tests of these folders, one pytest id
#: per line.
REDUNDANT = Path(__file__).parent / "postgres_redundant.txt"

#: The selected tests of other folders.
CHOSEN = Path(__file__).parent / "postgres_tests.txt"

_WORDS = (
    (re.compile(r"\s+"), " "),
    # Names of savepoints, prepared cursors and temporary tables contain a number.
    (re.compile(r'"s\d+_x\d+"|"_django_curs_\w+"'), '"name"'),
    (re.compile(r"'(?:[^']|'')*'"), "'text'"),
    (re.compile(r"(?<![\w\"$])-?\d+(?:\.\d+)?\b"), "0"),
    # Lists of values or rows have the same shape for any length.
    (re.compile(r"\((?:%s|0|'text')(?:, (?:%s|0|'text'))+\)"), "(%s, ...)"),
    (re.compile(r"(\([^()]*\))(?:, \1)+"), r"\1, ..."),
)


def shape_of(statement: str) -> str:
    """Return *statement* without its values."""
    for pattern, replacement in _WORDS:
        statement = pattern.sub(replacement, statement)
    return statement.strip()


@dataclass(slots=True)
class Record:
    """Shapes and duration of one test, and whether it is needed for other reasons."""

    shapes: set[str] = field(default_factory=set)
    always: bool = False
    #: Seconds of its setup, its call and its teardown.
    seconds: float = 0.0


class _Recorder:
    """Records the statements of each test: setup, call and teardown."""

    def __init__(self) -> None:
        self._records: defaultdict[str, Record] = defaultdict(Record)
        self._now = Record()
        self._known: dict[str, str] = {}

    def note(self, statement: Any) -> None:
        """Record a statement for the current test."""
        text = statement if isinstance(statement, str) else str(statement)
        shape = self._known.get(text)
        if shape is None:
            shape = self._known[text] = shape_of(text)
        self._now.shapes.add(shape)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Record statements for *item* from here on."""
        self._now = self._records[item.nodeid]
        self._now.always = _depends_on_the_database(item)
        began = time.monotonic()
        try:
            return (yield)
        finally:
            self._now.seconds += time.monotonic() - began

    def pytest_sessionfinish(self) -> None:
        """Write the records of this process."""
        if not self._records:
            return
        found = {
            name: {
                "shapes": sorted(record.shapes),
                "always": record.always,
                "seconds": round(record.seconds, 3),
            }
            for name, record in self._records.items()
        }
        path = Path(os.environ["SHAPES"]) / f"{os.getpid()}.json"
        path.write_text(json.dumps(found))


def _depends_on_the_database(item: pytest.Item) -> bool:
    """
    Return whether the test is needed on this database, whatever others send.

    It commits, has the mark `every_database`, or is skipped on another database.
    """
    commits = "transactional_db" in getattr(item, "fixturenames", ()) or any(
        marker.kwargs.get("transaction") for marker in item.iter_markers("django_db")
    )
    is_skipped_elsewhere = evaluate_skip_marks(item) is None and any(item.iter_markers("skipif"))
    return commits or is_skipped_elsewhere or any(item.iter_markers("every_database"))


def pytest_configure(config: pytest.Config) -> None:
    """Wrap the cursors of all connections and threads."""
    recorder = _Recorder()
    config.pluginmanager.register(recorder)
    one, many = CursorWrapper._execute, CursorWrapper._executemany

    def execute(self: CursorWrapper, sql: Any, *rest: Any) -> Any:
        recorder.note(sql)
        return one(self, sql, *rest)

    def execute_many(self: CursorWrapper, sql: Any, *rest: Any) -> Any:
        recorder.note(sql)
        return many(self, sql, *rest)

    CursorWrapper._execute = execute
    CursorWrapper._executemany = execute_many


def cover(records: Mapping[str, Record], sent_anyway: AbstractSet[str] = frozenset()) -> list[str]:
    """
    Return tests that together send all shapes except *sent_anyway*, ordered by id.

    The choice is greedy: each step takes the test with the most missing shapes per second. At the
    end, tests whose shapes are all covered by others are removed.
    """
    missing = set().union(*(record.shapes for record in records.values())) - sent_anyway
    needed = {name: record.shapes & missing for name, record in sorted(records.items())}
    chosen: list[str] = []
    while missing:
        best = max(
            needed, key=lambda name: len(needed[name] & missing) / (records[name].seconds + 0.02)
        )
        chosen.append(best)
        missing -= needed[best]
    sent = Counter(shape for name in chosen for shape in needed[name])
    for name in sorted(chosen, key=lambda each: -records[each].seconds):
        if all(sent[shape] > 1 for shape in needed[name]):
            chosen.remove(name)
            sent.subtract(needed[name])
    return sorted(chosen)


def main(folder: Path) -> None:
    """Select tests from the records in *folder*, write the lists and print a summary."""
    records: dict[str, Record] = {}
    for path in sorted(folder.glob("*.json")):
        for name, found in json.loads(path.read_text()).items():
            records[name] = Record(set(found["shapes"]), found["always"], found["seconds"])
    usual = {name: each for name, each in records.items() if name.startswith(FOLDERS)}
    others = {name: each for name, each in records.items() if name not in usual}
    always = {name for name, each in usual.items() if each.always}
    needed = always.union(cover(usual, _shapes(usual[name] for name in always)))
    chosen = cover(others, _shapes(usual.values()))
    REDUNDANT.write_text("".join(f"{name}\n" for name in sorted(usual.keys() - needed)))
    CHOSEN.write_text("".join(f"{name}\n" for name in chosen))
    print(
        f"{len(_shapes(records.values()))} shapes of statements, "
        f"{len(_shapes(usual.values()))} of them sent by {len(needed)} of {len(usual)} tests of "
        f"services and tasks, {len(always)} of which depend on the database, in "
        f"{_seconds(usual[name] for name in needed)} of {_seconds(usual.values())} s, and the "
        f"others by {len(chosen)} of {len(others)} tests, in "
        f"{_seconds(others[name] for name in chosen)} of {_seconds(others.values())} s."
    )


def _shapes(records: Iterable[Record]) -> set[str]:
    return set().union(*(record.shapes for record in records))


def _seconds(records: Iterable[Record]) -> int:
    return round(sum(record.seconds for record in records))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
