"""Kept ledgers: explanations told on them are those of rows that are read anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from console.configs.services.apply_config import apply_config
from console.engine.state import State as EngineState
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads import kept_ledgers
from console.workloads.explanations import explain_workload
from console.workloads.models import State, Workload
from console.workloads.services.books import Books
from console.workloads.services.end_workloads import finish_workloads
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission

_QUEUE = """
  - name: {name}
    cohort_name: ml
    preemption: {{within_resource_queue: lower_priority, reclaim_within_cohort: any}}
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{{name: spot, resources: [{{name: gpu, nominal_quota: 4}}]}}]
"""
_RULES = """
scheduling_rules:
  - {selector: [{key: team, operator: in, values: [b]}], resource_queue: b}
  - {resource_queue: a}
"""


def _config(names: str) -> str:
    queues = "".join(_QUEUE.format(name=name) for name in names)
    return f"resource_flavors: [{{name: spot}}]\nresource_queues:{queues}{_RULES}"


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    kept_ledgers.forget_ledgers()
    yield
    kept_ledgers.forget_ledgers()


@pytest.fixture
def charged(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Note for each explanation whether queues had to be read for it."""
    read: list[bool] = []
    real = Books.charge

    def noted(books: Books, *asked: object) -> None:
        real(books, *asked)  # type: ignore[arg-type]
        read.append(books.was_read)

    monkeypatch.setattr(Books, "charge", noted)
    return read


def test_an_explanation_on_a_kept_ledger_is_that_of_rows(
    org: Organization,
    owner: Actor,
    settle: Callable[[Organization], int],
    charged: list[bool],
) -> None:
    def submit(name: str, team: str, gpu: int, priority: int = 5) -> None:
        wanted = Submission(
            name=name,
            type="job",
            tags={"team": team},
            priority=priority,
            requests={"gpu": gpu * 1000},
        )
        submit_workloads(owner, [wanted])
        settle(org)

    def finish(name: str) -> None:
        finish_workloads(owner, [Workload.objects.get(name=name).uid])
        settle(org)

    def explained() -> list[object]:
        return [
            explain_workload(org, each).trace
            for each in Workload.objects.filter(state=State.PENDING).order_by("pk")
        ]

    apply_config(owner, "native", _config("abc"), "first", 0)
    steps: list[Callable[[], object]] = [
        lambda: [submit(f"a{number}", "a", 3) for number in range(3)],
        lambda: submit("large", "a", 9),
        lambda: submit("theirs", "b", 3, 9),
        lambda: submit("again", "b", 7, 1),
        lambda: finish("a0"),
        lambda: apply_config(owner, "native", _config("abcd"), "more", 1),
        lambda: settle(org),
        lambda: finish("theirs"),
    ]
    for step in steps:
        step()
        on_kept = [explained(), explained()]
        kept_ledgers.forget_ledgers()
        assert on_kept == [explained()] * 2
    assert len(charged) > 20
    # The ledger of the version is read once: the later ones find it.
    assert not all(charged)


def test_one_that_was_left_in_an_error_is_not_kept(
    org: Organization,
    owner: Actor,
    settle: Callable[[Organization], int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    apply_config(owner, "native", _config("abc"), "first", 0)
    for gpu in (4, 20):
        submit_workloads(
            owner, [Submission(name=f"w{gpu}", type="job", requests={"gpu": gpu * 1000})]
        )
        settle(org)
    waiting = Workload.objects.get(org=org, state=State.PENDING)
    expected = explain_workload(org, waiting).trace
    assert len(kept_ledgers._kept) == 1

    def fails(*args: object, **kwargs: object) -> None:
        raise RuntimeError("explain")

    with monkeypatch.context() as patched:
        patched.setattr(EngineState, "explain", fails)
        with pytest.raises(RuntimeError):
            explain_workload(org, waiting)
    assert kept_ledgers._kept == []
    assert explain_workload(org, waiting).trace == expected
