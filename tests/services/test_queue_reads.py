"""Queries of queue pages: the capacity line, pending by reason, running by size, pressure, hits."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from django.utils import timezone

from console.configs.queue_log import queue_log
from console.configs.services.apply_config import apply_config
from console.engine.disciplines.quota.nominate import nominate
from console.engine.disciplines.quota.reasons import WAITING_FOR_QUOTA
from console.engine.disciplines.quota.spec import spec_of
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.policies.queries import active_policy
from console.policies.renames import new_name_of
from console.workloads.models import PendingClass, State, Workload
from console.workloads.queries import pending, queue_view
from console.workloads.queries.pending import capacity_end, pending_for_reason, place_of
from console.workloads.queries.pressure import pressure_of, utilization_of
from console.workloads.queries.recent_history import forget_histories
from console.workloads.queries.rule_hits import rule_hits
from console.workloads.queries.running import running_by_size
from console.workloads.services.end_workloads import finish_workloads
from console.workloads.services.load_state import load_state
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions

KUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: spot}
"""
QUEUE = """\
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {{name: {name}}}
spec:
  cohort: all
  queueingStrategy: {strategy}
  namespaceSelector: {{}}
  preemption: {{withinClusterQueue: {within}, reclaimWithinCohort: {reclaim}}}
  resourceGroups:
  - coveredResources: [gpu]
    flavors:
    - name: spot
      resources: [{{name: gpu, nominalQuota: {nominal}}}]
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {{name: door, namespace: {name}}}
spec: {{clusterQueue: {name}}}
"""
NATIVE = """\
resource_flavors:
  - name: spot
    selector: [{ key: team, operator: exists }]
resource_queues:
  - name: q
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - name: spot
            resources: [{ name: gpu, nominal_quota: 8 }]
scheduling_rules:
  - selector: [{ key: team, operator: in, values: [a] }]
    resource_queue: q
  - selector: [{ key: team, operator: exists }]
    resource_queue: q
"""

Settle = Callable[[Organization], int]


def kueue_work(queue: str, gpu: int, **more: object) -> dict[str, object]:
    tags = {"kueue.x-k8s.io/queue-name": "door"}
    return {"name": "w", "namespace": queue, "tags": tags, "requests": {"gpu": gpu}, **more}


def native_work(name: str, gpu: int, team: str = "a", **more: object) -> dict[str, object]:
    return {"name": name, "tags": {"team": team}, "requests": {"gpu": gpu}, **more}


def submit(owner: Actor, settle: Settle, *workloads: dict[str, object]) -> list[Workload]:
    made = submit_workloads(owner, read_submissions(list(workloads)))
    settle(owner.org)
    return made


@pytest.fixture
def native(owner: Actor, settle: Settle) -> None:
    apply_config(owner, "native", NATIVE, "", 0)
    settle(owner.org)


@pytest.mark.parametrize("seed", range(8))
def test_the_capacity_ends_where_the_engine_has_no_room(
    seed: int, owner: Actor, settle: Settle
) -> None:
    chance = random.Random(seed)
    queues = ["a", "b", "c"]
    text = KUEUE + "".join(
        QUEUE.format(
            name=name,
            nominal=chance.randint(2, 9),
            strategy=chance.choice(["BestEffortFIFO", "StrictFIFO"]),
            within=chance.choice(["Never", "LowerPriority"]),
            reclaim=chance.choice(["Never", "Any", "LowerPriority"]),
        )
        for name in queues
    )
    apply_config(owner, "kueue", text, "", 0)
    for _ in range(6):
        made = submit(
            owner,
            settle,
            *(
                kueue_work(chance.choice(queues), chance.randint(1, 7))
                for _ in range(chance.randint(1, 8))
            ),
        )
        admitted = Workload.objects.filter(state=State.ADMITTED).values_list("uid", flat=True)
        if admitted and chance.random() < 0.5:
            finish_workloads(owner, [chance.choice(list(admitted))])
            settle(owner.org)
        assert made
    ends = 0
    for name in queues:
        ends += _check(owner.org, name)
    assert ends, "no queue of this world lacks quota"


def _check(org: Organization, name: str) -> bool:
    """Compare the capacity line of a queue with the engine; return whether the queue has one."""
    world = load_state(org, 1)
    world.settle()
    state = world.queues[name]
    waiting = Workload.objects.filter(queue=name, state=State.PENDING).order_by("-priority", "pk")
    reasons = dict(PendingClass.objects.filter(org=org).values_list("key", "reason"))
    short = [each for each in waiting if reasons[each.pending_class or ""] == WAITING_FOR_QUOTA]
    end = capacity_end(org, name)
    assert end == (place_of(short[0]) if short else None)
    for each in short:
        # No workload that is reported as short of quota would fit, even alone.
        found = nominate(state, world.pending[each.uid], spec_of(world.policy).settings)
        assert not found.fits, each.uid
    return end is not None


def _waiting(owner: Actor, settle: Settle, counts: dict[tuple[int, int], int]) -> None:
    """Submit *counts* workloads by (gpu, priority) behind one that uses all quota."""
    submit(owner, settle, native_work("holds", 8, priority=99))
    many = [
        native_work(f"{gpu}-{priority}-{i}", gpu, priority=priority)
        for (gpu, priority), count in counts.items()
        for i in range(count)
    ]
    submit(owner, settle, *many)


