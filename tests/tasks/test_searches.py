"""Searches for changes that would start a workload: bounded, one at a time, and cached."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from django.core.cache import cache
from django.test import Client

from console.configs.services.apply_config import apply_config
from console.engine.counterfactual import Findings
from console.engine.counterfactual.change import Change, ChangeKind, QuotaNumber
from console.engine.model.amounts import UNLIMITED
from console.engine.model.origin import Origin
from console.engine.state import State as EngineState
from console.expensive import Kind, take_place
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads import tree_cache
from console.workloads.explanations import explain_workload
from console.workloads.models import State, Workload
from console.workloads.services import search_changes as searches
from console.workloads.services.search_changes import search_changes
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.stored_findings import findings_from_json, findings_to_json
from console.workloads.submissions import Submission

CONFIG = """
resource_flavors: [{name: spot}]
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: spot, resources: [{name: gpu, nominal_quota: 4}]}]
scheduling_rules:
  - resource_queue: train
"""


@pytest.fixture(autouse=True)
def _forgotten() -> None:
    cache.clear()
    tree_cache.forget_trees()


@pytest.fixture
def waiting(org: Organization, owner: Actor, settle: Callable[[Organization], int]) -> Workload:
    """Return a workload pending behind a running one."""
    apply_config(owner, "native", CONFIG, "first", 0)
    for name, gpu in (("first", 4), ("second", 2)):
        wanted = Submission(name=name, type="job", priority=5, requests={"gpu": gpu * 1000})
        submit_workloads(owner, [wanted])
        settle(org)
    return Workload.objects.get(org=org, state=State.PENDING)


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that collects the ids of the workloads for which a search begins."""
    uids: list[str] = []
    real = searches.search

    def counted(workload: Workload, *args: object) -> Findings | None:
        uids.append(workload.uid)
        return real(workload, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(searches, "search", counted)
    return uids


@pytest.fixture
def out_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the time limit of searches to zero."""
    monkeypatch.setattr(searches, "PROCESSOR", 0.0)


def test_the_same_question_at_the_same_engine_version_is_searched_once(
    org: Organization,
    owner: Actor,
    waiting: Workload,
    begun: list[str],
    settle: Callable[[Organization], int],
) -> None:
    first = search_changes(owner, waiting)
    assert first is not None
    assert [each.kind for each in first[0].changes] == [ChangeKind.QUOTA, ChangeKind.FINISH]
    assert not first[0].is_cut
    # Readers share the answer: it contains ids, and each reader gets the names they may see.
    assert search_changes(Actor.from_command(org), waiting) == first
    assert begun == [waiting.uid]
    # The engine has a new version, so the answer may differ.
    submit_workloads(owner, [Submission(name="third", type="job", requests={"gpu": 1000})])
    settle(org)
    assert search_changes(owner, waiting) is not None
    assert begun == [waiting.uid] * 2


def test_a_kept_answer_is_json_of_one_organization_and_workload(
    owner: Actor, waiting: Workload, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: dict[str, object] = {}
    monkeypatch.setattr(cache, "set", lambda key, value, seconds: kept.update({key: value}))
    answered = search_changes(owner, waiting)
    assert answered is not None
    ((key, value),) = kept.items()
    name, org, *_, uid = key.split(":")
    assert (name, int(org), uid) == ("changes", owner.org.pk, waiting.uid)
    assert isinstance(value, str)
    assert findings_from_json(json.loads(value)) == answered[0]


def test_a_second_search_of_one_asker_is_refused_and_a_kept_answer_is_not(
    owner: Actor, waiting: Workload, client_for: Callable[[Actor], Client], begun: list[str]
) -> None:
    browser = client_for(owner)
    page = f"/o/{owner.org.slug}/workloads/{waiting.uid}/changes"
    place = take_place(Kind.ADVICE, owner.org.pk, owner.key)
    try:
        refused = browser.get(page)
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "2")
        assert b"You already have a search for changes that help running" in refused.content
        assert begun == []
    finally:
        place.release()
    assert browser.get(page).status_code == 200
    place = take_place(Kind.ADVICE, owner.org.pk, owner.key)
    try:
        assert browser.get(page).status_code == 200
    finally:
        place.release()
    assert begun == [waiting.uid]


@pytest.mark.usefixtures("out_of_time")
def test_a_search_without_time_says_how_far_it_came(
    owner: Actor,
    waiting: Workload,
    client_for: Callable[[Actor], Client],
    api_for: Callable[[Actor], Client],
) -> None:
    answered = search_changes(owner, waiting)
    assert answered is not None
    found, _ = answered
    assert (found.changes, found.in_vain, found.tried) == ((), (), 0)
    page = (
        client_for(owner)
        .get(f"/o/{owner.org.slug}/workloads/{waiting.uid}/changes")
        .content.decode()
    )
    assert f"0 of {found.untried} candidates tried; the effect of the others is unknown." in page
    assert "No single change was found that would start it now." not in page
    assert "Does not help" not in page
    path = f"/api/v1/orgs/{owner.org.slug}/workloads/{waiting.uid}/explanation"
    told = api_for(owner).get(path).json()
    assert told["is_complete"] is False
    assert told["candidates"] == {"tried": 0, "total": found.untried}
    assert (told["changes"], told["does_not_help"]) == ([], "")


def test_findings_are_the_same_after_json() -> None:
    found = Findings(
        changes=(
            Change(kind=ChangeKind.WAIT, workloads=("a", "b")),
            Change(kind=ChangeKind.LABEL, subject="team", from_="a", to=None, queue="q"),
            Change(
                kind=ChangeKind.QUOTA,
                subject="spot/gpu",
                from_=4000,
                to=UNLIMITED,
                queue="q",
                number=QuotaNumber.BORROWING_LIMIT,
                who_loses=("c",),
                who_waits=("d",),
                origin=Origin(1, 2, 3, 4),
            ),
        ),
        in_vain=(ChangeKind.ASK_LESS,),
        evaluations=7,
        tried=12,
        untried=28,
    )
    assert findings_from_json(json.loads(json.dumps(findings_to_json(found)))) == found


def test_a_process_reads_a_tree_once_for_a_version_of_the_engine(
    org: Organization,
    owner: Actor,
    waiting: Workload,
    settle: Callable[[Organization], int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []
    real = tree_cache.load_whole_tree

    def counted(
        org: Organization, workload: Workload, version: int, *, now: int
    ) -> tuple[EngineState, frozenset[str]] | None:
        read.append(workload.name)
        return real(org, workload, version, now=now)

    monkeypatch.setattr(tree_cache, "load_whole_tree", counted)
    submit_workloads(owner, [Submission(name="third", type="job", requests={"gpu": 3000})])
    settle(org)
    third = Workload.objects.get(name="third")
    alone = explain_workload(org, third)
    first = search_changes(owner, waiting)
    then = search_changes(owner, third)
    assert read == ["second"]
    # An explanation uses the same tree and is unchanged.
    assert explain_workload(org, third).trace == alone.trace
    cache.clear()
    tree_cache.forget_trees()
    assert (search_changes(owner, third), search_changes(owner, waiting)) == (then, first)
    assert read == ["second", "third"]
    # Another organization, or a new engine version, reads its own tree.
    submit_workloads(owner, [Submission(name="fourth", type="job", requests={"gpu": 1000})])
    settle(org)
    search_changes(owner, third)
    assert read == ["second", "third", "third"]
