"""Webhook notifications of engine batches and config changes, once each."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from console.configs.models import ConfigVersion, RevertTimer
from console.configs.services.apply_config import apply_config
from console.configs.services.revert_config import revert_config
from console.configs.services.revert_unconfirmed import revert_unconfirmed
from console.configs.services.roll_back import roll_back
from console.engine.state import State
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.webhooks.models import Delivery, Kind, ToldClass, Webhook
from console.webhooks.payloads import LISTED
from console.webhooks.services.notify_of_batch import Notices
from console.webhooks.services.update_webhook import update_webhook
from console.workloads.services import run_engine as run_engine_module
from console.workloads.services.end_workloads import finish_workloads
from console.workloads.services.hold_queue import hold_queue, resume_queue
from console.workloads.services.run_engine import forget_states
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions

CONFIG = """\
resource_flavors:
  - name: spot
resource_queues:
  - name: research
    preemption: { within_resource_queue: lower_priority }
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - name: spot
            resources: [{ name: gpu, nominal_quota: 8 }]
  - name: serving
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - name: spot
            resources: [{ name: gpu, nominal_quota: 2 }]
scheduling_rules:
  - selector: [{ key: team, operator: in, values: [research] }]
    resource_queue: research
    priority_policy: { default: 50, min: 0, max: 100, on_violation: reject }
  - selector: [{ key: team, operator: in, values: [serving] }]
    resource_queue: serving
"""


#: A queue that borrows, and one that reclaims its quota.
SHARED = """\
resource_flavors:
  - name: spot
resource_queues:
  - name: batch
    cohort_name: ml
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - name: spot
            resources: [{ name: gpu, nominal_quota: 0 }]
  - name: prod
    cohort_name: ml
    preemption: { reclaim_within_cohort: any }
    resource_groups:
      - covered_resources: [gpu]
        flavors:
          - name: spot
            resources: [{ name: gpu, nominal_quota: 4 }]
scheduling_rules:
  - selector: [{ key: team, operator: in, values: [batch] }]
    resource_queue: batch
  - selector: [{ key: team, operator: in, values: [prod] }]
    resource_queue: prod
"""

#: A Kueue config, where the quota of a queue may change.
KUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: any}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: shared}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [gpu]
      flavors:
        - {name: any, resources: [{name: gpu, nominalQuota: QUOTA}]}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: main, namespace: vision}
spec: {clusterQueue: shared}
"""


@pytest.fixture(autouse=True)
def _cold() -> Any:
    forget_states()
    yield
    forget_states()


@pytest.fixture
def world(owner: Actor, settle: Callable[[Organization], int]) -> Callable[..., list[str]]:
    """Apply the config and return a function that submits workloads and runs the engine."""
    change(owner, settle, "The first")

    def submit(count: int, gpu: int, team: str | None = "research", **fields: Any) -> list[str]:
        one = {"requests": {"gpu": gpu}, "tags": {"team": team} if team else {}, **fields}
        values = [{"name": f"train-{number}", **one} for number in range(count)]
        made = submit_workloads(owner, read_submissions(values))
        settle(owner.org)
        return [each.uid for each in made]

    return submit


def change(owner: Actor, settle: Callable[[Organization], int], message: str) -> None:
    """Apply the config again with an additional comment."""
    active = ConfigVersion.objects.filter(org=owner.org).count()
    apply_config(owner, "native", f"{CONFIG}# {message}\n", message, active)
    settle(owner.org)


def resize(owner: Actor, settle: Callable[[Organization], int], gpu: int) -> None:
    """Apply the config with a quota of *gpu*."""
    active = ConfigVersion.objects.filter(org=owner.org).count()
    apply_config(owner, "kueue", KUEUE.replace("QUOTA", str(gpu)), "", active)
    settle(owner.org)


def fill(owner: Actor, settle: Callable[[Organization], int], count: int, gpu: int) -> None:
    """Submit workloads to the queue whose quota may change."""
    one = {
        "name": "train",
        "namespace": "vision",
        "tags": {"kueue.x-k8s.io/queue-name": "main"},
        "requests": {"gpu": gpu},
    }
    submit_workloads(owner, read_submissions([one] * count))
    settle(owner.org)


def hook(org: Organization, *kinds: Kind, queues: tuple[str, ...] = (), **fields: Any) -> Webhook:
    return Webhook.objects.create(
        org=org,
        name=f"hook {Webhook.objects.count()}",
        url="https://hooks.example/",
        kinds=[kind.value for kind in kinds],
        queues=list(queues),
        created_by="test",
        **fields,
    )


