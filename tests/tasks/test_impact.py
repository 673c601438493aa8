"""Impact runs over rows: sharing, execution by a worker, cancellation and recovery."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.utils import timezone

from console.configs.errors import ConfigRejected
from console.configs.models import ImpactRun
from console.configs.retention import IMPACTS_KEPT
from console.configs.services import find_impact as find_module
from console.configs.services import run_impact as run_module
from console.configs.services import sweep_impacts
from console.configs.services.apply_config import apply_config
from console.configs.services.cancel_impact import cancel_impact
from console.configs.services.find_impact import FRESH, MOST_OPEN, find_impact
from console.configs.services.run_impact import run_impact
from console.configs.services.sweep_impacts import PATIENCE, SILENCE
from console.configs.tasks import find_impact as find_task
from console.configs.tasks import sweep_impact_runs, tidy_impact_runs
from console.errors import Conflict, NotAllowed, NotFound
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import Decision, Engine, Intake, Workload
from console.workloads.services.end_workloads import finish_workloads
from console.workloads.services.hold_queue import hold_queue
from console.workloads.services.run_engine import forget_states
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission

Settle = Callable[[Organization], int]

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"

#: Kueue, where a queue may change its quota without a new name.
LANGUAGE = "kueue"
CONFIG = """
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {{name: any}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {{name: train}}
spec:
  namespaceSelector: {{}}
  preemption: {{withinClusterQueue: {preemption}}}
  resourceGroups:
    - coveredResources: [gpu]
      flavors: [{{name: any, resources: [{{name: gpu, nominalQuota: {gpu}}}]}}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {{name: {team}, namespace: lab}}
spec: {{clusterQueue: train}}
"""


def config(gpu: int = 4, team: str = "ml", preemption: str = "Never") -> str:
    return CONFIG.format(gpu=gpu, team=team, preemption=preemption)


@pytest.fixture(autouse=True)
def _cold() -> Iterator[None]:
    forget_states()
    yield
    forget_states()


@pytest.fixture
def filled(org: Organization, owner: Actor, settle: Settle) -> Organization:
    """Submit two running and three pending workloads, and one for a queue that does not exist."""
    apply_config(owner, LANGUAGE, config(), "first", 0)
    settle(org)
    submit(owner, "a", "b", "c", "d", "e")
    submit(owner, "lost", team="none")
    settle(org)
    return org


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Make every run one for a worker; return the ids of runs sent to a worker."""
    sent: list[int] = []
    monkeypatch.setattr(find_module, "SMALL_LIVE", -1)
    monkeypatch.setattr(current_app, "send_task", lambda *_, args, **__: sent.extend(args))
    return sent


def submit(actor: Actor, *names: str, team: str = "ml", gpu: int = 2, priority: int = 0) -> None:
    submit_workloads(
        actor,
        [
            Submission(
                name=name,
                namespace="lab",
                tags={QUEUE_LABEL: team},
                priority=priority,
                requests={"gpu": gpu * 1000},
            )
            for name in names
        ],
    )


def live(run: ImpactRun) -> dict[str, list[str]]:
    assert run.result is not None
    found: list[dict[str, Any]] = run.result["live"]["outcomes"]
    return {each["outcome"]: [one["name"] for one in each["first"]] for each in found}


def history(run: ImpactRun) -> dict[str, int]:
    assert run.result is not None
    counts: dict[str, dict[str, int]] = run.result["history"]["outcomes"]
    return {outcome: count["runs"] for outcome, count in counts.items() if count["runs"]}


def age(run: ImpactRun, by: timedelta, *fields: str) -> None:
    past = timezone.now() - by - timedelta(seconds=1)
    ImpactRun.objects.filter(pk=run.pk).update(**dict.fromkeys(fields, past))


def test_a_small_question_is_answered_at_once(filled: Organization, owner: Actor) -> None:
    run = find_impact(owner, LANGUAGE, config(gpu=6))
    assert (run.state, run.base, run.author, run.done, run.total) == (
        "done",
        1,
        owner.name,
        2 * 6 + 2,
        2 * 6 + 2,
    )
    assert live(run) == {"starts": ["c"]}
    assert history(run) == {"unchanged": 6}
    assert run.result is not None
    assert (run.result["live"]["running"], run.result["live"]["pending"]) == (2, 4)


def test_a_run_changes_no_rows(filled: Organization, owner: Actor) -> None:
    def rows() -> list[Any]:
        return [
            list(Workload.objects.order_by("pk").values()),
            list(Decision.objects.order_by("pk").values()),
            list(Engine.objects.values()),
            list(Intake.objects.values()),
        ]

    before = rows()
    find_impact(owner, LANGUAGE, config(gpu=1, team="other"))
    assert rows() == before


def test_a_run_predicts_the_rows_after_the_apply(
    filled: Organization, owner: Actor, settle: Settle
) -> None:
    submit(owner, "high", priority=5)
    settle(filled)
    text = config(gpu=4, preemption="LowerPriority")
    told = find_impact(owner, LANGUAGE, text)
    assert live(told) == {
        "starts_soon": ["high"],
        "stopped": ["b"],
        "preemptible": ["a"],
    }
    apply_config(owner, LANGUAGE, text, "second", 1)
    settle(filled)
    states = dict(Workload.objects.values_list("name", "state"))
    assert states == {
        "a": "admitted",
        "b": "preempting",
        **dict.fromkeys(("c", "d", "e", "high", "lost"), "pending"),
    }
    assert live(find_impact(owner, LANGUAGE, text)) == {}


def test_pending_intake_is_applied_first(
    filled: Organization, owner: Actor, settle: Settle
) -> None:
    submit(owner, "new")
    finish_workloads(owner, [Workload.objects.get(name="a").uid])
    run = find_impact(owner, LANGUAGE, config(gpu=20))
    # The engine has not yet taken in that a finished.
    assert live(run) == {"starts": ["c", "d", "e", "new"]}


def test_a_version_that_the_worker_has_yet_to_take_in_is_the_base(
    filled: Organization, owner: Actor
) -> None:
    apply_config(owner, LANGUAGE, config(gpu=6), "second", 1)
    run = find_impact(owner, LANGUAGE, config(gpu=8))
    assert (run.base, live(run)) == (2, {"starts": ["d"]})


def test_a_held_queue_starts_no_workload(
    filled: Organization, owner: Actor, settle: Settle
) -> None:
    hold_queue(owner, "train", "rack down")
    settle(filled)
    assert live(find_impact(owner, LANGUAGE, config(gpu=20))) == {}


def test_history_includes_ended_workloads(filled: Organization, owner: Actor) -> None:
    run = find_impact(owner, LANGUAGE, config(team="none"))
    assert history(run) == {"never_fits": 5, "accepted": 1}


def test_an_organization_without_anything_has_an_answer_too(
    org: Organization, owner: Actor
) -> None:
    run = find_impact(owner, LANGUAGE, config())
    assert (run.state, run.base, live(run), history(run)) == ("done", 0, {}, {})


# Shared runs


def test_the_same_question_is_asked_once_while_its_answer_is_fresh(
    filled: Organization, owner: Actor, editor: Actor
) -> None:
    first = find_impact(owner, LANGUAGE, config(gpu=6))
    assert find_impact(editor, LANGUAGE, config(gpu=6)) == first
    assert find_impact(owner, LANGUAGE, config(gpu=7)) != first
    again = find_impact(owner, LANGUAGE, config(gpu=6), again=True)
    assert again != first
    age(again, FRESH, "ended_at")
    assert find_impact(owner, LANGUAGE, config(gpu=6)) not in (first, again)


def test_another_base_is_another_question(filled: Organization, owner: Actor) -> None:
    first = find_impact(owner, LANGUAGE, config(gpu=6))
    apply_config(owner, LANGUAGE, config(gpu=5), "second", 1)
    assert find_impact(owner, LANGUAGE, config(gpu=6)) != first


def test_an_open_question_is_joined_and_an_ended_one_is_not(
    filled: Organization, owner: Actor, large: list[int]
) -> None:
    first = find_impact(owner, LANGUAGE, config(gpu=6))
    assert first.state == "waiting"
    assert find_impact(owner, LANGUAGE, config(gpu=6), again=True) == first
    cancel_impact(owner, first.pk)
    assert find_impact(owner, LANGUAGE, config(gpu=6)) != first


def test_few_questions_are_open_at_once(
    filled: Organization, owner: Actor, large: list[int]
) -> None:
    for number in range(MOST_OPEN):
        find_impact(owner, LANGUAGE, config(gpu=10 + number))
    with pytest.raises(Conflict) as refused:
        find_impact(owner, LANGUAGE, config(gpu=99))
    assert refused.value.code == "too_many_impacts"
    cancel_impact(owner, ImpactRun.objects.first().pk)  # type: ignore[union-attr]
    find_impact(owner, LANGUAGE, config(gpu=99))


def test_a_role_without_drafts_and_a_text_with_errors_are_refused(
    filled: Organization, owner: Actor, operator: Actor, other_org: Organization
) -> None:
    with pytest.raises(NotAllowed):
        find_impact(operator, LANGUAGE, config())
    with pytest.raises(ConfigRejected):
        find_impact(owner, LANGUAGE, "kind: [1")
    assert not ImpactRun.objects.exists()
    theirs = ImpactRun.objects.create(
        org=other_org, author="x", dialect=LANGUAGE, text="", digest="x", base=0
    )
    with pytest.raises(NotFound):
        cancel_impact(owner, theirs.pk)


# In a worker


def test_a_worker_answers_what_was_sent_to_it(
    filled: Organization,
    owner: Actor,
    large: list[int],
    django_capture_on_commit_callbacks: Any,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        run = find_impact(owner, LANGUAGE, config(gpu=6))
    assert large == [run.pk]
    find_task(run.pk)
    run.refresh_from_db()
    assert (run.state, live(run)) == ("done", {"starts": ["c"]})
    # A duplicate message has no effect.
    ended = run.ended_at
    find_task(run.pk)
    run.refresh_from_db()
    assert run.ended_at == ended


def test_progress_is_noted_and_only_grows(
    filled: Organization, owner: Actor, large: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = find_impact(owner, LANGUAGE, config(gpu=6))
    monkeypatch.setattr(run_module, "PACE", 0)
    seen: list[tuple[int, int]] = []
    note = run_module._Progress._note

    def watched(progress: Any, done: int) -> None:
        note(progress, done)
        seen.append(ImpactRun.objects.values_list("done", "total").get(pk=run.pk))

    monkeypatch.setattr(run_module._Progress, "_note", watched)
    run_impact(run.pk)
    assert seen == sorted(seen)
    assert {done for done, _ in seen} >= {6, 12, 14}
    assert seen[-1] == (14, 14)


def test_a_waiting_run_is_cancelled_at_once(
    filled: Organization, owner: Actor, large: list[int]
) -> None:
    run = find_impact(owner, LANGUAGE, config(gpu=6))
    assert cancel_impact(owner, run.pk).state == "cancelled"
    run_impact(run.pk)
    run.refresh_from_db()
    assert (run.state, run.result) == ("cancelled", None)


@pytest.mark.parametrize("step", ["read", "decide", "begin_history", "compare", "end"])
def test_a_running_run_is_cancelled_at_its_next_step(
    step: str,
    filled: Organization,
    owner: Actor,
    large: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = find_impact(owner, LANGUAGE, config(gpu=6))
    monkeypatch.setattr(run_module, "PACE", 0)
    whole = getattr(run_module._Progress, step)

    def cancelling(progress: Any, *arguments: Any) -> None:
        cancel_impact(owner, run.pk)
        whole(progress, *arguments)

    monkeypatch.setattr(run_module._Progress, step, cancelling)
    run_impact(run.pk)
    run.refresh_from_db()
    assert (run.state, run.is_cancelled, run.result, run.error) == ("cancelled", True, None, "")


def test_an_error_is_told_and_raised(
    filled: Organization, owner: Actor, large: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError

    run = find_impact(owner, LANGUAGE, config(gpu=6))
    monkeypatch.setattr(run_module, "history_of", broken)
    with pytest.raises(ZeroDivisionError):
        run_impact(run.pk)
    run.refresh_from_db()
    assert (run.state, run.error) == (
        "failed",
        "The run failed with an error; see the log of the worker.",
    )


# Lost runs


def test_a_run_whose_worker_is_gone_is_given_up(
    filled: Organization, owner: Actor, large: list[int]
) -> None:
    run = find_impact(owner, LANGUAGE, config(gpu=6))
    running = ImpactRun.objects.filter(pk=run.pk)
    running.update(state="running", started_at=timezone.now())
    sweep_impact_runs()
    assert running.get().state == "running"
    age(run, SILENCE, "seen_at")
    sweep_impact_runs()
    lost = running.get()
    assert (lost.state, lost.error) == (
        "failed",
        "The worker of this run has stopped. Start the run again.",
    )
    assert lost.ended_at is not None


def test_a_cancelled_run_whose_worker_is_gone_is_cancelled(
    filled: Organization, owner: Actor, large: list[int]
) -> None:
    run = find_impact(owner, LANGUAGE, config(gpu=6))
    ImpactRun.objects.filter(pk=run.pk).update(state="running")
    cancel_impact(owner, run.pk)
    age(run, SILENCE, "seen_at")
    sweep_impact_runs()
    run.refresh_from_db()
    assert (run.state, run.error) == ("cancelled", "")


def test_a_worker_that_was_given_up_writes_nothing(
    filled: Organization, owner: Actor, large: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = find_impact(owner, LANGUAGE, config(gpu=6))
    whole = run_module._Progress.end

    def late(progress: Any, result: Any) -> None:
        age(run, SILENCE, "seen_at")
        sweep_impact_runs()
        whole(progress, result)

    monkeypatch.setattr(run_module._Progress, "end", late)
    run_impact(run.pk)
    run.refresh_from_db()
    assert (run.state, run.result) == ("failed", None)


def test_a_lost_message_is_sent_again(filled: Organization, owner: Actor, large: list[int]) -> None:
    run = find_impact(owner, LANGUAGE, config(gpu=6))
    sweep_impact_runs()
    assert large == []
    age(run, SILENCE, "seen_at")
    sweep_impact_runs()
    sweep_impact_runs()
    assert large == [run.pk]


def test_without_a_worker_a_question_ends(
    filled: Organization, owner: Actor, large: list[int]
) -> None:
    run = find_impact(owner, LANGUAGE, config(gpu=6))
    age(run, PATIENCE, "seen_at", "created_at")
    sweep_impact_runs()
    run.refresh_from_db()
    assert (run.state, large) == ("failed", [])
    assert run.error == (
        "No worker started this run within 10 minutes. "
        "Ask the operator of this installation for a worker that serves the queue impact."
    )


def test_a_message_that_comes_back_tells_of_a_worker_that_died(
    filled: Organization, owner: Actor, large: list[int]
) -> None:
    run = find_impact(owner, LANGUAGE, config(gpu=6))
    ImpactRun.objects.filter(pk=run.pk).update(state="running")
    find_task.push_request(delivery_info={"redelivered": True})
    try:
        find_task.run(run.pk)
    finally:
        find_task.pop_request()
    run.refresh_from_db()
    assert (run.state, run.error) == (
        "failed",
        "The worker of this run has stopped. Start the run again.",
    )


def test_old_ended_runs_are_deleted(filled: Organization, owner: Actor) -> None:
    old = find_impact(owner, LANGUAGE, config(gpu=6))
    new = find_impact(owner, LANGUAGE, config(gpu=7))
    age(old, IMPACTS_KEPT, "ended_at")
    tidy_impact_runs()
    assert list(ImpactRun.objects.all()) == [new]


def test_the_newest_ended_runs_are_kept(
    filled: Organization, owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweep_impacts, "MOST_KEPT", 2)
    monkeypatch.setattr(sweep_impacts, "_ROWS", 2)
    runs = [find_impact(owner, LANGUAGE, config(gpu=gpu)) for gpu in range(1, 8)]
    ImpactRun.objects.filter(pk=runs[0].pk).update(state="waiting", ended_at=None)
    other = Organization.objects.create(name="Other", slug="other")
    elsewhere = ImpactRun.objects.create(
        org=other, state="done", base=0, digest="", ended_at=timezone.now()
    )
    assert sweep_impacts.forget_impacts() == 4
    assert sweep_impacts.forget_impacts() == 0
    # Unfinished runs are never deleted.
    assert set(ImpactRun.objects.all()) == {runs[0], *runs[-2:], elsewhere}
