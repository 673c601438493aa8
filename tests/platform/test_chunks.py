"""Splitting of long lists into chunks for single SQL statements."""

from __future__ import annotations

from itertools import count, islice

import pytest

from console.chunks import SIZE, chunks


@pytest.mark.parametrize(
    ("values", "parts"),
    [
        ([], []),
        ([1], [[1]]),
        ([1, 2], [[1, 2]]),
        ([1, 2, 3], [[1, 2], [3]]),
        ([1, 2, 3, 4], [[1, 2], [3, 4]]),
    ],
)
def test_every_value_is_in_one_chunk(values: list[int], parts: list[list[int]]) -> None:
    assert list(chunks(values, 2)) == parts


def test_chunk_stays_below_the_999_parameters_of_sqlite() -> None:
    assert [len(part) for part in chunks(range(1_200))] == [SIZE, SIZE, 200]
    assert SIZE <= 999 / 2 + 1


def test_endless_iterator_is_read_one_chunk_ahead() -> None:
    numbers = count()
    assert list(islice(chunks(numbers, 3), 2)) == [[0, 1, 2], [3, 4, 5]]
    assert next(numbers) == 6
