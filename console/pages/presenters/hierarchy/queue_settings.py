"""What the config says about a hierarchical queue, for its page."""

from __future__ import annotations

from dataclasses import dataclass

from console.engine.disciplines.hierarchy.queue_profile import (
    LimitLine,
    QueueProfile,
    queue_profile,
)
from console.engine.disciplines.hierarchy.spec import hierarchy_of
from console.engine.model.policy import Policy
from console.engine.wording.words import amounts, listed, plural
from console.workloads.queries.sections import USERS, has_section


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitRow:
    """A limit, with its amounts in words."""

    limit: LimitLine
    allows: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueSettings:
    """The settings of one queue."""

    profile: QueueProfile
    #: Such as ``5 applications``; empty: no limit.
    applications: str
    limits: tuple[LimitRow, ...]


def queue_settings(policy: Policy, name: str) -> QueueSettings | None:
    """Return the settings of a queue; None if the scheduler has other settings, or none for it."""
    if not has_section(policy, USERS):
        return None
    profile = queue_profile(hierarchy_of(policy), name)
    if profile is None:
        return None
    return QueueSettings(
        profile=profile,
        applications=plural(profile.applications, "application") if profile.applications else "",
        limits=tuple(LimitRow(limit=each, allows=_allows(each)) for each in profile.limits),
    )


def _allows(limit: LimitLine) -> str:
    found = []
    if limit.applications:
        found.append(plural(limit.applications, "application"))
    if limit.resources:
        found.append(amounts(limit.resources))
    return listed(found) if found else "nothing"
