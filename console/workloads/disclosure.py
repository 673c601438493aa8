"""
Whose names a reader sees where the explanation of one workload speaks of another.

Whoever manages the work of others or edits the config sees all of them: they have to
judge both sides. Everybody else sees the names of the workloads that they submitted; of any
other they learn the queue, which the config tells every member anyway.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from console.chunks import chunks
from console.engine.explain import explain, mentioned
from console.engine.explain.changes import change_sentence
from console.engine.explain.hidden_names import hidden_name
from console.orgs.permissions import Actor, Permission
from console.workloads.changes import Help
from console.workloads.explanations import Explained
from console.workloads.keyed import keyed
from console.workloads.models import Decision, Event, Workload


@dataclass(frozen=True, slots=True)
class Disclosed:
    """Other workloads as one reader may know them."""

    #: What each is called, by id: its name, or words that do not tell it.
    names: Mapping[str, str]
    hidden: frozenset[str]


def disclose(actor: Actor, uids: Iterable[str]) -> Disclosed:
    """Return what *actor* may call the workloads with these ids; one that is gone has no name."""
    asked = sorted(set(uids))
    names: dict[str, str] = {}
    hidden: set[str] = set()
    is_open = actor.may(Permission.READ_NAMES)
    for some in chunks(asked):
        rows = keyed(Workload.objects.filter(uid__in=some), actor.org)
        for uid, name, queue, owner in rows.values_list("uid", "name", "queue", "submitted_by"):
            if is_open or owner == actor.key:
                names[uid] = name
            else:
                names[uid] = hidden_name(queue)
                hidden.add(uid)
    for uid in set(asked) - names.keys():
        names[uid] = uid if is_open else hidden_name(None)
        hidden.add(uid)
    return Disclosed(names, frozenset(hidden))


def for_reader(actor: Actor, explained: Explained) -> Explained:
    """Return *explained* in the words that *actor* may read."""
    if actor.may(Permission.READ_NAMES):
        return explained
    disclosed = disclose(actor, mentioned(explained.trace))
    told = explain(explained.trace, disclosed.names)
    stages = tuple(
        replace(
            stage,
            sentences=tuple(
                replace(
                    sentence,
                    workloads=_without(sentence.workloads, disclosed.hidden),
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


def help_for_reader(actor: Actor, found: Help) -> Help:
    """Return *found* in the words that *actor* may read."""
    if not found.names or actor.may(Permission.READ_NAMES):
        return found
    disclosed = disclose(actor, found.names)
    told = []
    for change, sentence in found.changes:
        worded = change_sentence(change, disclosed.names)
        shown = replace(worded, workloads=_without(sentence.workloads, disclosed.hidden))
        kept = replace(
            change,
            workloads=_without(change.workloads, disclosed.hidden),
            who_loses=_without(change.who_loses, disclosed.hidden),
            who_waits=_without(change.who_waits, disclosed.hidden),
        )
        told.append((kept, shown))
    return replace(found, changes=tuple(told), names=disclosed.names)


def _without(uids: Iterable[str], hidden: frozenset[str]) -> tuple[str, ...]:
    return tuple(uid for uid in uids if uid not in hidden)


def disclose_events(actor: Actor, events: Iterable[Event]) -> Iterator[Event]:
    """Yield *events* with what *actor* may know of the workloads that their facts name."""
    for chunk in chunks(events):
        named = [uid for event in chunk for uid in _named(event.data)]
        # Asked only where there is something to tell, as with preemptors below.
        if named and not actor.may(Permission.READ_NAMES):
            disclosed = disclose(actor, named)
            for event in chunk:
                event.data = _facts(event.data, disclosed)
        yield from chunk


def _named(data: Mapping[str, Any]) -> Iterator[str]:
    if data.get("preemptor"):
        yield data["preemptor"]
    yield from data.get("victims", ())


def _facts(data: Mapping[str, Any], disclosed: Disclosed) -> dict[str, Any]:
    shown = dict(data)
    if shown.get("preemptor") in disclosed.hidden:
        shown["preemptor_name"] = disclosed.names[shown.pop("preemptor")]
    if shown.get("victims"):
        # As many as there are, whoever they are.
        shown["victims"] = [
            disclosed.names[uid] if uid in disclosed.hidden else uid for uid in shown["victims"]
        ]
    return shown


def disclose_decisions(actor: Actor, decisions: Sequence[Decision]) -> None:
    """Have *decisions* tell only those victims and preemptors that *actor* may see."""
    if actor.may(Permission.READ_NAMES):
        return
    disclosed = disclose(
        actor, (uid for each in decisions for uid in (*each.victims, each.preemptor) if uid)
    )
    for each in decisions:
        each.victims = [uid for uid in each.victims if uid not in disclosed.hidden]
        if each.preemptor in disclosed.hidden:
            each.preemptor = None


def disclose_preemptors(actor: Actor, workloads: Sequence[Workload]) -> None:
    """Have *workloads* of `workload_rows` tell only those preemptors that *actor* may see."""
    preemptors = [each.preemptor for each in workloads if each.preemptor]
    # Asked only where there is something to tell: most pages are alike for all who look.
    if not preemptors or actor.may(Permission.READ_NAMES):
        return
    disclosed = disclose(actor, preemptors)
    for each in workloads:
        if each.preemptor in disclosed.hidden:
            each.preemptor_name = disclosed.names[each.preemptor]  # type: ignore[attr-defined]
            each.preemptor = None
