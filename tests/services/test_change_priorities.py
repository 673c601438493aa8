"""Changes of priorities: results, rows, explanations, concurrent requests and rebuilt engines."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from console.configs.services.apply_config import apply_config
from console.errors import BadRequest, Conflict, NotAllowed, NotFound
from console.orgs.models import AuditEntry, Organization
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.orgs.services.create_user import create_user
from console.workloads.explanations import explain_workload
from console.workloads.models import Event, Intake, Workload
from console.workloads.queries import position_of
from console.workloads.services.change_priorities import change_priorities, change_priority
from console.workloads.services.end_workloads import finish_workloads
from console.workloads.services.run_engine import forget_states, run_engine
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.services.write_intake import write_intake
from console.workloads.submissions import read_submissions
from tests.services.conftest import RACERS

Settle = Callable[[Organization], int]

TRAIN = """
resource_flavors:
  - name: any
resource_queues:
  - name: train
    preemption: {within_resource_queue: lower_priority}
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - {name: any, resources: [{name: gpu, nominal_quota: 4}]}
scheduling_rules:
  - resource_queue: train
    priority_policy: {max: 100}
"""
KUEUE = """
kind: ResourceFlavor
apiVersion: kueue.x-k8s.io/v1beta1
metadata: {name: any}
---
kind: ClusterQueue
apiVersion: kueue.x-k8s.io/v1beta1
metadata: {name: train}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [gpu]
      flavors: [{name: any, resources: [{name: gpu, nominalQuota: 4}]}]
