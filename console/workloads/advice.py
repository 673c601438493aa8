"""Changes that would start or accept a workload, each verified by the engine, with a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from console.engine.counterfactual import Findings
from console.engine.counterfactual.change import Change, ChangeKind
from console.engine.explain import Sentence
from console.engine.explain.changes import change_sentence, cut_sentence, in_vain_sentence
from console.engine.model.common_reasons import NOT_EVALUATED
from console.engine.model.reasons import reason_of
from console.engine.wording.suggest import edit_distance
from console.orgs.permissions import Actor
from console.policies.queries import NO_POLICY, active_version, policy_of
from console.workloads import models
from console.workloads.fixes import accepting_changes
from console.workloads.models import SearchRun, Workload
from console.workloads.services.search_changes import search_changes
from console.workloads.stored_findings import findings_from_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Changes that would start a workload now; empty if no search ran."""

    #: Each change with its sentence, as `_likeliest_first` orders them.
    changes: tuple[tuple[Change, Sentence], ...] = ()
    #: One sentence about kinds of changes that were tried and do not help; "" without any.
    in_vain: str = ""
    #: Whether changes were searched: the workload is rejected, or pending and evaluated.
    is_searched: bool = False
    #: Number of candidates that were tried, and of those skipped for lack of time, whose result is
    #: unknown.
    tried: int = 0
    untried: int = 0
    #: Config version that the line numbers refer to.
    config_version: int = 0
    #: Display names of the workloads in the sentences, by id.
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def cut(self) -> str:
        """One sentence about an incomplete search; "" if all candidates were tried."""
        return cut_sentence(self.tried, self.untried) if self.untried else ""


def find_advice(actor: Actor, workload: Workload) -> Advice:
    """
    Return single changes that would each start *workload* now.

    They are tried on the current state. For a rejected workload, they are changes that would make
    the active config accept it, or that would start it if `is_tried_again`. For other workloads
    that are not pending, there is no search. Raises TooManyQuestions like `search_changes`.
    """
    if is_tried_again(workload):
        searched = search_changes(actor, workload)
        if searched is not None:
            return advice_of_findings(*searched)
    if workload.state == models.State.REJECTED:
        active = active_version(actor.org)
        policy = policy_of(active) if active else NO_POLICY
        return Advice(
            changes=_likeliest_first(accepting_changes(policy, workload)),
            is_searched=True,
            config_version=active.number if active else 0,
        )
    if workload.state != models.State.PENDING or workload.reason == NOT_EVALUATED:
        return Advice()
    searched = search_changes(actor, workload)
    return Advice() if searched is None else advice_of_findings(*searched)


def is_tried_again(workload: Workload) -> bool:
    """Return whether *workload* was rejected for lack of capacity, so that it may start later."""
    is_rejected = workload.state == models.State.REJECTED
    return is_rejected and reason_of(workload.reason).depends_on_capacity


def advice_of_search(run: SearchRun | None) -> Advice | None:
    """Return the result of a complete search with sentences; None while there is no result."""
    if run is None or run.result is None:
        return None
    return advice_of_findings(findings_from_json(run.result), run.config_version)


def advice_of_findings(findings: Findings, version: int) -> Advice:
    """Return the findings of a search under config *version* with their sentences."""
    mentioned = {
        uid
        for change in findings.changes
        for uid in (*change.workloads, *change.who_loses, *change.who_waits)
    }
    names = dict(Workload.objects.filter(uid__in=mentioned).values_list("uid", "name"))
    return Advice(
        changes=_likeliest_first(
            (change, change_sentence(change, names)) for change in findings.changes
        ),
        in_vain=in_vain_sentence(findings.in_vain) if findings.in_vain else "",
        is_searched=True,
        tried=findings.tried,
        untried=findings.untried,
        config_version=version,
        names=names,
    )


def _likeliest_first(
    changes: Iterable[tuple[Change, Sentence]],
) -> tuple[tuple[Change, Sentence], ...]:
    """
    Return *changes*, which begin with the least effort, ordered by what was probably meant.

    A resubmission without a change comes first, then labels that are one edit away from the
    present value, which are probably misspelled.
    """
    return tuple(sorted(changes, key=lambda each: _rank(each[0])))


def _rank(change: Change) -> int:
    if change.kind is ChangeKind.RESUBMIT:
        return 0
    before, after = change.from_, change.to
    is_label = change.kind is ChangeKind.LABEL
    if is_label and isinstance(before, str) and isinstance(after, str):
        return 1 if edit_distance(before, after, 2) == 1 else 2
    return 2