def take_deliveries(webhook: Webhook) -> list[dict[str, Any]]:
    """Return the pending deliveries of *webhook*, oldest first, and mark them as sent."""
    rows = Delivery.objects.filter(webhook=webhook, attempts_begun=0).order_by("pk")
    bodies = [json.loads(each.body) for each in rows]
    Delivery.objects.filter(webhook=webhook).update(attempts_begun=1, state="delivered")
    return bodies


def counts(webhook: Webhook) -> list[tuple[str, int]]:
    return [(each["type"], each["data"]["count"]) for each in take_deliveries(webhook)]


def test_a_rejection_is_told_with_the_names_of_the_api(
    world: Any, org: Organization, settings: Any
) -> None:
    settings.PUBLIC_URL = "https://console.example"
    webhook = hook(org, Kind.REJECTED)
    (uid,) = world(1, 1, None, user="nightly", project="evals", type="service")
    (body,) = take_deliveries(webhook)
    at = body.pop("timestamp")
    assert at.endswith("Z")
    url = f"https://console.example/o/here/workloads/{uid}"
    assert body == {
        "version": 1,
        "type": "workload.rejected",
        "org": "here",
        "summary": "train-0 was rejected: accepted by no rule",
        "url": url,
        "data": {
            "count": 1,
            "reasons": {"no_rule_matched": 1},
            "omitted": 0,
            "workloads": [
                {
                    "id": uid,
                    "name": "train-0",
                    "type": "service",
                    "user": "nightly",
                    "project": "evals",
                    "queue": None,
                    "priority": None,
                    "reason": {"code": "no_rule_matched", "message": "Accepted by no rule"},
                    "config_version": 1,
                    "rule_index": None,
                    "preemptor": None,
                    "url": url,
                }
            ],
        },
    }


def test_many_become_few_deliveries_with_a_bounded_list(world: Any, org: Organization) -> None:
    webhook = hook(org, Kind.REJECTED)
    for _ in range(3):
        world(1000, 1, None)
    (body,) = take_deliveries(webhook)
    data = body["data"]
    assert (data["count"], len(data["workloads"]), data["omitted"]) == (3000, LISTED, 2950)
    assert body["summary"] == "3000 workloads were rejected: accepted by no rule"
    assert body["url"].endswith("/o/here/workloads?state=rejected")
    # An attempted delivery is not changed; later notices make a new one.
    world(2, 1, None)
    assert counts(webhook) == [("workload.rejected", 2)]


def test_a_preemption_names_who_needs_the_room(world: Any, org: Organization) -> None:
    webhook = hook(org, Kind.PREEMPTED)
    (low,) = world(1, 8)
    (high,) = world(1, 8, priority=90)
    (body,) = take_deliveries(webhook)
    (victim,) = body["data"]["workloads"]
    assert (victim["id"], victim["preemptor"]) == (low, {"id": high, "name": "train-0"})
    assert body["summary"] == "train-0 was preempted: preempted"


def test_a_webhook_with_queues_is_told_names_of_these_alone(
    org: Organization, owner: Actor, settle: Callable[[Organization], int]
) -> None:
    everything = hook(org, Kind.PREEMPTED)
    borrower = hook(org, Kind.PREEMPTED, queues=("batch",))
    lender = hook(org, Kind.PREEMPTED, queues=("prod",))
    both = hook(org, Kind.PREEMPTED, queues=("prod", "batch"))
    apply_config(owner, "native", SHARED, "", 0)
    settle(org)
    for name, queue in (("low", "batch"), ("secret", "prod")):
        value = {"name": name, "requests": {"gpu": 4}, "tags": {"team": queue}}
        (row,) = submit_workloads(owner, read_submissions([value]))
        settle(org)
    whole = {"id": row.uid, "name": "secret"}
    hidden = {"id": None, "name": "another workload of queue prod"}

    def others(webhook: Webhook) -> list[Any]:
        return [
            [each["preemptor"] for each in body["data"]["workloads"]]
            for body in take_deliveries(webhook)
        ]

    text = Delivery.objects.get(webhook=borrower).body
    assert "secret" not in text
    assert row.uid not in text
    assert [others(each) for each in (everything, borrower, lender, both)] == [
        [[whole]],
        [[hidden]],
        [],
        [[whole]],
    ]


def test_a_filter_follows_a_queue_to_its_successor(
    org: Organization, owner: Actor, settle: Callable[[Organization], int]
) -> None:
    by_old, by_new, by_other = (
        hook(org, Kind.CANNOT_RUN, queues=(name,)) for name in ("prod", "prod:v2", "batch")
    )
    successor = SHARED.replace("name: prod\n", 'name: "prod:v2"\n').replace(
        "resource_queue: prod\n", 'resource_queue: "prod:v2"\n'
    )
    apply_config(owner, "native", SHARED, "", 0)
    apply_config(owner, "native", successor, "", 1)
    value = {"name": "huge", "requests": {"gpu": 9}, "tags": {"team": "prod"}}
    submit_workloads(owner, read_submissions([value]))
    settle(org)
    assert counts(by_old) == counts(by_new) == [("workload.cannot_run", 1)]
    assert take_deliveries(by_other) == []