---
kind: LocalQueue
apiVersion: kueue.x-k8s.io/v1beta1
metadata: {name: main, namespace: ml}
spec: {clusterQueue: train}
---
kind: WorkloadPriorityClass
apiVersion: kueue.x-k8s.io/v1beta1
metadata: {name: high}
value: 50
"""


def submitted(actor: Actor, *names: str, **fields: object) -> list[str]:
    body = [{"name": name, "requests": {"gpu": 4}, "priority": 5, **fields} for name in names]
    return [each.uid for each in submit_workloads(actor, read_submissions(body))]


def state(uid: str) -> tuple[str, int | None, int | None]:
    row = Workload.objects.get(uid=uid)
    return row.state, row.priority, row.requested_priority


@pytest.fixture
def train(owner: Actor, settle: Settle) -> list[str]:
    """Return the ids of a running and two pending workloads."""
    apply_config(owner, "native", TRAIN, "", 0)
    uids = submitted(owner, "runs") + submitted(owner, "one", "two")
    settle(owner.org)
    return uids


def test_a_pending_workload_gets_another_position(
    owner: Actor, train: list[str], settle: Settle
) -> None:
    runs, one, two = train
    assert position_of(Workload.objects.get(uid=two)) == 2
    change_priority(owner, two, 5)
    change_priority(owner, one, 3)
    settle(owner.org)
    row = Workload.objects.get(uid=two)
    assert (position_of(row), state(one)) == (1, ("pending", 3, 3))
    (event,) = Event.objects.filter(type="PRIORITY_CHANGED")
    assert event.data == {"workload": one, "name": "one", "priority": 3, "former_priority": 5}
    assert (event.actor, event.queue) == (owner.name, "train")
    (entry,) = AuditEntry.objects.filter(action="workload.change_priority")
    assert (entry.subject, entry.after) == (one, {"count": 1, "ids": [one], "priority": 3})
    explained = explain_workload(owner.org, Workload.objects.get(uid=one))
    assert explained.trace.requested_priority == 3
    finish_workloads(owner, [runs])
    settle(owner.org)
    assert [state(uid)[0] for uid in train] == ["finished", "pending", "admitted"]


def test_a_pending_workload_with_a_higher_priority_preempts(
    owner: Actor, train: list[str], settle: Settle
) -> None:
    change_priority(owner, train[2], 9)
    settle(owner.org)
    assert state(train[0]) == ("preempting", 5, 5)
    assert Workload.objects.get(uid=train[2]).victims == [train[0]]


@pytest.mark.parametrize("is_rebuilt", [False, True])
def test_a_running_workload_is_preempted_by_its_new_priority(
    owner: Actor, train: list[str], settle: Settle, is_rebuilt: bool
) -> None:
    change_priority(owner, train[0], 90)
    settle(owner.org)
    assert state(train[0]) == ("admitted", 90, 90)
    if is_rebuilt:
        forget_states()
    (high,) = submitted(owner, "high", priority=50)
    settle(owner.org)
    assert [state(uid)[0] for uid in (train[0], high)] == ["admitted", "pending"]
    change_priority(owner, train[0], 1)
    settle(owner.org)
    assert state(train[0]) == ("preempting", 1, 1)


def test_each_says_what_was_done(
    owner: Actor, submitter: Actor, train: list[str], settle: Settle
) -> None:
    finish_workloads(owner, [train[0]])
    (own,) = submitted(submitter, "own")
    settle(owner.org)
    found = change_priorities(owner, [train[0], "gone", train[2], own], 5)
    assert [(each.outcome.value, each.message) for each in found] == [
        (
            "wrong_state",
            (
                "The workload is already finished; only pending and running workloads get another "
                "priority."
            ),
        ),
        ("not_found", "There is no workload gone in here."),
        ("unchanged", "The priority is already 5."),
        ("unchanged", "The priority is already 5."),
    ]
    assert not Intake.objects.exists()
    found = change_priorities(submitter, [train[2], own], 101)
    assert [(each.outcome.value, each.message) for each in found] == [
        (
            "not_allowed",
            (
                "Another member or token submitted the workload. The role submitter may not change "
                "the priorities of others' workloads; ask an operator or owner."
            ),
        ),
        (
            "not_possible",
            (
                "The active config does not allow this priority: rule 1 accepts priorities up to "
                "100, not 101."
            ),
        ),
    ]
    (found,) = change_priorities(submitter, [own], 100)
    assert (found.outcome.value, found.message) == ("changed", "The priority becomes 100.")


def test_one_change_raises_what_prevents_it(
    owner: Actor, viewer: Actor, submitter: Actor, train: list[str], settle: Settle
) -> None:
    with pytest.raises(NotFound):
        change_priority(owner, "gone", 1)
    with pytest.raises(NotAllowed):
        change_priority(viewer, train[1], 1)
    with pytest.raises(NotAllowed):
        change_priority(submitter, train[1], 1)
    with pytest.raises(BadRequest, match="from 0 to 9007199254740991"):
        change_priority(owner, train[1], -1)
    with pytest.raises(Conflict) as refused:
        change_priority(owner, train[1], 101)
    assert refused.value.code == "priority_fixed"
    finish_workloads(owner, [train[0]])
    settle(owner.org)
    with pytest.raises(Conflict) as ended:
        change_priority(owner, train[0], 1)
    assert ended.value.code == "wrong_state"


def test_the_priority_of_a_class_is_changed_in_the_config(owner: Actor, settle: Settle) -> None:
    apply_config(owner, "kueue", KUEUE, "", 0)
    labels = {"kueue.x-k8s.io/queue-name": "main"}
    classed = {**labels, "kueue.x-k8s.io/priority-class": "high"}
    (plain,) = submitted(owner, "plain", namespace="ml", tags=labels)
    (high,) = submitted(owner, "high", namespace="ml", tags=classed)
    settle(owner.org)
    found = change_priorities(owner, [plain, high], -7)
    assert [(each.outcome.value, each.message) for each in found] == [
        ("changed", "The priority becomes -7."),
        (
            "not_possible",
            (
                "Its priority comes from its priority class high; change the value of the class in "
                "the config, or submit it with another class."
            ),
        ),
    ]
    settle(owner.org)
    assert (state(plain)[1:], state(high)[1]) == ((-7, -7), 50)


def test_schedulers_without_priorities_refuse(owner: Actor, settle: Settle) -> None:
    apply_config(owner, "skyshift", "{kind: Scheduler, spec: {on_unplaceable: wait}}", "", 0)
    (uid,) = submitted(owner, "job")
    settle(owner.org)
    (found,) = change_priorities(owner, [uid], 7)
    assert (
        found.message == "The scheduler of the active config gives all workloads the same priority."
    )


def test_a_config_that_comes_first_wins(owner: Actor, train: list[str], settle: Settle) -> None:
    apply_config(owner, "native", TRAIN.replace("100", "10"), "", 1)
    key = Workload.objects.get(uid=train[2]).pk
    payload = {"ids": [key], "priority": 99, "actor": owner.name}
    write_intake(owner.org.pk, Intake.Kind.PRIORITY, payload)
    settle(owner.org)
    assert state(train[2]) == ("pending", 5, 5)
    assert not Event.objects.filter(type="PRIORITY_CHANGED").exists()


def test_the_last_of_concurrent_changes_counts(race) -> None:
    org = create_org("here", "Here", owner=None)
    owner = Actor.from_user(org, create_user("owner@here.example", "correct horse"), "owner")
    apply_config(owner, "native", TRAIN, "", 0)
    (uid,) = submitted(owner, "runs")
    run_engine(org.pk, seconds=60)
    outcomes = race(lambda number: change_priorities(owner, [uid], 10 + number)[0].outcome.value)
    assert outcomes == ["changed"] * RACERS
    last = Intake.objects.filter(kind="priority").latest("pk").payload["priority"]
    run_engine(org.pk, seconds=60)
    assert state(uid) == ("admitted", last, last)
    changes = Event.objects.filter(type="PRIORITY_CHANGED").order_by("pk")
    chain = [(each.data["former_priority"], each.data["priority"]) for each in changes]
    assert [before for before, _ in chain] == [5, *(after for _, after in chain[:-1])]
    assert len(chain) == RACERS
