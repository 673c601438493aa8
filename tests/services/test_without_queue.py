"""Pending workloads without a queue: they have no class, and every list shows their reason."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.http import QueryDict

from console.engine.disciplines.quota.reasons import WAITING_FOR_QUOTA
from console.engine.model.common_reasons import NO_FLAVOR_MATCHED, NOT_EVALUATED, QUEUE_STOPPED
from console.engine.model.reasons import Reason
from console.engine.routing.reasons import LOCAL_QUEUE_MISSING, PRIORITY_CLASS_MISSING
from console.orgs.models import Organization
from console.workloads.models import LabelSet, PendingClass, State, Workload
from console.workloads.queries import (
    WorkloadFilter,
    get_workload,
    list_workloads,
    pending_in_order,
    position_of,
    reason_of,
)
from console.workloads.queries import waiting as waiting_module
from console.workloads.queries.waiting import waiting_reasons, waiting_without_queue


@pytest.fixture
def row(org: Organization) -> Callable[..., Workload]:
    """Return a function that writes one workload like the engine does."""
    labels = LabelSet.objects.create(org=org, digest="d", labels={})

    def write(name: str, reason: Reason, **more: object) -> Workload:
        fields = {"state": State.PENDING, "queue": None} | more
        return Workload.objects.create(
            org=org, name=name, type="job", label_set=labels, reason=reason, **fields
        )

    return write


@pytest.fixture
def rows(org: Organization, row: Callable[..., Workload]) -> None:
    for key, reason, queue in (
        ("stopped", QUEUE_STOPPED, "q"),
        ("barred", NO_FLAVOR_MATCHED, "q"),
    ):
        PendingClass.objects.create(
            org=org, key=key, queue=queue, priority=0, requests={}, reason=reason, count=1
        )
    in_queue = {"queue": "q", "priority": -5}
    row("lost-1", LOCAL_QUEUE_MISSING)
    row("lost-2", LOCAL_QUEUE_MISSING)
    row("no class", PRIORITY_CLASS_MISSING)
    row("local stop", QUEUE_STOPPED)
    # The class now has another reason than the workload's last decision.
    row("stop", WAITING_FOR_QUOTA, pending_class="stopped", **in_queue)
    row("barred", WAITING_FOR_QUOTA, pending_class="barred", **in_queue)
    row("rejected", NO_FLAVOR_MATCHED, state=State.REJECTED, **in_queue)
    row("new", NOT_EVALUATED)


def found(org: Organization, query: str) -> list[str]:
    conditions = WorkloadFilter.from_query(QueryDict(query))
    return [workload.name for workload in list_workloads(org, conditions, 50).results]


def test_reasons_are_found_where_they_are_kept(org: Organization, rows: None) -> None:
    assert found(org, "reason=local_queue_missing") == ["lost-2", "lost-1"]
    assert found(org, "reason=local_queue_missing&state=pending") == ["lost-2", "lost-1"]
    assert found(org, "reason=local_queue_missing&state=admitted") == []
    assert found(org, "reason=priority_class_missing") == ["no class"]
    assert found(org, "reason=queue_stopped") == ["stop", "local stop"]
    assert found(org, "reason=queue_stopped&queue=q") == ["stop"]
    assert found(org, "reason=queue_stopped&state=rejected") == []
    assert found(org, "reason=no_flavor_matched") == ["rejected", "barred"]
    assert found(org, "reason=no_flavor_matched&state=pending") == ["barred"]
    assert found(org, "reason=no_flavor_matched&state=rejected") == ["rejected"]
    assert found(org, "reason=waiting_for_quota") == []
    assert found(org, "reason=not_evaluated") == ["new"]


def test_one_has_a_reason_and_no_position(org: Organization, rows: None) -> None:
    lost = get_workload(org, Workload.objects.get(name="lost-1").uid)
    assert (reason_of(lost), position_of(lost)) == (LOCAL_QUEUE_MISSING, None)
    assert reason_of(Workload.objects.get(name="local stop")) == QUEUE_STOPPED


def test_they_are_counted_apart_and_up_to_a_bound(
    org: Organization, rows: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert waiting_reasons(org) == {"no_flavor_matched": 1, "queue_stopped": 1}
    assert waiting_without_queue(org) == {
        "local_queue_missing": 2,
        "priority_class_missing": 1,
        "queue_stopped": 1,
        "not_evaluated": 1,
    }
    monkeypatch.setattr(waiting_module, "MOST_WITHOUT_QUEUE", 2)
    assert waiting_without_queue(org) == {"not_evaluated": 1, "queue_stopped": 1}


@pytest.mark.every_database
def test_a_queue_pages_through_priorities_below_zero(
    org: Organization, row: Callable[..., Workload]
) -> None:
    for number, priority in enumerate((-(2**31), -1, 0, 7, -1)):
        row(f"w{number}", WAITING_FOR_QUOTA, queue="q", priority=priority)
    names, cursor = [], None
    for _ in range(5):
        page = pending_in_order(org, "q", 1, cursor)
        names += [workload.name for workload in page.results]
        cursor = page.next
    assert (names, cursor) == (["w3", "w2", "w1", "w4", "w0"], None)
