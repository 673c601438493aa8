"""Suggestions for missing local queues and priority classes, among thousands of names."""

from __future__ import annotations

import pytest

from console.engine.disciplines.quota.spec import QueueSpec
from console.engine.model.trace import LocalQueueVerdict
from console.engine.routing.local_queues import (
    MOST_NEIGHBORS,
    LocalQueue,
    LocalQueueRouting,
    PriorityClass,
    follow_local_queue,
)
from console.engine.wording import suggest

MANY = 5_000


def routing() -> LocalQueueRouting:
    """Return a routing with MANY local queues in a namespace, and MANY priority classes."""
    local_queues = [
        LocalQueue(namespace="ml", name=f"team-{number:05}", queue="train")
        for number in range(0, 2 * MANY, 2)
    ]
    classes = [PriorityClass(name=f"class-{number:05}", value=number) for number in range(MANY)]
    return LocalQueueRouting(
        local_queues={
            (local_queue.namespace, local_queue.name): local_queue for local_queue in local_queues
        },
        priority_classes={each.name: each for each in classes},
    )


@pytest.mark.parametrize(
    ("labels", "verdict", "nearest"),
    [
        ({"queue": "team-04217"}, LocalQueueVerdict.MISSING, "team-04210"),
        ({"queue": "elsewhere"}, LocalQueueVerdict.MISSING, None),
        (
            {"queue": "team-04216", "class": "class-0421"},
            LocalQueueVerdict.PRIORITY_CLASS_MISSING,
            "class-04121",
        ),
    ],
)
def test_a_few_names_are_compared_however_many_there_are(
    labels: dict[str, str],
    verdict: LocalQueueVerdict,
    nearest: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compared: list[str] = []
    distance = suggest.edit_distance

    def count(a: str, b: str, limit: int) -> int:
        compared.append(b)
        return distance(a, b, limit)

    monkeypatch.setattr(suggest, "edit_distance", count)
    known = routing()
    given = {known.queue_label: labels["queue"]}
    if "class" in labels:
        given[known.priority_label] = labels["class"]
    queues = {"train": QueueSpec(name="train")}
    for _ in range(3):
        found = follow_local_queue(known, queues, labels=given, namespace="ml", requested=None)
        assert (found.step.verdict, found.step.nearest) == (verdict, nearest)
    # Equal mistakes share one search.
    assert 0 < len(compared) <= 2 * MOST_NEIGHBORS


@pytest.mark.parametrize(
    ("before", "after", "distance"),
    [
        ("reserach", "research", 1),
        ("researc", "research", 1),
        ("researchh", "research", 1),
        ("rosearch", "research", 1),
        ("research", "research", 0),
        ("ml", "eval", 2),
        ("ab", "ba", 1),
        ("abc", "cba", 2),
        ("", "a", 1),
    ],
)
def test_the_distance_counts_letters_up_to_its_limit(
    before: str, after: str, distance: int
) -> None:
    assert suggest.edit_distance(before, after, 2) == distance
    assert suggest.edit_distance(after, before, 2) == distance
