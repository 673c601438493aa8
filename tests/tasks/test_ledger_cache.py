"""Cached ledgers of web processes: they save queries and agree with the rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from console.configs.services.apply_config import apply_config
from console.engine.disciplines.quota.discipline import QuotaDiscipline
from console.engine.disciplines.quota.ledger import Ledger
from console.engine.model.policy import Policy
from console.engine.model.trace import Trace
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.workloads import ledger_cache
from console.workloads.explanations import explain_workload
from console.workloads.ledger_cache import cached_ledger
from console.workloads.models import Engine, QueueCount, State, Usage, Workload
from console.workloads.queries import get_workload
from console.workloads.services import charged_ledger as ledger_module
from console.workloads.services.charged_ledger import ChargedLedger
from console.workloads.services.end_workloads import finish_workloads
from console.workloads.services.hold_queue import hold_queue
from console.workloads.services.load_state import load_policy, load_state
from console.workloads.services.load_tree import load_trees
from console.workloads.services.run_engine import forget_states
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission

Settle = Callable[[Organization], int]

CONFIG = """
resource_flavors: [{{name: spot}}]
resource_queues:
  - name: train
    cohort_name: ml
    preemption: {{within_resource_queue: lower_priority, reclaim_within_cohort: lower_priority}}
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{{name: spot, resources: [{{name: gpu, nominal_quota: 8}}]}}]
  - name: batch
    cohort_name: ml
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{{name: spot, resources: [{{name: gpu, nominal_quota: 8}}]}}]
{more}scheduling_rules:
  - {{resource_queue: train, selector: [{{key: to, operator: in, values: [train]}}]}}
  - {{resource_queue: batch}}
