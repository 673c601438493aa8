"""How long live pages rest."""

from __future__ import annotations

import pytest

from console.pages import pace


@pytest.mark.parametrize(
    ("took", "busy", "rest"),
    [
        (10, 0, 2_000),
        (60, 0, 3_000),
        (20, 0.5, 4_000),
        (40, 0.5, 8_000),
        (40, 0.9, 10_000),
        (40, 1.2, 10_000),
        (500, 0, 10_000),
    ],
)
def test_a_page_rests_longer_the_slower_it_is_and_the_busier_the_process(
    took: float, busy: float, rest: int
) -> None:
    assert pace.rest_of(took, busy) == rest


def test_how_busy_a_process_is_shows_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "_looks", [])
    now, used = [100.0], [7.0]
    monkeypatch.setattr(pace.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(pace.time, "process_time", lambda: used[0])
    shares = []
    for seconds, share in [(0.0, 0.0), (1.0, 0.8), (1.0, 0.8), (2.0, 0.2), (2.0, 0.2), (2.0, 0.6)]:
        now[0] += seconds
        used[0] += seconds * share
        shares.append(round(pace.busy_share(), 3))
    assert shares == [0.0, 0.0, 0.8, 0.2, 0.2, 0.6]
