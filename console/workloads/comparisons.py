"""Side-by-side comparisons of two decisions: of one workload at two times, or of two workloads."""

from __future__ import annotations

from dataclasses import dataclass

from console.engine.explain.compared import Compared, compare
from console.engine.explain.sentences import ExplainContext
from console.orgs.permissions import Actor
from console.workloads.disclosure import for_reader
from console.workloads.explanations import Explained, explain_decision, explain_workload
from console.workloads.models import Decision, Workload
from console.workloads.queries import get_workload
from console.workloads.queries.decisions import get_decision, latest_decisions
from console.workloads.queries.similar import admission_of, similar_admitted

#: Maximum number of workloads offered for a comparison; four times as many decisions are offered.
OFFERED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRequest:
    """The requested comparison; None selects the default."""

    #: Number of a decision about the workload itself; None selects its current explanation.
    decision: int | None = None
    #: Id of another workload, and number of a decision about that one or about the same workload.
    other: str | None = None
    other_decision: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonSide:
    """One side of a comparison."""

    workload: Workload
    #: None if the side shows the current evaluation instead of a stored decision.
    decision: Decision | None
    explained: Explained


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The decision of a workload and the one that it is compared with, if any."""

    one: ComparisonSide
    other: ComparisonSide | None
    rows: tuple[Compared, ...]
    #: Other workloads that can be compared with it, most similar first.
    offered: tuple[Workload, ...]
    #: Its own decisions, newest first.
    decisions: tuple[Decision, ...]


def compare_workload(actor: Actor, uid: str, request: ComparisonRequest) -> Comparison:
    """
    Return workload *uid* with the requested comparison, by default the most similar admitted one.

    Raises NotFound if there is no such workload or decision.
    """
    subject = get_workload(actor.org, uid)
    one = _side(actor, subject, request.decision)
    offered = similar_admitted(actor.org, subject, OFFERED)
    decisions = latest_decisions(subject, 4 * OFFERED)
    other = _other(actor, subject, request, offered)
    return Comparison(
        one=one,
        other=other,
        rows=_compare_sides(one.explained, other.explained) if other is not None else (),
        offered=tuple(offered),
        decisions=tuple(decisions),
    )


def _other(
    actor: Actor, subject: Workload, request: ComparisonRequest, offered: list[Workload]
) -> ComparisonSide | None:
    if request.other is not None:
        return _side(actor, get_workload(actor.org, request.other), request.other_decision)
    if request.other_decision is not None:
        return _side(actor, subject, request.other_decision)
    return _side(actor, offered[0], None) if offered else None


def _side(actor: Actor, workload: Workload, number: int | None) -> ComparisonSide:
    decided = get_decision(workload, number) if number is not None else None
    if decided is None and workload.state not in ("pending", "rejected"):
        # The admission of a running workload is more useful than its latest decision.
        decided = admission_of(workload)
    if decided is None:
        explained = explain_workload(actor.org, workload)
    else:
        explained = explain_decision(actor.org, decided)
    return ComparisonSide(
        workload=workload, decision=decided, explained=for_reader(actor, explained)
    )


def _compare_sides(one: Explained, other: Explained) -> tuple[Compared, ...]:
    return compare(ExplainContext(one.trace, one.names), ExplainContext(other.trace, other.names))
