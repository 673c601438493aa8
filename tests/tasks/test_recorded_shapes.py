"""History of workload shapes: each submission is counted once by day and shape."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.utils import timezone

from console.configs.disclosed_impact import impact_for_reader
from console.configs.services.apply_config import apply_config
from console.dialects import dialects
from console.dialects.routed_history import RoutedHistory
from console.engine.model.history import History, Live
from console.engine.model.workload import PodSet
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import Intake, LabelSet, RecordedShape
from console.workloads.queries import history as history_module
from console.workloads.queries.history import WINDOW, history_of, live_of
from console.workloads.services.forget_shapes import forget_shapes
from console.workloads.services.run_engine import forget_states, run_engine
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.services.update_over_quota import OverQuotaRows
from console.workloads.submissions import Submission
from console.workloads.tasks import tidy

Settle = Callable[[Organization], int]

SMALL = """
resource_flavors: [{name: any}]
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: any, resources: [{name: gpu, nominal_quota: 4}]}]
scheduling_rules: [{resource_queue: train}]
"""


@pytest.fixture(autouse=True)
def _cold() -> Iterator[None]:
    forget_states()
    yield
    forget_states()


def submit(actor: Actor, *sizes: int, **labels: str) -> None:
    submit_workloads(
        actor,
        [Submission(name=f"w{size}", tags=labels, requests={"gpu": size * 1000}) for size in sizes],
    )


def recorded(history: History) -> list[tuple[str, int | None, int]]:
    """Return team, priority and runs of each shape."""
    return [
        (each.workload.labels.get("team", "-"), each.workload.priority, each.runs)
        for each in history.shapes
    ]


def record(org: Organization, team: str, *, days_ago: int, runs: int = 1) -> RecordedShape:
    labels, _ = LabelSet.objects.get_or_create(
        org=org, digest=team, defaults={"labels": {"team": team}}
    )
    return RecordedShape.objects.create(
        org=org,
        day=timezone.now().date() - timedelta(days=days_ago),
        label_set=labels,
        digest=team,
        requests={"gpu": 1000},
        runs=runs,
    )


def test_equal_workloads_are_one_shape_with_a_count(
    org: Organization, owner: Actor, settle: Settle
) -> None:
    submit(owner, 1, 1, 2, team="a")
    settle(org)
    submit(owner, 1, team="a")
    submit(owner, 1, team="b")
    settle(org)
    rows = RecordedShape.objects.order_by("-runs", "pk")
    assert list(rows.values_list("label_set__labels__team", "requests", "pod_sets", "runs")) == [
        ("a", {"gpu": 1000}, [], 3),
        ("a", {"gpu": 2000}, [], 1),
        ("b", {"gpu": 1000}, [], 1),
    ]
    assert {row.day for row in rows} == {timezone.now().date()}
    assert {row.org_id for row in rows} == {org.pk}


def test_every_difference_except_the_order_of_resources_makes_another_shape(
    org: Organization, owner: Actor, settle: Settle
) -> None:
    alike = [{"gpu": 1000, "cpu": 2000}, {"cpu": 2000, "gpu": 1000}]
    pods = PodSet(count=2, requests={"cpu": 1000}, node_selector={"zone": "a"})
    submit_workloads(
        owner,
        [
            *(Submission(name="a", requests=requests) for requests in alike),
            Submission(name="b", requests=alike[0], namespace="here"),
            Submission(name="c", requests=alike[0], priority=7),
            Submission(name="d", pod_sets=(pods,)),
        ],
    )
    settle(org)
    history = history_of(org)
    assert sorted(
        (each.workload.namespace, each.workload.priority or 0, each.runs, each.workload.total())
        for each in history.shapes
        if each.workload.pod_sets != (pods,)
    ) == [
        ("", 0, 2, {"gpu": 1000, "cpu": 2000}),
        ("", 7, 1, {"gpu": 1000, "cpu": 2000}),
        ("here", 0, 1, {"gpu": 1000, "cpu": 2000}),
    ]
    assert [each.runs for each in history.shapes if each.workload.pod_sets == (pods,)] == [1]
    assert history.runs == 5


def test_a_batch_that_is_repeated_after_a_crash_counts_once(
    org: Organization, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(owner, 1, 1)

    def crash(*args: object) -> None:
        raise RuntimeError("the machine is gone")

    with monkeypatch.context() as broken:
        # Crash after the shapes are written, before the transaction ends.
        broken.setattr(OverQuotaRows, "update", crash)
        with pytest.raises(RuntimeError, match="the machine is gone"):
            run_engine(org.pk)
    assert not RecordedShape.objects.exists()
    assert Intake.objects.exists()
    run_engine(org.pk)
    assert list(RecordedShape.objects.values_list("runs", flat=True)) == [2]
    run_engine(org.pk)
    assert list(RecordedShape.objects.values_list("runs", flat=True)) == [2]


def test_history_sums_days_and_starts_with_the_last_seen_shape(
    org: Organization, other_org: Organization
) -> None:
    record(org, "old", days_ago=WINDOW)
    record(org, "rare", days_ago=WINDOW - 1)
    record(org, "often", days_ago=9, runs=5)
    newest = record(org, "often", days_ago=2, runs=6)
    record(other_org, "theirs", days_ago=0)
    history = history_of(org)
    assert recorded(history) == [("often", None, 11), ("rare", None, 1)]
    assert history.shapes[0].last_seen == newest.day.isoformat()
    assert (history.window_days, history.is_complete, history.runs) == (WINDOW, True, 12)
    assert recorded(history_of(org, days=3)) == [("often", None, 6)]


@pytest.mark.parametrize("bound", ["MAX_SHAPES", "MAX_ROWS"])
def test_a_bounded_history_keeps_the_newest_shapes_and_is_marked_incomplete(
    org: Organization, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    for age, team in enumerate("abcd"):
        record(org, team, days_ago=age)
    monkeypatch.setattr(history_module, bound, 3)
    history = history_of(org)
    assert recorded(history) == [("a", None, 1), ("b", None, 1), ("c", None, 1)]
    assert not history.is_complete
    monkeypatch.setattr(history_module, bound, 4)
    assert history_of(org).is_complete


def test_days_before_the_window_are_forgotten(org: Organization) -> None:
    for age in (WINDOW + 5, WINDOW, WINDOW - 1, 0):
        record(org, f"team-{age}", days_ago=age)
    assert forget_shapes() == 2
    assert history_of(org).runs == RecordedShape.objects.count() == 2
    RecordedShape.objects.update(day=timezone.now().date() - timedelta(days=WINDOW))
    tidy()
    assert not RecordedShape.objects.exists()


def test_live_facts_are_running_pending_and_usage(
    org: Organization, other_org: Organization, owner: Actor, settle: Settle
) -> None:
    assert live_of(org) == Live()
    apply_config(owner, "native", SMALL, "", 0)
    submit(owner, 3, 1, 2)
    settle(org)
    assert live_of(org) == Live(
        running={"train": 2}, pending={"train": 1}, usage={"train": {("any", "gpu"): 4000}}
    )
    assert live_of(other_org) == Live()


def test_optional_facts_make_another_shape_and_the_user_does_not(
    org: Organization, owner: Actor, settle: Settle
) -> None:
    placement = {"filters": [{"name": "eu"}]}
    submit_workloads(
        owner,
        [
            Submission(name="a", user="ada"),
            Submission(name="b", user="ben", groups=("research",)),
            Submission(name="c", preemptible=False, placement=placement),
            Submission(name="d", preemptible=False, placement=placement),
        ],
    )
    settle(org)
    assert [
        (each.workload.is_preemptible, each.workload.placement, each.workload.user, each.runs)
        for each in sorted(history_of(org).shapes, key=lambda each: each.workload.sequence)
    ] == [(None, None, "", 2), (False, placement, "", 2)]


BY_USER = """\
partitions:
  - placementrules:
      - name: user
        create: true
    queues: [{ name: root, submitacl: "ann dev" }]
