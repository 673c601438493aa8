"""What would start a workload: from rows to changes in words, each proven by the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from console.configs.queries import NO_POLICY, active_version, policy_of
from console.engine.change import Change, Setting
from console.engine.counterfactual import WHOLE_MENU, Findings, Menu, find_changes
from console.engine.decision import Reason
from console.engine.explain import Sentence
from console.engine.explain.changes import change_sentence, in_vain_sentence
from console.engine.policy import PreemptionRule
from console.orgs.models import Organization
from console.workloads import models
from console.workloads.fixes import what_would_let_in
from console.workloads.models import Engine, Workload
from console.workloads.services.load_whole_tree import load_whole_tree

#: Settings that a language has, where it does not have all of them.
_MENUS: Mapping[str, Menu] = {
    "native": {
        Setting.WITHIN_QUEUE: (PreemptionRule.LOWER_PRIORITY,),
        Setting.RECLAIM_WITHIN_COHORT: (PreemptionRule.LOWER_PRIORITY, PreemptionRule.ANY),
        Setting.BORROW_WITHIN_COHORT: (PreemptionRule.LOWER_PRIORITY,),
    }
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Help:
    """What would start a workload now; empty where nothing was tried."""

    #: Each change with its sentence, the least effort first.
    changes: tuple[tuple[Change, Sentence], ...] = ()
    #: What was tried and does not help, in one sentence; "" when nothing was.
    in_vain: str = ""
    #: Whether anything was tried: it was rejected, or it waits and the engine has looked at it.
    asked: bool = False
    #: Version of the config in which the lines are.
    config_version: int = 0
    #: Display names of the workloads that the sentences name, by id.
    names: Mapping[str, str] = field(default_factory=dict)


def what_would_help(org: Organization, workload: Workload) -> Help:
    """
    Return the single changes with each of which *workload* would start now.

    They are tried on what runs and waits at this moment. Of a rejected workload they are what
    would let it in, tried on the config that is active now. Of any other that does not wait
    nothing is asked.
    """
    if workload.state == models.State.REJECTED:
        active = active_version(org)
        policy = policy_of(active) if active else NO_POLICY
        changes = what_would_let_in(policy, workload)
        return Help(changes=changes, asked=True, config_version=active.number if active else 0)
    if workload.state != models.State.PENDING or workload.reason == Reason.NOT_EVALUATED:
        return Help()
    version = Engine.objects.values_list("config_version", flat=True).get(org=org)
    loaded = load_whole_tree(org, workload, version)
    if loaded is None:
        return Help()
    state, known = loaded
    if workload.uid not in state.pending or state.queue_of(workload.uid) != workload.queue:
        # The worker is about to move it: the rows are behind.
        return Help()
    menu = _MENUS.get(state.policy.dialect, WHOLE_MENU)
    return _worded(find_changes(state, workload.uid, menu=menu, known=known), version)


def _worded(found: Findings, version: int) -> Help:
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
        config_version=version,
        names=names,
    )