"""


#: A third queue from which the others may borrow.
LENDER = """\
  - name: lender
    cohort_name: ml
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: spot, resources: [{name: gpu, nominal_quota: 2}]}]
"""


@pytest.fixture(autouse=True)
def _cold() -> Iterator[None]:
    forget_states()
    yield
    forget_states()


@pytest.fixture
def crowd(org: Organization, owner: Actor, settle: Settle) -> list[str]:
    """Let one queue borrow from the other, and return the ids of the pending workloads."""
    apply_config(owner, "native", CONFIG.format(more=""), "first", 0)
    for to, gpu, priority, count in (
        ("batch", 1, 4, 12),
        ("train", 1, 5, 4),
        ("train", 3, 9, 1),
        ("train", 30, 7, 1),
        ("batch", 2, 3, 2),
    ):
        submit(owner, to, gpu, priority, count)
        settle(org)
    return waiting(org)


def submit(actor: Actor, to: str, gpu: int, priority: int, count: int) -> None:
    wanted = Submission(
        name=f"{to}-{gpu}", priority=priority, tags={"to": to}, requests={"gpu": gpu * 1000}
    )
    submit_workloads(actor, [wanted] * count)


def waiting(org: Organization) -> list[str]:
    rows = Workload.objects.filter(org=org, state=State.PENDING).order_by("pk")
    return list(rows.values_list("uid", flat=True))


def explanation_of(org: Organization, uid: str) -> Trace:
    """Return the explanation of a pending workload without its position."""
    explained = explain_workload(org, get_workload(org, uid))
    assert explained.live
    return replace(explained.trace, order=None)


def from_rows(org: Organization, uids: list[str]) -> list[Trace]:
    """Return the same for several workloads, computed from the whole state."""
    whole = load_state(org, Engine.objects.get(org=org).config_version)
    whole.settle()
    return [replace(whole.explain(uid), order=None) for uid in uids]


def tables_read(org: Organization, uid: str) -> set[str]:
    """Return the tables read for an explanation, out of those that a cached ledger saves."""
    with CaptureQueriesContext(connection) as queries:
        explanation_of(org, uid)
    tables = ("configs_configversion", "workloads_usage")
    return {t for t in tables if any(f'FROM "{t}"' in each["sql"] for each in queries)}


def test_policy_and_usage_are_read_once_per_engine_version(
    org: Organization, owner: Actor, crowd: list[str], settle: Settle
) -> None:
    assert len(crowd) == 4
    assert tables_read(org, crowd[0]) == {"configs_configversion", "workloads_usage"}
    for uid in crowd[1:]:
        assert tables_read(org, uid) == set()
    # The engine has a new version.
    submit(owner, "batch", 5, 1, 1)
    settle(org)
    assert tables_read(org, crowd[0]) == {"configs_configversion", "workloads_usage"}
    assert tables_read(org, crowd[1]) == set()


def test_a_kept_ledger_says_what_the_rows_say_as_the_engine_goes_on(
    org: Organization,
    owner: Actor,
    crowd: list[str],
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planted: list[Ledger] = []

    class Counting(QuotaDiscipline):
        def ledger(self, policy: Policy) -> Ledger:
            planted.append(super().ledger(policy))
            return planted[-1]

    monkeypatch.setattr(ledger_module, "load_discipline", lambda name: Counting())
    for _ in range(2):
        assert [explanation_of(org, uid) for uid in crowd] == from_rows(org, crowd)
    running = Workload.objects.filter(org=org, state=State.ADMITTED, queue="batch").first()
    assert running is not None
    finish_workloads(owner, [running.uid])
    submit(owner, "train", 1, 9, 2)
    settle(org)
    still = waiting(org)
    assert [explanation_of(org, uid) for uid in still] == from_rows(org, still)
    assert len(planted) == 1
    # Another config has its own ledger.
    apply_config(owner, "native", CONFIG.format(more=LENDER), "more", 1)
    settle(org)
    still = waiting(org)
    assert [explanation_of(org, uid) for uid in still] == from_rows(org, still)
    assert len(planted) == 2


def test_a_queue_is_held_from_the_moment_on(
    org: Organization, owner: Actor, crowd: list[str]
) -> None:
    """The hold is written before the engine takes it in."""
    before = explanation_of(org, crowd[-1])
    hold_queue(owner, "batch", "repairs")
    held = explanation_of(org, crowd[-1])
    assert held.outcome.reason == "queue_held" != before.outcome.reason


def test_books_with_more_than_was_counted_are_right_and_not_kept(
    org: Organization, crowd: list[str]
) -> None:
    """The worker may have written between the two reads."""
    Usage.objects.filter(org=org, queue="batch").delete()
    engine, row = Engine.objects.get(org=org), get_workload(org, crowd[-1])
    with cached_ledger(org, engine) as charged:
        state = load_trees(org, [row], engine.config_version, charged)
        held = sum(
            each.usage["spot", "gpu"] for each in state.running.values() if each.queue == "batch"
        )
        assert held > 0
        assert state.usage("batch") == {("spot", "gpu"): held}
        assert not charged.is_exact
    with cached_ledger(org, engine) as again:
        assert again is not charged


def test_books_are_for_one_user_at_a_time_and_lost_after_an_error(
    org: Organization, crowd: list[str]
) -> None:
    engine = Engine.objects.get(org=org)
    with cached_ledger(org, engine) as first, cached_ledger(org, engine) as second:
        assert first is not second
    with cached_ledger(org, engine) as kept:
        assert kept is first
    with pytest.raises(ZeroDivisionError), cached_ledger(org, engine):
        raise ZeroDivisionError
    with cached_ledger(org, engine) as other:
        assert other is not first


def test_books_read_while_the_engine_went_on_are_not_kept(
    org: Organization, crowd: list[str]
) -> None:
    engine = Engine.objects.get(org=org)
    with cached_ledger(org, engine) as first:
        first.charge(org, ["train"])
        Engine.objects.filter(org=org).update(version=engine.version + 1)
    with cached_ledger(org, engine) as second:
        assert second is not first


def test_few_are_kept_and_none_that_is_large(
    org: Organization, crowd: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine.objects.get(org=org)
    monkeypatch.setattr(ledger_cache, "MOST", 1)
    other = create_org("second", "Second", owner=None)
    with cached_ledger(org, engine) as first:
        pass
    with cached_ledger(other, Engine.objects.get(org=other)):
        pass
    with cached_ledger(org, engine) as second:
        assert second is not first
    monkeypatch.setattr(ledger_cache, "LARGEST", 1)
    with cached_ledger(org, engine) as large:
        large.charge(org, ["train", "batch"])
    with cached_ledger(org, engine) as third:
        assert third is not large


def test_the_first_to_stop_of_a_queue_are_found_in_the_order_of_preemption(
    org: Organization, crowd: list[str]
) -> None:
    charged = ChargedLedger(org, load_policy(org, 1), version=())
    rows = Workload.objects.filter(org=org, state=State.ADMITTED)
    expected = {
        queue: list(
            rows.filter(queue=queue)
            .order_by("priority", "-reservation")
            .values_list("pk", flat=True)
        )
        for queue in ("train", "batch")
    }
    stopping = list(Workload.objects.filter(state=State.PREEMPTING).values_list("pk", flat=True))
    found = expected["batch"][:3] + expected["train"][:1]
    for _ in range(2):
        assert charged.first_to_stop(org, [("batch", 3), ("train", 1)]) == found
        assert sorted(charged.stopping(org, ["train", "batch"])) == sorted(stopping)
    assert stopping
    assert charged.first_to_stop(org, [("batch", 1)]) == expected["batch"][:1]
    counted = dict(QueueCount.objects.filter(org=org).values_list("queue", "running"))
    charged.charge(org, ["train", "batch"])
    assert charged.running == counted
