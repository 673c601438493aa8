"""Reconnecting to the broker: pauses between attempts stay short however long it is down."""

from __future__ import annotations

from pathlib import Path

import pytest
from kombu.exceptions import OperationalError
from kombu.utils import functional

from console.celery import app


def test_pauses_between_attempts_stay_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(functional, "sleep", slept.append)
    tried: list[float] = []
    with (
        app.connection_for_read(f"redis+socket://{tmp_path}/nobody.sock") as connection,
        pytest.raises(OperationalError),
    ):
        # Workers and beat connect like this.
        connection.ensure_connection(lambda _, pause: tried.append(pause), 12)
    assert tried == [1, 2, *[3] * 10]
    assert sum(slept) == sum(tried)
