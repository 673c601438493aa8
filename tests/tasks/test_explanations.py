"""Explanations from rows equal those from the whole state, at a cost independent of its size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from console import unions
from console.configs.services.apply_config import apply_config
from console.engine.disciplines.quota.report import LISTED
from console.engine.model.trace import Trace
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.explanations import explain_workload, explain_workloads
from console.workloads.models import Engine, State, Workload
from console.workloads.queries import get_workload, pending_in_order
from console.workloads.services.charged_ledger import ChargedLedger
from console.workloads.services.load_state import load_policy, load_state
from console.workloads.services.load_tree import load_trees
from console.workloads.services.run_engine import forget_states
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission

CONFIG = """
resource_flavors:
  - name: spot
  - name: on-demand
resource_queues:
  - name: train
    preemption: {{within_resource_queue: {preemption}}}
    resource_groups:
      - covered_resources: [gpu, cpu]
        flavors:
          - name: spot
            resources:
              - {{name: gpu, nominal_quota: 40}}
              - {{name: cpu, nominal_quota: 100}}
          - name: on-demand
            resources: [{{name: gpu, nominal_quota: 4}}]
scheduling_rules:
  - resource_queue: train
"""


@pytest.fixture(autouse=True)
def _cold() -> None:
    forget_states()


def crowd(actor: Actor, settle: Callable[[Organization], int], preemption: str) -> None:
    """Submit 44 running and many pending workloads, some with preemption targets, some hopeless."""
    apply_config(actor, "native", CONFIG.format(preemption=preemption), "first", 0)
    for priority, gpu, count in (
        (5, 1, 44),
        (4, 1, 9),
        (5, 3, 3),
        (9, 41, 1),
        (6, 2, 2),
        (8, 6, 1),
    ):
        wanted = [
            Submission(
                name=f"{priority}-{gpu}-{number}",
                type="job",
                priority=priority,
                requests={"gpu": gpu * 1000, "cpu": gpu * 1000},
            )
            for number in range(count)
        ]
        submit_workloads(actor, wanted)
        settle(actor.org)


def without_place(trace: Trace) -> Trace:
    """Return the trace without the position, which rows and the queue count differently."""
    return replace(trace, order=None)


@pytest.mark.parametrize("preemption", ["never", "lower_priority"])
def test_it_equals_the_explanation_from_the_whole_state(
    org: Organization, owner: Actor, settle: Callable[[Organization], int], preemption: str
) -> None:
    crowd(owner, settle, preemption)
    whole = load_state(org, Engine.objects.get(org=org).config_version)
    whole.settle()
    waiting = Workload.objects.filter(org=org, state=State.PENDING)
    assert waiting.count() > 12
    places = {row.uid: row.position for row in pending_in_order(org, "train", 100).results}
    for row in waiting:
        explained = explain_workload(org, get_workload(org, row.uid))
        assert explained.live
        assert without_place(explained.trace) == without_place(whole.explain(row.uid))
        if not row.victims:
            assert explained.trace.order is not None
            assert explained.trace.order.position == places[row.uid]
            runnable = sum(place is not None for place in places.values())
            assert explained.trace.order.pending == runnable
            assert explained.trace.order.cannot_run == len(places) - runnable


def test_it_reads_no_more_when_more_run(
    org: Organization, owner: Actor, settle: Callable[[Organization], int]
) -> None:
    crowd(owner, settle, "lower_priority")
    low = Workload.objects.filter(org=org, state=State.PENDING, priority=4).first()
    assert low is not None
    version = Engine.objects.get(org=org).config_version
    charged = ChargedLedger(org, load_policy(org, version), version=())
    read = load_trees(org, [get_workload(org, low.uid)], version, charged).running
    # No running workload has a lower priority: only stopping ones and a trace's maximum are read.
    stopping = Workload.objects.filter(org=org, state=State.PREEMPTING).count()
    assert len(read) == LISTED + stopping < 44


COHORT = """
resource_flavors: [{name: spot}]
resource_queues:
  - name: train
    cohort_name: ml
    preemption: {within_resource_queue: lower_priority, reclaim_within_cohort: lower_priority}
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: spot, resources: [{name: gpu, nominal_quota: 8}]}]
  - name: batch
    cohort_name: ml
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: spot, resources: [{name: gpu, nominal_quota: 8}]}]
  - name: calm
    cohort_name: ml
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: spot, resources: [{name: gpu, nominal_quota: 8}]}]
scheduling_rules:
  - {resource_queue: train, selector: [{key: to, operator: in, values: [train]}]}
  - {resource_queue: batch, selector: [{key: to, operator: in, values: [batch]}]}
  - {resource_queue: calm}
