"""Stored decisions: the tried rules are not stored, but restored from the config version."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from console.configs.services.apply_config import apply_config
from console.engine.explain import explain
from console.engine.model import decision as engine
from console.engine.model.stored_trace import trace_to_json
from console.engine.model.trace import Trace
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.explanations import explain_decisions
from console.workloads.models import Decision
from console.workloads.services.batch import Batch
from console.workloads.services.end_workloads import withdraw_workloads
from console.workloads.services.run_engine import forget_states
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.stored_decisions import traces_of
from console.workloads.submissions import Submission

Settle = Callable[[Organization], int]

HEAD = """\
resource_flavors: [{name: any}]
resource_queues:
  - name: train
    preemption: {within_resource_queue: lower_priority}
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: any, resources: [{name: gpu, nominal_quota: 4}]}]
"""
RULE = """\
  - resource_queue: train
    selector: [{key: team, operator: in, values: [%s]}]
    priority_policy: {default: 5, min: 0, max: %d, on_violation: %s}
"""


def config(rules: int, most: int = 9, violation: str = "reject") -> str:
    """Return a config with *rules* rules, one per team; the last two have the same team."""
    teams = [*range(rules - 1), rules - 2]
    told = "".join(RULE % (f"team-{team}", most, violation) for team in teams)
    return f"{HEAD}scheduling_rules:\n{told}"


@pytest.fixture
def stored_traces(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Trace]]:
    """Return a list that collects the full trace of every stored decision, in order."""
    traces: list[Trace] = []
    decide = Batch.decide

    def collect(self: Batch, decisions: Iterable[engine.Decision], *loans: object) -> None:
        made = list(decisions)
        traces.extend(each.trace for each in made)
        decide(self, made, *loans)  # type: ignore[arg-type]

    forget_states()
    monkeypatch.setattr(Batch, "decide", collect)
    yield traces
    forget_states()


def submit(owner: Actor, name: str, team: int, gpu: int = 2, priority: int | None = None) -> str:
    wanted = Submission(
        name=name,
        type="job",
        tags={"team": f"team-{team}", "name": name},
        priority=priority,
        requests={"gpu": gpu * 1000},
    )
    return submit_workloads(owner, [wanted])[0].uid


def crowd(owner: Actor, settle: Settle) -> None:
    """Apply version 1 and produce every outcome under it."""
    apply_config(owner, "native", config(40), "", 0)
    settle(owner.org)
    for name, team, priority in (("old", 0, None), ("second", 38, 3), ("waits", 7, 0)):
        submit(owner, name, team, priority=priority)
    submit(owner, "nobody's", 77)
    submit(owner, "too-high", 38, priority=99)
    settle(owner.org)
    submit(owner, "urgent", 12, priority=9)
    settle(owner.org)


def test_a_stored_decision_is_read_unchanged_under_later_versions(
    owner: Actor, settle: Settle, stored_traces: list[Trace]
) -> None:
    crowd(owner, settle)
    apply_config(owner, "native", config(3, 99, "force_update"), "", 1)
    settle(owner.org)
    rows = list(Decision.objects.order_by("pk"))
    assert {row.outcome for row in rows} == {"admitted", "pending", "preempted", "rejected"}
    assert {row.config_version for row in rows} == {1, 2}
    # Traces of unmatched workloads list all rules of version 1; none of them is stored.
    assert [len(trace.rules) for trace in stored_traces][:5] == [40, 40, 1, 39, 8]
    assert [row.pk for row in rows if row.trace.keys() & {"rules", "priorities"}] == []
    assert [trace for _, trace in traces_of(owner.org, rows)] == stored_traces
    for explained, trace in zip(explain_decisions(owner.org, rows), stored_traces, strict=True):
        assert explained.trace == trace
        assert explained.explanation == explain(trace, explained.names)


def test_a_withdrawal_before_an_apply_keeps_the_earlier_version(
    owner: Actor, settle: Settle, stored_traces: list[Trace]
) -> None:
    apply_config(owner, "native", config(40), "", 0)
    uid = submit(owner, "runs", 30)
    settle(owner.org)
    # Both come in one batch.
    withdraw_workloads(owner, [uid])
    apply_config(owner, "native", config(3), "", 1)
    settle(owner.org)
    rows = list(Decision.objects.order_by("pk"))
    assert [(row.outcome, row.config_version) for row in rows] == [
        ("admitted", 1),
        ("withdrawn", 1),
    ]
    assert [len(trace.rules) for trace in stored_traces] == [31, 31]
    assert [trace for _, trace in traces_of(owner.org, rows)] == stored_traces


def test_a_decision_that_was_stored_with_its_rules_is_read_as_it_is(
    owner: Actor, settle: Settle, stored_traces: list[Trace]
) -> None:
    crowd(owner, settle)
    row = Decision.objects.order_by("pk").first()
    assert row is not None
    row.trace = trace_to_json(stored_traces[1])
    assert [trace for _, trace in traces_of(owner.org, [row])] == [stored_traces[1]]


def test_a_decision_takes_as_much_room_whatever_the_number_of_rules(
    owner: Actor, settle: Settle, stored_traces: list[Trace]
) -> None:
    def most() -> int:
        rows = Decision.objects.filter(config_version=version).values_list("trace", flat=True)
        return max(len(str(trace)) for trace in rows)

    sizes = []
    for version, rules in enumerate((20, 300), 1):
        apply_config(owner, "native", config(rules), "", version - 1)
        submit(owner, f"last-{rules:03}", rules - 2, gpu=0)
        settle(owner.org)
        sizes.append(most())
    assert [len(trace.rules) for trace in stored_traces] == [19, 299]
    # Only line numbers and names are longer.
    assert sizes[1] - sizes[0] < 20


def test_each_version_is_read_once_for_many_decisions(
    owner: Actor, settle: Settle, stored_traces: list[Trace]
) -> None:
    crowd(owner, settle)
    rows = list(Decision.objects.order_by("pk"))
    with CaptureQueriesContext(connection) as asked:
        assert [trace for _, trace in traces_of(owner.org, rows)] == stored_traces
    assert len(asked) == 1