def test_each_is_told_what_it_asked_for(world: Any, org: Organization) -> None:
    all_kinds = hook(org, Kind.REJECTED, Kind.CANNOT_RUN, Kind.PREEMPTED)
    serving = hook(org, Kind.REJECTED, Kind.CANNOT_RUN, queues=("serving",))
    research = hook(org, Kind.CANNOT_RUN, queues=("research",))
    config = hook(org, Kind.APPLIED)
    paused = hook(org, Kind.REJECTED, Kind.CANNOT_RUN, paused="by_hand")
    world(1, 9)
    world(2, 3, "serving")
    world(1, 1, None)
    assert counts(all_kinds) == [("workload.cannot_run", 3), ("workload.rejected", 1)]
    assert counts(serving) == [("workload.cannot_run", 2)]
    assert counts(research) == [("workload.cannot_run", 1)]
    assert (take_deliveries(config), take_deliveries(paused)) == ([], [])


def test_other_organizations_are_not_notified(
    world: Any, org: Organization, other_org: Organization
) -> None:
    foreign = hook(other_org, *Kind)
    world(1, 1, None)
    assert take_deliveries(foreign) == []


def test_a_workload_that_can_never_run_is_notified_once(
    world: Any, org: Organization, owner: Actor, settle: Callable[[Organization], int]
) -> None:
    webhook = hook(org, Kind.CANNOT_RUN)
    world(2, 9)
    assert counts(webhook) == [("workload.cannot_run", 2)]
    # Other workloads come and go in its queue, an unrelated config change, a worker start.
    finish_workloads(owner, world(1, 1))
    settle(org)
    change(owner, settle, "a remark")
    forget_states()
    world(1, 1)
    assert take_deliveries(webhook) == []
    # Only a new workload of the same kind is notified.
    world(1, 9)
    assert counts(webhook) == [("workload.cannot_run", 1)]


def test_a_config_that_makes_pending_workloads_impossible_is_notified(
    org: Organization, owner: Actor, settle: Callable[[Organization], int]
) -> None:
    resize(owner, settle, 8)
    webhook = hook(org, Kind.CANNOT_RUN)
    fill(owner, settle, 4, 6)
    assert take_deliveries(webhook) == []
    resize(owner, settle, 5)
    (body,) = take_deliveries(webhook)
    # One of the four runs.
    assert (body["data"]["count"], body["data"]["reasons"]) == (3, {"exceeds_max_quota": 3})
    assert [each["queue"] for each in body["data"]["workloads"]] == ["shared"] * 3
    assert ToldClass.objects.count() == 1
    # The quota grows, and then two versions in a row make it small again.
    resize(owner, settle, 7)
    assert (take_deliveries(webhook), ToldClass.objects.count()) == ([], 0)
    resize(owner, settle, 5)
    resize(owner, settle, 4)
    assert [kind for kind, _ in counts(webhook)] == ["workload.cannot_run"]


