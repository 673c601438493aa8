"""Parsing of query parameters, and the messages about wrong values."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import urlencode

import pytest
from django.http import QueryDict

from console.errors import BadRequest
from console.reading import QueryReader


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-31", datetime(2026, 2, 1, tzinfo=UTC)),
        ("20260131", datetime(2026, 2, 1, tzinfo=UTC)),
        ("2026-01-31T00:00", datetime(2026, 1, 31, tzinfo=UTC)),
        ("2026-01-31T12", datetime(2026, 1, 31, 12, tzinfo=UTC)),
        ("2026-01-31T12:00:00+02:00", datetime(2026, 1, 31, 10, tzinfo=UTC)),
        ("2026-01-31T12:00:00 02:00", datetime(2026, 1, 31, 10, tzinfo=UTC)),
    ],
)
def test_the_end_of_a_day_is_the_beginning_of_the_next(text: str, moment: datetime) -> None:
    reader = QueryReader(QueryDict(urlencode({"until": text})))
    assert reader.end("until") == moment
    reader.finish()


@pytest.mark.parametrize("text", ["9223372036854775808", "0" * 20 + "9" * 30, "9" * 500, "1e3"])
def test_impossible_keys_are_refused(text: str) -> None:
    reader = QueryReader(QueryDict(urlencode({"config": text})))
    assert reader.number("config") is None
    with pytest.raises(BadRequest) as caught:
        reader.finish()
    assert [(error.path, error.code) for error in caught.value.errors] == [
        ("config", "invalid_number")
    ]


def test_key_with_leading_zeros_is_read() -> None:
    reader = QueryReader(QueryDict(urlencode({"config": "0" * 30 + "7"})))
    assert reader.number("config") == 7
    reader.finish()


def test_all_errors_are_reported_together() -> None:
    reader = QueryReader(QueryDict("limit=x&since=yesterday&sort=up&flag=maybe&label.=1&q=%00"))
    read = (
        reader.number("limit"),
        reader.time("since"),
        reader.choice("sort", ("name", "age")),
        reader.flag("flag", default=True),
        reader.labels(),
        reader.text("q"),
        reader.end("until"),
    )
    assert read == (None, None, None, True, {}, None, None)
    with pytest.raises(BadRequest) as caught:
        reader.finish()
    assert [(error.path, error.code) for error in caught.value.errors] == [
        ("limit", "invalid_number"),
        ("since", "invalid_time"),
        ("sort", "invalid_choice"),
        ("flag", "invalid_choice"),
        ("label.", "invalid_label"),
        ("q", "invalid_text"),
    ]
