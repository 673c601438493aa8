"""Retention of workloads: those that ended long ago are deleted in batches, and no others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from console.configs.services.apply_config import apply_config
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.retention.models import Forgotten, Kind
from console.retention.queries import retention_statuses_of
from console.workloads.models import (
    Decision,
    Engine,
    Event,
    Intake,
    LabelSet,
    QueueCount,
    RecordedShape,
    State,
    Usage,
    Workload,
)
from console.workloads.services import forget_workloads as forgetting
from console.workloads.services import submit_once as once
from console.workloads.services import submit_workloads as submitting
from console.workloads.services.end_workloads import finish_workloads, release_workloads
from console.workloads.services.forget_shapes import forget_shapes
from console.workloads.services.forget_workloads import forget_workloads
from console.workloads.services.run_engine import forget_states
from console.workloads.submissions import Submission

Settle = Callable[[Organization], int]

CONFIG = """\
resource_flavors: [{name: any}]
resource_queues:
  - name: train
    preemption: {within_resource_queue: lower_priority}
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: any, resources: [{name: gpu, nominal_quota: 4}]}]
scheduling_rules:
  - resource_queue: train
    selector: [{key: team, operator: exists}]
"""


@pytest.fixture(autouse=True)
def _cold() -> Iterator[None]:
    forget_states()
    yield
    forget_states()


def wanted(name: str, team: str = "vision", priority: int = 0) -> Submission:
    tags = {"team": team} if team else {}
    return Submission(name=name, type="job", tags=tags, priority=priority, requests={"gpu": 2000})


def submit(owner: Actor, *submissions: Submission) -> dict[str, str]:
    """Submit workloads and return their ids by name."""
    rows = submitting.submit_workloads(owner, submissions)
    return {row.name: row.uid for row in rows}


def age(days: int, **rows: object) -> None:
    """Move all times of the selected workloads back by *days*."""
    by = timedelta(days=days)
    for row in Workload.objects.filter(**rows):
        row.submitted_at -= by
        row.ended_at = row.ended_at and row.ended_at - by
        row.save(update_fields=["submitted_at", "ended_at"])


def names() -> list[str]:
    return list(Workload.objects.order_by("pk").values_list("name", flat=True))


def test_old_ended_workloads_are_deleted_with_all_their_rows(
    org: Organization, owner: Actor, settle: Settle
) -> None:
    apply_config(owner, "native", CONFIG, "", 0)
    ids = submit(owner, wanted("runs"), wanted("ended", "speech"), wanted("lately", "speech"))
    submit(owner, wanted("rejected", ""))
    settle(org)
    finish_workloads(owner, [ids["ended"]])
    settle(org)
    finish_workloads(owner, [ids["lately"]])
    submit(owner, wanted("late"), wanted("waits"))
    settle(org)
    # Old workloads that are pending, running or ended recently are kept.
    age(400)
    Workload.objects.filter(name="lately").update(ended_at=timezone.now() - timedelta(days=364))
    standing = [
        list(model.objects.order_by("pk").values()) for model in (Usage, QueueCount, Intake)
    ]
    counts = Engine.objects.get(pk=org.pk).counts
    assert (counts["finished"], counts["rejected"]) == (2, 1)

    assert forget_workloads(0) == 0
    assert forget_workloads(365) == 2

    assert names() == ["runs", "lately", "late", "waits"]
    assert set(Decision.objects.values_list("workload__name", flat=True)) == set(names())
    told = Event.objects.exclude(workload=None).values_list("workload__name", flat=True)
    assert set(told) == set(names())
    assert Event.objects.filter(type="CONFIG_UPDATED").count() == 1
    assert standing == [
        list(model.objects.order_by("pk").values()) for model in (Usage, QueueCount, Intake)
    ]
    assert Engine.objects.get(pk=org.pk).counts == {**counts, "finished": 1, "rejected": 0}
    # The worker continues from there.
    finish_workloads(owner, [ids["runs"]])
    settle(org)
    assert Engine.objects.get(pk=org.pk).counts["finished"] == 2
    assert forget_workloads(365) == 0
    kept = {each.kind: each for each in retention_statuses_of(org.pk)}
    told_of = [kept[Kind.WORKLOADS], kept[Kind.DECISIONS]]
    assert [(each.days, each.setting, each.every) for each in told_of] == [
        (365, "WORKLOAD_RETENTION_DAYS", 2)
    ] * 2
    assert [each.forgotten for each in told_of] == [2, 2]
    assert kept[Kind.WORKLOADS].rows.count == 4


def test_organizations_take_turns_a_batch_each_and_the_rest_goes_later(
    org: Organization,
    owner: Actor,
    other_org: Organization,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forgetting, "BATCH", 3)
    other = Actor(org=other_org, role=owner.role, name=owner.name, key=owner.key, user=owner.user)
    for actor, count in ((owner, 8), (other, 4)):
        submit(actor, *(wanted(f"{actor.org.slug}-{number}") for number in range(count)))
        ended = {"state": State.FINISHED, "ended_at": timezone.now()}
        Workload.objects.filter(org=actor.org).update(**ended)
        Engine.objects.filter(pk=actor.org.pk).update(counts={"finished": count})
    age(10)

    def left() -> list[int]:
        return [Workload.objects.filter(org=each).count() for each in (org, other_org)]

    # Without time left there is one turn.
    assert forget_workloads(9, seconds=0) == 6
    assert left() == [5, 1]
    assert forget_workloads(9, seconds=0) == 4
    assert left() == [2, 0]
    assert forget_workloads(9) == 2
    assert left() == [0, 0]
    counts = Engine.objects.order_by("pk").values_list("counts", flat=True)
    assert list(counts) == [{"finished": 0}, {"finished": 0}]
    found = Forgotten.objects.filter(kind=Kind.WORKLOADS).order_by("org")
    assert list(found.values_list("org", "rows")) == [(org.pk, 2), (other_org.pk, 1)]


def test_labels_stay_as_long_as_anything_has_them(
    org: Organization, owner: Actor, settle: Settle
) -> None:
    apply_config(owner, "native", CONFIG, "", 0)
    ids = submit(owner, wanted("runs", "both"), wanted("ended", "both"), wanted("last", "alone"))
    settle(org)
    finish_workloads(owner, [ids["ended"]])
    settle(org)
    finish_workloads(owner, [ids["last"]])
    settle(org)
    age(400)

    def teams() -> list[str]:
        return sorted(each["team"] for each in LabelSet.objects.values_list("labels", flat=True))

    assert forget_workloads(365) == 2
    # The recorded history still uses the labels.
    assert teams() == ["alone", "both"]
    RecordedShape.objects.update(day=timezone.now().date() - timedelta(days=40))
    assert forget_shapes() == 2
    assert teams() == ["both"]
    finish_workloads(owner, [ids["runs"]])
    settle(org)
    assert forget_workloads(365) == 0
    age(400, name="runs")
    assert forget_workloads(365) == 1
    assert teams() == []


def test_rows_about_a_deleted_workload_are_still_shown(
    org: Organization,
    owner: Actor,
    submitter: Actor,
    settle: Settle,
    client_for: Callable[[Actor], Client],
) -> None:
    apply_config(owner, "native", CONFIG, "", 0)
    ids = submit(owner, wanted("one"), wanted("two"))
    settle(org)
    ids |= submit(owner, wanted("urgent", priority=9))
    settle(org)
    stop = Decision.objects.get(outcome="preempted")
    victim = stop.workload.uid
    release_workloads(owner, [victim])
    settle(org)
    finish_workloads(owner, [ids["urgent"]])
    settle(org)
    age(400, name="urgent")
    assert forget_workloads(365) == 1
    for actor in (owner, submitter):
        client = client_for(actor)
        base = f"/o/{org.slug}/workloads"
        statuses = {
            path: client.get(f"{base}/{path}").status_code
            for path in (
                victim,
                f"{victim}?tab=timeline",
                f"{victim}?tab=preemptions",
                f"{victim}?as=markdown",
                f"{victim}/decisions/{stop.pk}",
                f"{victim}/preemptions/{stop.pk}",
                ids["urgent"],
            )
        }
        assert statuses == {**dict.fromkeys(statuses, 200), ids["urgent"]: 404}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_keyed", [False, True])
def test_labels_that_go_while_somebody_submits_them_are_written_anew(
    monkeypatch: pytest.MonkeyPatch, owner: Actor, *, is_keyed: bool
) -> None:
    submit(owner, wanted("before"))
    prepare = submitting.prepare

    def prepare_too_early(actor: Actor, submissions: Sequence[Submission], **more: Any) -> Any:
        batch = prepare(actor, submissions, **more)
        Workload.objects.filter(name="before").update(state=State.FINISHED, ended_at=timezone.now())
        age(400, name="before")
        assert forget_workloads(365) == len(forgotten)
        forgotten.clear()
        return batch

    forgotten = ["before"]
    monkeypatch.setattr(once if is_keyed else submitting, "prepare", prepare_too_early)
    if is_keyed:
        ids = once.submit_once(owner, "a key", [wanted("after")])
        monkeypatch.setattr(once, "prepare", prepare)
        assert once.submit_once(owner, "a key", [wanted("after")]) == ids
    else:
        submit(owner, wanted("after"))
    assert names() == ["after"]
    assert list(Workload.objects.values_list("label_set__labels__team", flat=True)) == ["vision"]
    assert Intake.objects.count() == 2
