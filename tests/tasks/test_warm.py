"""The warm states that a worker process keeps between runs."""

from __future__ import annotations

import pytest
from django.db import transaction

from console.engine.disciplines.quota.spec import quota_policy
from console.engine.model.workload import PodSet, Workload
from console.engine.state import State
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads import models
from console.workloads.services import load_state as load_state_module
from console.workloads.services import run_engine as run_engine_module
from console.workloads.services.run_engine import run_engine
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.services.update_over_quota import OverQuotaRows
from console.workloads.submissions import read_submissions
from console.workloads.warm_states import _EMPTY, WarmState, WarmStates


def warm(workloads: int) -> WarmState:
    """Return a state with *workloads* pending workloads."""
    state = State(quota_policy("native"))
    for number in range(workloads):
        asks = PodSet(requests={"gpu": 1})
        state.submit(Workload(id=str(number), sequence=number, labels={}, pod_sets=(asks,)))
    return WarmState(
        version=1,
        written="",
        config_version=1,
        state=state,
        over_quota_rows=OverQuotaRows(1),
        is_noted_settled=True,
        wakes_at=None,
    )


def kept(states: WarmStates) -> list[int]:
    return [org for org in range(5) if org in states]


def test_the_least_recently_used_states_are_dropped_first() -> None:
    states = WarmStates(3 * _EMPTY)
    for org in range(3):
        states.keep(org, warm(0))
    assert kept(states) == [0, 1, 2]
    found = states.get(0)
    assert found is not None
    states.keep(0, found)
    states.keep(3, warm(0))
    assert kept(states) == [0, 2, 3]
    assert states.get(1) is None
    states.drop(2)
    states.drop(2)
    states.keep(4, warm(0))
    assert kept(states) == [0, 3, 4]
    states.clear()
    states.keep(1, warm(0))
    assert kept(states) == [1]


def test_the_size_of_a_state_is_its_live_workloads() -> None:
    states = WarmStates(2 * _EMPTY + 30)
    states.keep(0, warm(10))
    states.keep(1, warm(20))
    assert kept(states) == [0, 1]
    # The state has grown since.
    states.keep(1, warm(21))
    assert kept(states) == [1]


def test_the_last_used_state_is_kept_whatever_its_size() -> None:
    states = WarmStates(0)
    states.keep(0, warm(5))
    assert kept(states) == [0]
    states.keep(1, warm(5))
    assert kept(states) == [1]


def test_a_dropped_state_is_loaded_again(
    org: Organization,
    owner: Actor,
    other_org: Organization,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    boss = owner.user
    assert boss is not None
    monkeypatch.setattr(run_engine_module, "_warm", WarmStates(0))
    loaded: list[str] = []
    load = load_state_module.load_state

    def noted(org: Organization, *rest: object) -> State:
        loaded.append(org.slug)
        return load(org, *rest)

    monkeypatch.setattr(run_engine_module, "load_state", noted)

    def submit(org: Organization, name: str) -> None:
        actor = Actor.from_user(org, boss, "owner")
        submit_workloads(actor, read_submissions([{"name": name}]))
        assert run_engine(org.pk).decisions == 1

    submit(org, "a")
    submit(org, "b")
    submit(other_org, "c")
    submit(org, "d")
    assert loaded == ["here", "elsewhere", "here"]


def test_a_state_is_reloaded_after_the_database_is_set_back(
    org: Organization, owner: Actor
) -> None:
    """A failover to a lagging standby sets it back, and other processes continue from there."""

    def submit(name: str) -> None:
        submit_workloads(owner, read_submissions([{"name": name}]))
        assert run_engine(org.pk).decisions == 1

    submit("a")
    with transaction.atomic():
        submit("lost")
        remembered = run_engine_module._warm.get(org.pk)
        transaction.set_rollback(True)
    assert remembered is not None
    run_engine_module.forget_states()
    submit("b")
    assert models.Engine.objects.get(org=org).version == remembered.version
    # The state that another process still keeps.
    run_engine_module._warm.keep(org.pk, remembered)
    submit("c")
    now = run_engine_module._warm.get(org.pk)
    assert now is not None
    assert now.state.pending.keys() | now.state.running.keys() == {
        each.uid for each in models.Workload.objects.filter(org=org, ended_at=None)
    }