def test_a_change_that_takes_many_batches_tells_nothing_anew(
    org: Organization,
    owner: Actor,
    settle: Callable[[Organization], int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    webhook = hook(org, Kind.CANNOT_RUN)
    resize(owner, settle, 8)
    for gpu in range(9, 15):
        fill(owner, settle, 2, gpu)
    assert sum(count for _, count in counts(webhook)) == 12
    # A class that is not processed yet causes no notice.
    monkeypatch.setattr("console.workloads.services.run_engine.BATCH", 2)
    resize(owner, settle, 7)
    fill(owner, settle, 3, 1)
    assert (take_deliveries(webhook), ToldClass.objects.count()) == ([], 6)
    resize(owner, settle, 11)
    assert (take_deliveries(webhook), ToldClass.objects.count()) == ([], 3)
    resize(owner, settle, 8)
    # Nothing started in between: the running workloads leave too little quota.
    assert sum(count for _, count in counts(webhook)) == 6


def test_a_hold_in_between_does_not_tell_it_again(
    world: Any, org: Organization, owner: Actor, settle: Callable[[Organization], int]
) -> None:
    webhook = hook(org, Kind.CANNOT_RUN)
    world(1, 9)
    take_deliveries(webhook)
    hold_queue(owner, "research", "maintenance")
    settle(org)
    resume_queue(owner, "research")
    settle(org)
    assert take_deliveries(webhook) == []


def test_a_webhook_is_notified_of_later_transitions_only(
    world: Any, org: Organization, owner: Actor
) -> None:
    webhook = hook(org, Kind.REJECTED)
    world(3, 9)
    assert ToldClass.objects.count() == 0
    update_webhook(owner, webhook.pk, {"kinds": ["workload.cannot_run"]})
    assert ToldClass.objects.count() == 1
    world(1, 9)
    assert counts(webhook) == [("workload.cannot_run", 1)]


def test_without_a_webhook_a_batch_costs_one_small_query(
    world: Any, org: Organization, owner: Actor
) -> None:
    with CaptureQueriesContext(
        connection,
    ) as without:
        world(50, 1, None)
    own = [each["sql"] for each in without.captured_queries if "webhooks_" in each["sql"]]
    assert len(own) == 1
    assert not Delivery.objects.exists()


def test_a_webhook_that_is_made_while_a_worker_begins_is_told(
    world: Any, org: Organization, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loading a large state takes seconds, and the run includes submissions of that time."""
    load, made = run_engine_module.load_state, []

    def slow(*asked: Any) -> State:
        state = load(*asked)
        made.append(hook(org, Kind.REJECTED))
        submit_workloads(owner, read_submissions([{"name": "later", "requests": {"gpu": 1}}]))
        return state

    forget_states()
    monkeypatch.setattr(run_engine_module, "load_state", slow)
    world(1, 1, None)
    assert counts(made[0]) == [("workload.rejected", 2)]


def test_the_number_of_queries_does_not_grow_with_the_batch(world: Any, org: Organization) -> None:
    hook(org, Kind.REJECTED, Kind.CANNOT_RUN, Kind.PREEMPTED)
    found = []
    for count in (5, 400):
        with CaptureQueriesContext(connection) as seen:
            world(count, 1, None)
            world(count, 9)
        found.append(sum("webhooks_delivery" in each["sql"] for each in seen.captured_queries))
        Delivery.objects.all().delete()
    assert found[0] == found[1]


def test_a_batch_that_is_rolled_back_notifies_nothing(
    world: Any, org: Organization, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook = hook(org, Kind.REJECTED)

    write = Notices.write

    def fail(notices: Notices) -> None:
        write(notices)
        raise RuntimeError("after the deliveries were written")

    monkeypatch.setattr(Notices, "write", fail)
    with pytest.raises(RuntimeError):
        world(1, 1, None)
    assert take_deliveries(webhook) == []
    monkeypatch.undo()
    world(1, 1, None)
    assert counts(webhook) == [("workload.rejected", 2)]


def test_a_config_that_is_applied_rolled_back_and_reverted_is_told(
    world: Any, org: Organization, owner: Actor, settle: Callable[[Organization], int]
) -> None:
    webhook = hook(org, Kind.APPLIED, Kind.REVERTED)
    change(owner, settle, "9 GPUs")
    (applied,) = take_deliveries(webhook)
    assert (applied["type"], applied["summary"]) == (
        "config.applied",
        "Config version 2 was applied: 9 GPUs",
    )
    assert applied["url"].endswith("/o/here/config/v/2")
    assert {key: applied["data"][key] for key in ("version", "from", "kind", "author")} == {
        "version": 2,
        "from": 1,
        "kind": "apply",
        "author": "owner@here.example",
    }
    roll_back(owner, 1, 2, "back")
    (back,) = take_deliveries(webhook)
    assert (back["type"], back["data"]["back_to"]) == ("config.applied", 1)
    for revert in (
        lambda: revert_config(owner, 4, ConfigVersion.Via.API),
        lambda: (RevertTimer.objects.update(due_at=timezone.now()), revert_unconfirmed()),
    ):
        active = ConfigVersion.objects.filter(org=org).count()
        text = f"{CONFIG}# {active}\n"
        apply_config(owner, "native", text, "", active, revert_after=timedelta(minutes=5))
        assert [each["type"] for each in take_deliveries(webhook)] == ["config.applied"]
        revert()
        (reverted,) = take_deliveries(webhook)
        assert reverted["type"] == "config.reverted"
        assert reverted["summary"] == (
            f"Config version {active + 1} was reverted: version {active + 2} has the text of "
            f"version {active}"
        )


def test_a_revert_that_fails_asks_for_somebody(world: Any, org: Organization, owner: Actor) -> None:
    webhook = hook(org, Kind.REVERT_FAILED)
    apply_config(owner, "native", f"{CONFIG}#\n", "", 1, revert_after=timedelta(minutes=5))
    ConfigVersion.objects.filter(number=1).update(text="scheduling_rules: 3")
    RevertTimer.objects.update(due_at=timezone.now())
    revert_unconfirmed()
    (body,) = take_deliveries(webhook)
    assert body["type"] == "config.revert_failed"
    assert body["summary"].endswith("nothing was reverted, and an owner has to decide")
