"""The pause of live pages between renderings."""

from __future__ import annotations

import pytest

from console.pages import poll_interval as pace


@pytest.mark.parametrize(
    ("took", "worked", "rest"),
    [
        (10, 10, 2_000),
        (30, 30, 3_000),
        # The same amount of work with longer and longer waits.
        (25, 20, 3_125),
        (30, 20, 4_500),
        (40, 20, 8_000),
        (60, 20, 10_000),
        (500, 500, 10_000),
        # Durations below the resolution of the clocks.
        (0, 0, 2_000),
        (1, 1.5, 2_000),
    ],
)
def test_a_page_rests_longer_the_more_work_it_is_and_the_longer_it_waits(
    took: float, worked: float, rest: int
) -> None:
    assert pace.reuse_time(took, worked) == rest
