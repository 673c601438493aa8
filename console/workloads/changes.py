"""What would start a workload: from rows to changes in words, each proven by the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from console.engine.counterfactual import Findings
from console.engine.counterfactual.change import Change
from console.engine.explain import Sentence
from console.engine.explain.changes import change_sentence, cut_sentence, in_vain_sentence
from console.engine.model.common_reasons import NOT_EVALUATED
from console.orgs.permissions import Actor
from console.policies.queries import NO_POLICY, active_version, policy_of
from console.workloads import models
from console.workloads.fixes import what_would_let_in
from console.workloads.models import SearchRun, Workload
from console.workloads.services.search_changes import search_changes
from console.workloads.stored_findings import findings_from_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Help:
    """What would start a workload now; empty where nothing was tried."""

    #: Each change with its sentence, the least effort first.
    changes: tuple[tuple[Change, Sentence], ...] = ()
    #: What was tried and does not help, in one sentence; "" when nothing was.
    in_vain: str = ""
    #: Whether anything was tried: it was rejected, or it waits and the engine has looked at it.
    asked: bool = False
    #: Candidates that were tried, and those that were not for want of time: of these nothing is
    #: known.
    tried: int = 0
    untried: int = 0
    #: Version of the config in which the lines are.
    config_version: int = 0
    #: Display names of the workloads that the sentences name, by id.
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def cut(self) -> str:
        """How far the search came, in one sentence; "" when it came to its end."""
        return cut_sentence(self.tried, self.untried) if self.untried else ""


def what_would_help(actor: Actor, workload: Workload) -> Help:
    """
    Return single changes that would each start *workload* now.

    They are tried on the current state. For a rejected workload, they are changes that would make
    the active config accept it. For other workloads that are not pending, there is no search.
    Raises TooManyQuestions as `search_changes`.
    """
    if workload.state == models.State.REJECTED:
        active = active_version(actor.org)
        policy = policy_of(active) if active else NO_POLICY
        changes = what_would_let_in(policy, workload)
        return Help(changes=changes, asked=True, config_version=active.number if active else 0)
    if workload.state != models.State.PENDING or workload.reason == NOT_EVALUATED:
        return Help()
    answered = search_changes(actor, workload)
    return Help() if answered is None else worded(*answered)


def whole_help(run: SearchRun | None) -> Help | None:
    """Return the result of a complete search in words; None unless it is done."""
    if run is None or run.result is None:
        return None
    return worded(findings_from_json(run.result), run.config_version)


def worded(found: Findings, version: int) -> Help:
    """Return in words what a search found under *version* of the config."""
    mentioned = {
        uid
        for change in found.changes
        for uid in (*change.workloads, *change.who_loses, *change.who_waits)
    }
    names = dict(Workload.objects.filter(uid__in=mentioned).values_list("uid", "name"))
    return Help(
        changes=tuple((change, change_sentence(change, names)) for change in found.changes),
        in_vain=in_vain_sentence(found.in_vain) if found.in_vain else "",
        asked=True,
        tried=found.tried,
        untried=found.untried,
        config_version=version,
        names=names,
    )
