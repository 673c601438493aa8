"""Whole searches in a worker: progress, one at a time, cancellation, crashes and lost messages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from console.configs.services.apply_config import apply_config
from console.engine.counterfactual import Findings, find_changes
from console.errors import Conflict
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import SearchRun, State, Workload
from console.workloads.services import run_search as runs
from console.workloads.services.end_workloads import withdraw_workloads
from console.workloads.services.load_whole_tree import load_whole_tree
from console.workloads.services.run_search import run_search, sweep_searches
from console.workloads.services.search_changes import search_changes
from console.workloads.services.search_fully import cancel_search, latest_run, search_fully
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission
from console.workloads.tasks import search as search_task
from console.workloads.tree_cache import forget_trees
from tests.tasks.test_searches import CONFIG

ALREADY = "A full search is already running in this organization"


@pytest.fixture
def waiting(
    org: Organization, owner: Actor, settle: Callable[[Organization], int]
) -> list[Workload]:
    """Return two workloads pending behind a running one."""
    cache.clear()
    forget_trees()
    apply_config(owner, "native", CONFIG, "first", 0)
    for name, gpu in (("first", 4), ("second", 2), ("third", 3)):
        wanted = Submission(name=name, type="job", priority=5, requests={"gpu": gpu * 1000})
        submit_workloads(owner, [wanted])
        settle(org)
    return list(Workload.objects.filter(org=org, state=State.PENDING).order_by("pk"))


@pytest.fixture(autouse=True)
def _at_every_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make runs save their progress at every check."""
    monkeypatch.setattr(runs, "PACE", 0.0)


def between(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object]) -> list[Findings]:
    """Call *happens* in the middle of the next search; return a list that collects results."""
    found: list[Findings] = []

    def search(workload: Workload, *args: object, **kwargs: object) -> Findings | None:
        version, should_stop, budget, note = args
        del version, budget
        assert callable(should_stop)
        assert callable(note)
        note(3, 12)
        assert not should_stop()
        happens()
        if should_stop():
            return Findings(tried=3, untried=9)
        found.append(Findings(tried=12))
        return found[-1]

    monkeypatch.setattr(runs, "search", search)
    return found


def test_a_worker_tries_every_candidate_and_page_and_api_show_what_it_found(
    owner: Actor,
    waiting: list[Workload],
    client_for: Callable[[Actor], Client],
    api_for: Callable[[Actor], Client],
) -> None:
    one = waiting[0]
    browser, program = client_for(owner), api_for(owner)
    page = f"/o/{owner.org.slug}/workloads/{one.uid}/changes"
    path = f"/api/v1/orgs/{owner.org.slug}/workloads/{one.uid}/search"
    assert program.get(path).status_code == 404
    assert browser.post(page, {"do": "search"}).status_code == 302
    shown = browser.get(page).content.decode()
    assert "The search waits for a worker." in shown
    assert 'hx-trigger="every 1s"' in shown
    assert program.post(path, {}, content_type="application/json").status_code == 202
    run = latest_run(one)
    assert run is not None
    assert program.get(path).json()["state"] == "waiting"
    run_search(run.pk)
    told = program.get(path).json()
    assert (told["state"], told["is_complete"], told["error"]) == ("done", True, "")
    assert told["candidates"]["tried"] == told["candidates"]["total"] > 0
    answered = search_changes(owner, one)
    assert answered is not None
    assert [each["kind"] for each in told["changes"]] == [
        each.kind.value for each in answered[0].changes
    ]
    shown = browser.get(page).content.decode()
    assert "Searched by a worker until" in shown
    assert "hx-trigger" not in shown.partition('id="changes"')[2].partition("</section>")[0]


def test_an_organization_has_one_whole_search_at_a_time(
    owner: Actor, waiting: list[Workload]
) -> None:
    one, other = waiting
    run = search_fully(owner, one)
    assert search_fully(owner, one).pk == run.pk
    with pytest.raises(Conflict, match=ALREADY):
        search_fully(owner, other)
    run_search(run.pk)
    assert search_fully(owner, other).pk != run.pk


