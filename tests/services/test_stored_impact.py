"""The shapes of a large history that an impact run stores, for lists by runs and by requests."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from console.configs import stored_impact
from console.engine.disciplines.quota.spec import quota_policy
from console.engine.impact import (
    Fit,
    HistoryImpact,
    HistoryOutcome,
    LiveImpact,
    ShapeImpact,
    Standing,
)
from console.engine.model.history import Shape
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.reasons import NO_RULE_MATCHED

_STANDING = Standing(queue=None, rule=None, priority=None, fit=Fit.REJECTED, reason=NO_RULE_MATCHED)


def shape(name: str, runs: int, outcome: HistoryOutcome, **requests: int) -> ShapeImpact:
    """Return a shape with its name as the only label."""
    workload = Workload(
        id=name, sequence=0, labels={"name": name}, pod_sets=(PodSet(requests=requests),)
    )
    return ShapeImpact(
        shape=Shape(workload=workload, runs=runs, last_seen="2026-01-31"),
        outcome=outcome,
        before=_STANDING,
        after=_STANDING,
    )


def stored_names(*shapes: ShapeImpact) -> tuple[list[str], list[str]]:
    """Return the names of the stored shapes, and the resources to sort them by."""
    history = stored_impact.impact_to_json(
        LiveImpact(running=0, pending=0),
        HistoryImpact(window_days=30, is_complete=True, shapes=shapes),
        as_of=datetime(2026, 1, 31, tzinfo=UTC),
        names={},
        before=quota_policy("native"),
        after=quota_policy("native"),
    )["history"]
    return [row["labels"]["name"] for row in history["rows"]], history["resources"]


def test_every_list_begins_with_those_that_belong_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_impact, "LISTED", 2)
    monkeypatch.setattr(stored_impact, "LISTED_BY_RESOURCE", 1)
    moved, rejected = HistoryOutcome.MOVED, HistoryOutcome.REJECTED
    shapes = (
        shape("many", 90, moved, cpu=1),
        shape("more", 80, moved, cpu=1),
        shape("some", 70, moved, cpu=2),
        shape("other", 60, rejected, cpu=1),
        # 70 x 2 is more than 3 x 40.
        shape("few", 3, moved, gpu=8, cpu=40),
        shape("fewer", 2, moved, gpu=16),
        shape("fewest", 1, moved, gpu=31),
    )
    assert stored_names(*shapes) == (["many", "more", "some", "other", "fewer"], ["cpu", "gpu"])


def test_there_are_few_resources_to_sort_by(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_impact, "RESOURCES", 1)
    one = shape("one", 1, HistoryOutcome.MOVED, gpu=1)
    two = shape("two", 1, HistoryOutcome.MOVED, gpu=1, tpu=1)
    assert stored_names(one, two) == (["one", "two"], ["gpu"])
    assert stored_names(shape("nothing", 1, HistoryOutcome.MOVED)) == (["nothing"], [])
