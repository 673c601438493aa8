"""Quota use of a run: from each decision until the end of the workload is processed."""

from __future__ import annotations

import pytest

from console.bench.workload_tracker import InvariantViolation
from console.trial.quota_usage import QuotaUsageLog


def at(second: float) -> str:
    return f"2026-01-31T12:00:{second:09.6f}Z"


def test_usage_of_runs_adds_up() -> None:
    held = QuotaUsageLog()
    held.admitted("a", 2, at(0))
    held.admitted("b", 5, at(1))
    held.admitted("a", 2, at(7.5))
    # Releases are ordered newest first, as in the lists of the API.
    releases = [("b", at(9)), ("a", at(3))]
    held.admitted("b", 5, at(10))
    assert held.amount_seconds({"a": at(8), "b": at(10.25)}, releases) == pytest.approx(
        2 * (3 + 0.5) + 5 * (8 + 0.25)
    )


def test_unmatched_ends_are_refused() -> None:
    held = QuotaUsageLog()
    held.admitted("a", 1, at(0))
    with pytest.raises(
        InvariantViolation, match=r"^a was admitted 1 times, and its runs ended 2 times\.$"
    ):
        held.amount_seconds({"a": at(2)}, [("a", at(1))])
    with pytest.raises(
        InvariantViolation, match=r"^a was admitted 1 times, and its runs ended 0 times\.$"
    ):
        held.amount_seconds({}, [])
