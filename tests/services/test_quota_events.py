"""Borrowing and reclaim events, derived from the usage and decisions of one engine batch."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import transaction
from django.utils import timezone

from console.configs.services.apply_config import apply_config
from console.engine.disciplines.quota.reasons import (
    PREEMPTED_FOR_FAIR_SHARE,
    RECLAIMED_IN_COHORT,
    RECLAIMED_WHILE_BORROWING,
)
from console.engine.model.amounts import UNLIMITED, Amount
from console.engine.model.common_reasons import DRAINED, PREEMPTED_IN_QUEUE
from console.engine.model.decision import Decision, Outcome
from console.engine.model.reasons import Reason
from console.engine.model.trace import OutcomeStep, PreemptedStep, Trace
from console.workloads.models import Event
from console.workloads.services.batch import Batch
from console.workloads.services.quota_events import AdmissionUsage, Reclaim, loans_of, reclaims_of
from console.workloads.services.run_engine import forget_states
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission

GPU, CPU = ("spot", "gpu"), ("spot", "cpu")
NOMINAL: dict[tuple[str, tuple[str, str]], Amount] = {
    ("research", GPU): 4000,
    ("research", CPU): UNLIMITED,
    ("batch", GPU): 0,
}


def loans(
    admissions: list[AdmissionUsage], after: dict[str, dict[tuple[str, str], int]]
) -> list[dict]:
    return loans_of(admissions, after.__getitem__, lambda queue, key: NOMINAL[queue, key])


def test_a_loan_is_what_stands_above_nominal_right_after() -> None:
    admissions = [
        AdmissionUsage("research", {GPU: 3000, CPU: 9000}),
        AdmissionUsage("batch", {GPU: 1000}),
        AdmissionUsage("research", {GPU: 3000}),
        AdmissionUsage("research", {GPU: 2000, CPU: 0}),
        AdmissionUsage("batch", {}),
    ]
    after = {"research": {GPU: 8000, CPU: 9000}, "batch": {GPU: 1000}}
    assert loans(admissions, after) == [{}, {GPU: 1000}, {GPU: 2000}, {GPU: 2000}, {}]
    # Usage of earlier workloads counts too and makes no event.
    after = {"research": {GPU: 13000, CPU: 9000}, "batch": {GPU: 1000}}
    expected = [{GPU: 3000}, {GPU: 1000}, {GPU: 3000}, {GPU: 2000}, {}]
    assert loans(admissions, after) == expected
    assert after == {"research": {GPU: 13000, CPU: 9000}, "batch": {GPU: 1000}}


def test_a_request_of_nothing_borrows_nothing_where_nothing_is_used() -> None:
    assert loans([AdmissionUsage("research", {GPU: 0})], {"research": {}}) == [{}]


COHORT = """
resource_flavors:
  - name: fixed
  - name: spot
resource_queues:
  - name: research
    cohort_name: ml
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - {name: fixed, resources: [{name: gpu, nominal_quota: 4, borrowing_limit: 0}]}
          - {name: spot, resources: [{name: gpu, nominal_quota: 4}]}
  - name: batch
    cohort_name: ml
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - {name: spot, resources: [{name: gpu, nominal_quota: 8}]}
  - name: alone
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - {name: spot, resources: [{name: gpu, nominal_quota: 4}]}
scheduling_rules:
  - selector: [{key: team, operator: in, values: [alone]}]
    resource_queue: alone
  - resource_queue: research
