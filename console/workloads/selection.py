"""Results of a request about selected workloads: each workload succeeds or fails alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from console.errors import BadRequest, FieldError
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission

#: Maximum number of workloads in one request.
MOST_SELECTED: Final = 500


class Outcome(StrEnum):
    """What a request has done with one workload."""

    WITHDRAWN = "withdrawn"
    RESUBMITTED = "resubmitted"
    CHANGED = "changed"
    DEACTIVATED = "deactivated"
    ACTIVATED = "activated"
    #: An earlier request had the same effect.
    UNCHANGED = "unchanged"
    WRONG_STATE = "wrong_state"
    #: The active config does not allow it.
    NOT_POSSIBLE = "not_possible"
    NOT_ALLOWED = "not_allowed"
    NOT_FOUND = "not_found"


#: Outcomes of workloads that are in the requested state.
DONE: Final = frozenset(
    {
        Outcome.WITHDRAWN,
        Outcome.RESUBMITTED,
        Outcome.CHANGED,
        Outcome.DEACTIVATED,
        Outcome.ACTIVATED,
        Outcome.UNCHANGED,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The outcome of a request for the workload *uid*, and a sentence about it."""

    uid: str
    #: Empty if there is no such workload.
    name: str = ""
    outcome: Outcome
    message: str
    #: Id of the workload that was submitted instead; empty without one.
    made: str = ""


def selected(uids: Iterable[str]) -> list[str]:
    """Return the selected ids, each once; raises BadRequest without any, or for too many."""
    found = list(dict.fromkeys(uids))
    if not 0 < len(found) <= MOST_SELECTED:
        message = f"Select 1 to {MOST_SELECTED} workloads; {len(found)} are selected."
        raise BadRequest([FieldError("ids", "wrong_length", message)], message)
    return found


def not_found(org: Organization, uid: str) -> Result:
    """Return the result for an id without a workload in *org*."""
    message = f"There is no workload {uid} in {org.slug}."
    return Result(uid=uid, outcome=Outcome.NOT_FOUND, message=message)


def not_own(actor: Actor, needed: Permission) -> str:
    """Return the message that *actor* lacks *needed* for the workload of another submitter."""
    return (
        f"Another member or token submitted the workload. The role {actor.role} may not "
        f"{needed.value}; ask an operator or owner."
    )


def summary(results: Sequence[Result]) -> str:
    """
    Return one sentence about all *results*.

    >>> done = Result(uid="a", outcome=Outcome.WITHDRAWN, message="")
    >>> summary([done, done, Result(uid="b", outcome=Outcome.WRONG_STATE, message="")])
    '2 withdrawn, 1 not possible in this state.'
    """
    counts = dict.fromkeys(Outcome, 0)
    for each in results:
        counts[each.outcome] += 1
    return f"{', '.join(f'{n} {_TITLES[which]}' for which, n in counts.items() if n)}."


_TITLES: Final = {
    Outcome.WITHDRAWN: "withdrawn",
    Outcome.RESUBMITTED: "submitted again",
    Outcome.CHANGED: "changed",
    Outcome.DEACTIVATED: "deactivated",
    Outcome.ACTIVATED: "activated",
    Outcome.UNCHANGED: "unchanged",
    Outcome.WRONG_STATE: "not possible in this state",
    Outcome.NOT_POSSIBLE: "not possible under the active config",
    Outcome.NOT_ALLOWED: "not permitted",
    Outcome.NOT_FOUND: "not found",
}