"""


def test_users_are_recorded_if_the_config_reads_them(
    org: Organization, owner: Actor, settle: Settle
) -> None:
    def submit_for(user: str, *groups: str) -> None:
        submission = Submission(name="w", user=user, groups=groups, requests={"cpu": 1000})
        submit_workloads(owner, [submission])
        settle(org)

    apply_config(owner, "native", SMALL, "", 0)
    submit_for("ann")
    submit_for("bob", "dev")
    apply_config(owner, "yunikorn", BY_USER, "", 1)
    settle(org)
    submit_for("ann")
    submit_for("bob", "dev", "ops")
    submit_for("bob", "dev", "ops")
    submit_for("eve")
    found = {
        (each.workload.user, each.workload.groups): each.runs for each in history_of(org).shapes
    }
    assert found == {
        ("", ()): 2,
        ("ann", ()): 1,
        ("bob", ("dev", "ops")): 2,
        ("eve", ()): 1,
    }
    policy = dialects()["yunikorn"].read(BY_USER, {}).policy
    assert policy is not None
    past = RoutedHistory(policy, history_of(org))
    queues = {name: sum(each.runs for each in kinds) for name, kinds in past.by_queue().items()}
    assert queues == {"root.ann": 1, "root.bob": 2}
    assert sum(each.runs for each in past.unrouted()) == 1


def test_users_of_recorded_workloads_are_shown_to_those_who_may_see_names(
    editor: Actor, submitter: Actor
) -> None:
    row = {"namespace": "", "user": "ann", "groups": ["dev"], "runs": 1}
    result = {"live": {"outcomes": []}, "history": {"shapes": 1, "rows": [row]}}
    assert impact_for_reader(editor, result) == result
    hidden = {**row, "user": "", "groups": []}
    assert impact_for_reader(submitter, result) == {
        "live": {"outcomes": []},
        "history": {"shapes": 1, "rows": [hidden]},
    }