"""


def borrowed() -> list[tuple[str, str, dict[str, object]]]:
    """Return the borrowing events and delete them."""
    rows = Event.objects.filter(type="QUOTA_BORROWED").order_by("pk")
    found = [(row.workload.name, row.queue, row.data) for row in rows.select_related("workload")]
    rows.delete()
    return found


@pytest.fixture
def _cold() -> Iterator[None]:
    forget_states()
    yield
    forget_states()


@pytest.mark.usefixtures("_cold")
def test_the_engine_tells_which_admission_borrows_how_much(owner, settle) -> None:
    apply_config(owner, "native", COHORT, "", 0)

    def submit(*sizes: int, team: str = "") -> list[str]:
        wanted = [
            Submission(name=f"{team}{gpus}", tags={"team": team}, requests={"gpu": gpus * 1000})
            for gpus in sizes
        ]
        uids = [row.uid for row in submit_workloads(owner, wanted)]
        settle(owner.org)
        return uids

    # 4 fixed and 3 spot are own quota, 1 of the next 3 is, and none of the last 2.
    submit(4, 3)
    assert borrowed() == []
    third, last = submit(3, 2)
    assert borrowed() == [
        (
            "3",
            "research",
            {"workload": third, "name": "3", "borrowed": {"spot/gpu": 2000}, "cohort": "ml"},
        ),
        (
            "2",
            "research",
            {"workload": last, "name": "2", "borrowed": {"spot/gpu": 2000}, "cohort": "ml"},
        ),
    ]
    submit(4, 1, team="alone")
    assert borrowed() == []


def preempted(
    workload: str, preemptor: str | None, reason: Reason, queue: str = "research"
) -> Decision:
    step = preemptor and PreemptedStep(
        preemptor=preemptor,
        preemptor_priority=0,
        preemptor_requests={},
        rule="any",
        queue=queue,
    )
    trace = Trace(
        workload=workload,
        labels={},
        requests={},
        requested_priority=None,
        preempted=step or None,
        outcome=OutcomeStep(outcome=Outcome.PREEMPTED, reason=reason),
    )
    return Decision(
        workload=workload,
        outcome=Outcome.PREEMPTED,
        reason=reason,
        queue="batch",
        preemptor=preemptor,
        facts=lambda *, with_rules=True: trace,
    )


def test_each_preemptor_reclaims_once_for_each_reason() -> None:
    decisions = [
        preempted("a", "p", RECLAIMED_IN_COHORT),
        preempted("b", "q", PREEMPTED_FOR_FAIR_SHARE, "other"),
        preempted("c", "p", PREEMPTED_IN_QUEUE),
        preempted("d", "p", RECLAIMED_IN_COHORT),
        preempted("e", "p", RECLAIMED_WHILE_BORROWING),
        preempted("f", None, DRAINED),
    ]
    assert reclaims_of((decision, decision.trace) for decision in decisions) == [
        Reclaim(
            preemptor="p",
            victims=("a", "d"),
            queue="research",
            reason=RECLAIMED_IN_COHORT,
        ),
        Reclaim(preemptor="q", victims=("b",), queue="other", reason=PREEMPTED_FOR_FAIR_SHARE),
        Reclaim(
            preemptor="p",
            victims=("e",),
            queue="research",
            reason=RECLAIMED_WHILE_BORROWING,
        ),
    ]


@pytest.mark.parametrize("reason", [RECLAIMED_IN_COHORT, PREEMPTED_IN_QUEUE])
def test_a_batch_tells_of_the_preemptor_and_its_queue(owner, reason: Reason) -> None:
    rows = submit_workloads(owner, [Submission(name=name) for name in ("victim", "claimer")])
    victim, claimer = (row.uid for row in rows)
    Event.objects.all().delete()
    # The preemptor was decided earlier, so the batch has no other decision.
    batch = Batch(org_id=owner.org.pk, config_version=1, now=timezone.now())
    batch.decide([preempted(victim, claimer, reason)])
    with transaction.atomic():
        for statement in batch.prepare():
            statement.run()
    told = [
        (
            "REQUEST_PREEMPTED",
            "WARNING",
            victim,
            "batch",
            {
                "workload": victim,
                "name": "victim",
                "reason": reason,
                "preemptor": claimer,
                "preemptor_name": "claimer",
                "preemptor_queue": "research",
            },
        )
    ]
    if reason is RECLAIMED_IN_COHORT:
        data = {
            "workload": claimer,
            "name": "claimer",
            "reason": "reclaimed_in_cohort",
            "victims": [victim],
        }
        told.append(("QUOTA_RECLAIMED", "INFO", claimer, "research", data))
    found = Event.objects.order_by("pk").values_list(
        "type", "level", "workload__uid", "queue", "data"
    )
    assert list(found) == told
