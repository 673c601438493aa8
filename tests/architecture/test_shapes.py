"""Grouping of SQL statements into shapes, and selection of tests that cover all shapes."""

from __future__ import annotations

import pytest

from tests.shapes import Record, cover, shape_of


@pytest.mark.parametrize(
    ("statement", "shape"),
    [
        (
            'SELECT "a" FROM "b2"  WHERE "c" = 7 LIMIT 21',
            'SELECT "a" FROM "b2" WHERE "c" = 0 LIMIT 0',
        ),
        ("SELECT 1 WHERE x IN (%s, %s, %s)", "SELECT 0 WHERE x IN (%s, ...)"),
        ("SELECT 1 WHERE x IN (%s)", "SELECT 0 WHERE x IN (%s)"),
        (
            "INSERT INTO t (a, b) VALUES (%s, 'it''s'), (%s, 'more')",
            "INSERT INTO t (a, b) VALUES (%s, ...), ...",
        ),
        ('SAVEPOINT "s140_x3"', 'SAVEPOINT "name"'),
        ("SELECT x FROM t FOR UPDATE", "SELECT x FROM t FOR UPDATE"),
    ],
)
def test_a_shape_is_a_statement_without_its_values(statement: str, shape: str) -> None:
    assert shape_of(statement) == shape


def test_cover_returns_a_minimal_set_with_all_shapes() -> None:
    records = {
        "slow": Record({"one", "two", "three"}, seconds=100.0),
        "cheap": Record({"one"}, seconds=0.1),
        "quick": Record({"two", "three"}, seconds=1.0),
        "spare": Record({"two"}, seconds=0.01),
        "known": Record({"four"}, seconds=0.01),
        "silent": Record(set(), seconds=0.0),
    }
    assert cover(records, {"four"}) == ["cheap", "quick"]
