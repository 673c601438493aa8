"""JSON columns of workloads: values of this version and of older ones are read correctly."""

from __future__ import annotations

import pytest

from console.engine.model.preemption_loops import NEVER, is_loop
from console.workloads.stored_texts import stops_of


def test_stops_are_read_as_they_are_kept() -> None:
    assert stops_of("{}") is NEVER
    assert stops_of('{"p": ["a", "b"], "q": ["c"]}') == {"p": ("a", "b"), "q": ("c",)}


@pytest.mark.parametrize(("times", "circles"), [(1, False), (2, True)])
def test_rows_that_say_how_often_alone_keep_what_they_meant(times: int, circles: bool) -> None:
    stops = stops_of(f'{{"p": {times}}}')
    assert is_loop(stops, "p") is circles