def test_a_workload_that_is_not_pending_is_not_searched(
    owner: Actor, waiting: list[Workload]
) -> None:
    running = Workload.objects.get(org=owner.org, state=State.ADMITTED)
    with pytest.raises(Conflict, match="first is not pending: no change would start it"):
        search_fully(owner, running)


def test_a_search_waiting_for_a_worker_is_canceled_at_once(
    owner: Actor, waiting: list[Workload], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = between(monkeypatch, lambda: None)
    run = search_fully(owner, waiting[0])
    cancelled = cancel_search(owner, waiting[0])
    assert cancelled is not None
    assert cancelled.state == SearchRun.State.CANCELLED
    run_search(run.pk)
    assert found == []


def test_a_running_search_stops_when_canceled(
    owner: Actor, waiting: list[Workload], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = search_fully(owner, waiting[0])
    found = between(monkeypatch, lambda: cancel_search(owner, waiting[0]))
    run_search(run.pk)
    run.refresh_from_db()
    assert (run.state, run.result, run.tried, run.total) == ("cancelled", None, 3, 12)
    assert found == []


def test_one_stops_when_its_workload_is_gone(
    org: Organization,
    owner: Actor,
    waiting: list[Workload],
    monkeypatch: pytest.MonkeyPatch,
    settle: Callable[[Organization], int],
) -> None:
    def withdraw() -> None:
        withdraw_workloads(owner, [waiting[0].uid])
        settle(org)

    run = search_fully(owner, waiting[0])
    found = between(monkeypatch, withdraw)
    run_search(run.pk)
    run.refresh_from_db()
    assert (run.state, run.result) == ("cancelled", None)
    assert found == []


def test_a_run_that_a_killed_worker_left_is_swept_and_another_may_begin(
    owner: Actor, waiting: list[Workload]
) -> None:
    run = search_fully(owner, waiting[0])
    long_ago = timezone.now() - timedelta(minutes=5)
    SearchRun.objects.filter(pk=run.pk).update(state=SearchRun.State.RUNNING, seen_at=long_ago)
    sweep_searches()
    run.refresh_from_db()
    assert (run.state, run.error) == (
        "failed",
        "The worker that ran the search has stopped. Start the search again.",
    )
    assert search_fully(owner, waiting[1]).pk != run.pk


def test_a_message_that_comes_back_fails_the_run_that_its_worker_began(
    owner: Actor, waiting: list[Workload]
) -> None:
    run = search_fully(owner, waiting[0])
    SearchRun.objects.filter(pk=run.pk).update(state=SearchRun.State.RUNNING)
    search_task.push_request(delivery_info={"redelivered": True})
    try:
        search_task.run(run.pk)
    finally:
        search_task.pop_request()
    run.refresh_from_db()
    assert run.state == SearchRun.State.FAILED


def test_one_that_no_worker_takes_up_fails_and_one_that_ended_is_forgotten(
    owner: Actor, waiting: list[Workload]
) -> None:
    run = search_fully(owner, waiting[0])
    long_ago = timezone.now() - timedelta(hours=2)
    SearchRun.objects.filter(pk=run.pk).update(created_at=long_ago)
    sweep_searches()
    run.refresh_from_db()
    assert run.state == SearchRun.State.FAILED
    assert run.error.startswith("No worker started it within 10 minutes.")
    SearchRun.objects.filter(pk=run.pk).update(ended_at=long_ago)
    sweep_searches()
    assert latest_run(waiting[0]) is None


def test_a_thorough_search_leaves_no_candidate_out(owner: Actor, waiting: list[Workload]) -> None:
    loaded = load_whole_tree(owner.org, waiting[0], 1)
    assert loaded is not None
    noted: list[tuple[int, int]] = []
    found = find_changes(
        loaded[0],
        waiting[0].uid,
        report_progress=lambda *how_far: noted.append(how_far),
        is_thorough=True,
    )
    assert found.untried == 0
    assert noted[-1] == (found.tried, found.tried)
    assert [tried for tried, _ in noted] == sorted(tried for tried, _ in noted)
