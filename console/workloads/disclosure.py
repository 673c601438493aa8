"""
Whose names a reader sees where the explanation of one workload speaks of another.

Whoever manages the work of others or edits the config sees all of them: they have to
judge both sides. Everybody else sees the names of the workloads that they submitted; of any
other they learn the queue, which the config tells every member anyway.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from console.engine.explain import explain, mentioned
from console.engine.explain.others import unnamed
from console.orgs.permissions import Actor, Permission
from console.workloads.explanations import Explained
from console.workloads.models import Workload

#: Ids per IN list; SQLite takes 999 parameters in one statement.
_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Disclosed:
    """Other workloads as one reader may know them."""

    #: What each is called, by id: its name, or words that do not tell it.
    names: Mapping[str, str]
    hidden: frozenset[str]


def sees_all_names(actor: Actor) -> bool:
    """Say whether *actor* sees the names of all workloads that an explanation speaks of."""
    return actor.may(Permission.MANAGE_WORK) or actor.may(Permission.DRAFT)


def disclose(actor: Actor, uids: Iterable[str]) -> Disclosed:
    """Return what *actor* may call the workloads with these ids; one that is gone has no name."""
    asked = sorted(set(uids))
    names: dict[str, str] = {}
    hidden: set[str] = set()
    is_open = sees_all_names(actor)
    for start in range(0, len(asked), _CHUNK):
        rows = Workload.objects.filter(org=actor.org, uid__in=asked[start : start + _CHUNK])
        for uid, name, queue, owner in rows.values_list("uid", "name", "queue", "submitted_by"):
            if is_open or owner == actor.key:
                names[uid] = name
            else:
                names[uid] = unnamed(queue)
                hidden.add(uid)
    for uid in set(asked) - names.keys():
        names[uid] = uid if is_open else unnamed(None)
        hidden.add(uid)
    return Disclosed(names, frozenset(hidden))


def for_reader(actor: Actor, explained: Explained) -> Explained:
    """Return *explained* in the words that *actor* may read."""
    if sees_all_names(actor):
        return explained
    disclosed = disclose(actor, mentioned(explained.trace))
    told = explain(explained.trace, disclosed.names)
    stages = tuple(
        replace(
            stage,
            sentences=tuple(
                replace(
                    sentence,
                    workloads=tuple(w for w in sentence.workloads if w not in disclosed.hidden),
                )
                for sentence in stage.sentences
            ),
        )
        for stage in told.stages
    )
    return replace(
        explained,
        explanation=replace(told, stages=stages),
        names=disclosed.names,
        hidden=disclosed.hidden,
    )


def disclose_preemptors(actor: Actor, workloads: Sequence[Workload]) -> None:
    """Have *workloads* of `workload_rows` tell only those preemptors that *actor* may see."""
    if sees_all_names(actor):
        return
    disclosed = disclose(actor, filter(None, (each.preemptor for each in workloads)))
    for each in workloads:
        if each.preemptor in disclosed.hidden:
            each.preemptor_name = disclosed.names[each.preemptor]  # type: ignore[attr-defined]
            each.preemptor = None
