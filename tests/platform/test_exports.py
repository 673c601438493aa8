"""Exports of lists: no formulas in cells, one row per line, and constant memory."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc
from collections.abc import Iterator

import pytest
from django.http import QueryDict

from console.errors import BadRequest
from console.expensive import Kind, take_place
from console.exports import csv_of, export_answer, ndjson_of, requested_format

#: Cells that spreadsheets would evaluate, and cells that they would not.
ROWS = [
    {"name": '=HYPERLINK("x")', "count": -5, "data": {"a": [1, None]}, "left": "out"},
    {"name": "+1", "count": 0, "data": None},
    {"name": "-1", "count": 1.5, "data": [], "extra": 1},
    {"name": "@x", "count": None, "data": True},
    {"name": "\tx", "count": 1, "data": {}},
    {"name": "\uff1d1+1", "count": 1, "data": {}},
    {"name": 'a,"b"\nc', "count": 1, "data": "é"},
    {"name": "a;=1+1;b", "count": 1, "data": {"a": "b;  @x"}},
    {"name": 'a\n=1+1\r\n"+1"\n-1\t@x', "count": 1, "data": "a; b=1, -1"},
]


def test_a_csv_has_the_columns_and_no_formula() -> None:
    text = b"".join(csv_of(("name", "count", "data"), ROWS)).decode()
    assert list(csv.reader(io.StringIO(text, newline=""))) == [
        ["name", "count", "data"],
        ['\'=HYPERLINK("x")', "-5", '{"a": [1, null]}'],
        ["'+1", "0", ""],
        ["'-1", "1.5", "[]"],
        ["'@x", "", "true"],
        ["'\tx", "1", "{}"],
        ["'\uff1d1+1", "1", "{}"],
        ['a,"b"\nc', "1", "é"],
        ["a;'=1+1;b", "1", '{"a": "b;  \'@x"}'],
        ["a\n'=1+1\r\n\"'+1\"\n'-1\t'@x", "1", "a; b=1, -1"],
    ]


def test_ndjson_has_one_row_per_line() -> None:
    text = b"".join(ndjson_of(ROWS)).decode()
    assert [json.loads(line) for line in text.splitlines()] == ROWS


def test_export_has_a_file_name_and_is_not_cached() -> None:
    place = take_place(Kind.EXPORT, 1, "user:1")
    answer = export_answer(place, "csv", "here-events", ("name",), [])
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="here-events-2')
    assert answer.headers["Content-Disposition"].endswith('.csv"')
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert b"".join(answer.streaming_content) == b"name\r\n"  # type: ignore[arg-type]


def test_an_unknown_format_is_refused() -> None:
    assert requested_format(QueryDict("as=csv")) == "csv"
    assert requested_format(QueryDict("type=x")) is None
    with pytest.raises(BadRequest) as caught:
        requested_format(QueryDict("as=xlsx"))
    (error,) = caught.value.errors
    assert (error.path, error.message) == ("as", "as has to be one of: csv, ndjson.")


@pytest.mark.parametrize("write", [ndjson_of, lambda rows: csv_of(("name", "data"), rows)])
def test_many_rows_take_no_more_memory_than_a_block(write) -> None:
    def rows() -> Iterator[dict]:
        for number in range(20_000):
            yield {"name": f"workload-{number}", "data": {"reason": "x" * 100}}

    tracemalloc.start()
    try:
        written = sum(len(block) for block in write(rows()))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert written > 2_000_000
    assert peak < 300_000