@pytest.mark.every_database
@pytest.mark.parametrize("few", [2_000, 0])
@pytest.mark.parametrize("looked", [20_000, 3])
def test_pending_workloads_of_one_reason_are_paged_in_order(
    few: int, looked: int, native: None, owner: Actor, settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(pending, "FEW", few)
    monkeypatch.setattr(pending, "MOST_LOOKED", looked)
    _waiting(owner, settle, {(9, 10): 4, (1, 50): 5, (9, 50): 3, (2, 10): 2, (1, 0): 1})
    for reason, gpus in (("exceeds_max_quota", [9]), ("waiting_for_quota", [1, 2])):
        in_order = [
            each.name
            for each in Workload.objects.filter(state="pending").order_by("-priority", "pk")
            if each.requests["gpu"] // 1000 in gpus
        ]
        seen: list[str] = []
        cursor: str | None = ""
        pages = 0
        while cursor is not None:
            page = pending_for_reason(owner.org, "q", reason, 2, cursor)
            seen += [each.name for each in page.results]
            cursor = page.next
            pages += 1
        assert seen == in_order
        assert pages <= len(in_order) + 6
    assert pending_for_reason(owner.org, "q", "queue_held", 2).results == []


def test_running_workloads_are_sorted_by_their_requests(
    native: None, owner: Actor, settle: Settle
) -> None:
    asked = [("a", 1), ("b", 3), ("c", 1), ("none", 0), ("d", 2)]
    submit(owner, settle, *(native_work(name, gpu) for name, gpu in asked))
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = running_by_size(owner.org, "q", "gpu", 2, cursor)
        seen += [each.name for each in page.results]
        cursor = page.next
    assert seen == ["b", "d", "c", "a", "none"]
    # For a resource that none requests, the newest come first.
    assert [each.name for each in running_by_size(owner.org, "q", "tpu", 9).results] == [
        name for name, _ in reversed(asked)
    ]


def test_pressure_is_what_is_wanted_by_what_is_free(
    native: None, owner: Actor, settle: Settle
) -> None:
    assert pressure_of(queue_view(owner.org, "q").usages).wanted == 0
    submit(owner, settle, native_work("runs", 6), native_work("waits", 5))
    view = queue_view(owner.org, "q")
    pressure = view.pressure
    assert (pressure.resource, pressure.wanted, pressure.free) == ("gpu", 5000, 2000)
    assert (pressure.ratio, pressure.is_exhausted) == (2.5, False)
    assert utilization_of(view.usages) == 0.75
    submit(owner, settle, native_work("fills", 2))
    full = queue_view(owner.org, "q").pressure
    assert (full.is_exhausted, full.ratio) == (True, 0.625)
    # A full queue with any demand has more pressure than all others.
    assert full.rank > pressure.rank
    assert dict(view.reasons) == {"waiting_for_quota": 1}


def test_hits_of_rules_are_counted_with_their_last_day(
    native: None, owner: Actor, settle: Settle
) -> None:
    forget_histories()
    submit(owner, settle, native_work("x", 1), native_work("y", 1), native_work("z", 1, team="b"))
    hits = rule_hits(owner.org, active_policy(owner.org))
    today = timezone.now().date().isoformat()
    assert {rule: (hit.runs, hit.last_seen) for rule, hit in hits.rules.items()} == {
        0: (2, today),
        1: (1, today),
    }
    assert hits.is_complete
    forget_histories()


def test_hits_of_a_default_local_queue_have_what_names_none(owner: Actor, settle: Settle) -> None:
    forget_histories()
    text = KUEUE + QUEUE.format(
        name="a", strategy="BestEffortFIFO", within="Never", reclaim="Never", nominal=9
    )
    text += """\
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: default, namespace: a}
spec: {clusterQueue: a}
"""
    apply_config(owner, "kueue", text, "", 0)
    unnamed = kueue_work("a", 1, tags={})
    made = submit(owner, settle, kueue_work("a", 1), unnamed, {**unnamed, "namespace": "b"})
    states = Workload.objects.filter(pk__in=[each.pk for each in made]).order_by("pk")
    assert [(each.queue, each.state) for each in states] == [
        ("a", State.ADMITTED),
        ("a", State.ADMITTED),
        (None, State.PENDING),
    ]
    hits = rule_hits(owner.org, active_policy(owner.org))
    assert {local_queue: hit.runs for local_queue, hit in hits.local_queues.items()} == {
        ("a", "door"): 1,
        ("a", "default"): 1,
    }
    forget_histories()


def test_a_name_leads_through_all_its_renames(native: None, owner: Actor) -> None:
    org = owner.org

    def apply(name: str, base: int) -> None:
        text = NATIVE.replace("name: q\n", f"name: {name}\n")
        text = text.replace("resource_queue: q\n", f"resource_queue: {name}\n")
        apply_config(owner, "native", text, "", base)

    apply("r", 1)
    apply("s", 2)
    assert new_name_of(org, "q") == ("s", 3)
    assert new_name_of(org, "r") == ("s", 3)
    assert new_name_of(org, "s") is None
    assert new_name_of(org, "nothing") is None
    apply("q", 3)
    assert new_name_of(org, "s") == ("q", 4)
    # In a cycle of renames every name leads to the newest.
    assert new_name_of(org, "q") == ("q", 4)
    log = queue_log(org, "q", 10)
    assert [version.number for version in log.page.results] == [4, 3, 2, 1]
    assert log.old_names == ("s", "r")
    assert all(log.changes.values())
    first, rest = queue_log(org, "q", 2), queue_log(org, "q", 2, "3")
    assert [version.number for version in first.page.results] == [4, 3]
    assert first.page.next == "3"
    assert [version.number for version in rest.page.results] == [2, 1]