"""


@pytest.mark.parametrize("lists", [unions.SIZE, 1])
def test_in_a_cohort_it_equals_the_explanation_from_the_whole_state(
    org: Organization,
    owner: Actor,
    settle: Callable[[Organization], int],
    monkeypatch: pytest.MonkeyPatch,
    lists: int,
) -> None:
    # A tree with more queues than one statement reads takes several statements.
    monkeypatch.setattr(unions, "SIZE", lists)
    apply_config(owner, "native", COHORT, "first", 0)
    for to, name, priority, gpu, count in (
        ("batch", "guest", 4, 1, 16),
        ("calm", "calm", 0, 1, 8),
        ("train", "back", 5, 3, 1),
        ("train", "alike", 4, 2, 1),
        ("train", "large", 9, 12, 1),
        ("batch", "more", 7, 1, 1),
    ):
        wanted = [
            Submission(
                name=f"{name}-{number}",
                priority=priority,
                tags={"to": to},
                requests={"gpu": gpu * 1000},
            )
            for number in range(count)
        ]
        submit_workloads(owner, wanted)
        settle(org)
    whole = load_state(org, Engine.objects.get(org=org).config_version)
    whole.settle()
    said = {}
    for row in Workload.objects.filter(org=org, state=State.PENDING):
        explained = explain_workload(org, get_workload(org, row.uid))
        assert explained.live
        assert without_place(explained.trace) == without_place(whole.explain(row.uid))
        said[row.name] = explained.explanation.headline
    nobody = "no workload may be preempted for it."
    assert said == {
        "back-0": "Starting soon in train: 3 workloads are being preempted to free quota.",
        "alike-0": (
            f"Waiting for quota in train: needs 2 GPUs on spot, 0 free now, 2 short; {nobody}"
        ),
        "large-0": (
            f"Waiting for quota in train: needs 12 GPUs on spot, 0 free now, 12 short; {nobody}"
        ),
        "more-0": f"Waiting for quota in batch: needs 1 GPU on spot, 0 free now, 1 short; {nobody}",
    }


def cohorts_of(queues: int, borrowers: int) -> str:
    """Return two cohorts of *queues* queues each, which all may reclaim their quota."""
    preemption = "{within_resource_queue: lower_priority, reclaim_within_cohort: any}"
    lines = ["resource_flavors: [{name: spot}]", "resource_queues:"]
    names = [f"{cohort}-{number}" for cohort in ("a", "b") for number in range(queues)]
    for name in names:
        number = int(name.partition("-")[2])
        nominal = 1 if 0 < number <= borrowers else 4
        lines += [
            f"  - name: {name}",
            f"    cohort_name: {name[0]}",
            f"    preemption: {preemption}",
            "    resource_groups:",
            "      - covered_resources: [gpu]",
            "        flavors:",
            "          - name: spot",
            f"            resources: [{{name: gpu, nominal_quota: {nominal}}}]",
        ]
    lines.append("scheduling_rules:")
    lines += [
        f"  - {{resource_queue: {name}, selector: [{{key: to, operator: in, values: [{name}]}}]}}"
        for name in names
    ]
    return "\n".join(lines)


@pytest.mark.parametrize("together", [False, True])
def test_more_queues_and_more_workloads_take_no_more_statements(
    org: Organization, owner: Actor, settle: Callable[[Organization], int], *, together: bool
) -> None:
    statements = []
    for version, queues in enumerate((2, 10)):
        apply_config(owner, "native", cohorts_of(queues, queues // 2), "more", version)
        wanted = [
            Submission(
                name=f"{name}-{number}",
                priority=number,
                tags={"to": name},
                requests={"gpu": gpu * 1000},
            )
            for queue in range(queues)
            for name in (f"a-{queue}", f"b-{queue}")
            # The first queues wait for more than the total quota; the workloads of all others run.
            for number, gpu in (((0, 2), (1, 100)) if not queue else ((0, 1), (1, 1)))
        ]
        submit_workloads(owner, wanted)
        settle(org)
        whole = load_state(org, version + 1)
        whole.settle()
        waiting = [
            get_workload(org, uid)
            for uid in Workload.objects.filter(org=org, state=State.PENDING)
            .order_by("pk")
            .values_list("uid", flat=True)
        ]
        assert {each.queue for each in waiting} == {"a-0", "b-0"}
        asked = [waiting[0], waiting[-1]] if together else waiting[:1]
        with CaptureQueriesContext(connection) as queries:
            explained = explain_workloads(org, asked)
        assert [without_place(each.trace) for each in explained] == [
            without_place(whole.explain(each.uid)) for each in asked
        ]
        statements.append(len(queries))
    assert statements[0] == statements[1]
