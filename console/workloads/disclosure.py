"""
Disclosure of the names of other workloads in explanations, events and decisions.

Members who manage workloads of others or edit the config see all names, because they have to
judge both sides. Other members see the names of workloads that they submitted. Of any other
workload they see only the queue, which every member can read in the config.
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
from console.workloads.advice import Advice
from console.workloads.explanations import Explained
from console.workloads.models import Decision, Event, Workload
from console.workloads.org_filter import in_org


@dataclass(frozen=True, slots=True)
class Disclosed:
    """The names of other workloads that one reader may see."""

    #: Displayed text by id: the name, or a phrase that does not reveal it.
    names: Mapping[str, str]
    hidden: frozenset[str]


def disclose(actor: Actor, uids: Iterable[str]) -> Disclosed:
    """Return the names of *uids* that *actor* may see; a deleted workload has no name."""
    requested = sorted(set(uids))
    names: dict[str, str] = {}
    hidden: set[str] = set()
    is_open = actor.may(Permission.READ_NAMES)
    for some in chunks(requested):
        rows = in_org(Workload.objects.filter(uid__in=some), actor.org)
        for uid, name, queue, owner in rows.values_list("uid", "name", "queue", "submitted_by"):
            if is_open or owner == actor.key:
                names[uid] = name
            else:
                names[uid] = hidden_name(queue)
                hidden.add(uid)
    for uid in set(requested) - names.keys():
        names[uid] = uid if is_open else hidden_name(None)
        hidden.add(uid)
    return Disclosed(names, frozenset(hidden))


def for_reader(actor: Actor, explained: Explained) -> Explained:
    """Return *explained* with only the names that *actor* may see."""
    if actor.may(Permission.READ_NAMES):
        return explained
    # The workload itself keeps its id: its own page is open to the reader.
    disclosed = disclose(actor, mentioned(explained.trace) - {explained.trace.workload})
    explanation = explain(explained.trace, disclosed.names)
    stages = tuple(
        replace(
            stage,
            sentences=tuple(
                replace(
                    sentence,
                    workloads=_without_hidden(sentence.workloads, disclosed.hidden),
                )
                for sentence in stage.sentences
            ),
        )
        for stage in explanation.stages
    )
    return replace(
        explained,
        explanation=replace(explanation, stages=stages),
        names=disclosed.names,
        hidden=disclosed.hidden,
    )


def advice_for_reader(actor: Actor, found: Advice) -> Advice:
    """Return *found* with only the names that *actor* may see."""
    if not found.names or actor.may(Permission.READ_NAMES):
        return found
    disclosed = disclose(actor, found.names)
    shown_changes = []
    for change, sentence in found.changes:
        reworded = change_sentence(change, disclosed.names)
        shown = replace(reworded, workloads=_without_hidden(sentence.workloads, disclosed.hidden))
        visible = replace(
            change,
            workloads=_without_hidden(change.workloads, disclosed.hidden),
            who_loses=_without_hidden(change.who_loses, disclosed.hidden),
            who_waits=_without_hidden(change.who_waits, disclosed.hidden),
        )
        shown_changes.append((visible, shown))
    return replace(found, changes=tuple(shown_changes), names=disclosed.names)


def _without_hidden(uids: Iterable[str], hidden: frozenset[str]) -> tuple[str, ...]:
    return tuple(uid for uid in uids if uid not in hidden)


def disclose_events(actor: Actor, events: Iterable[Event]) -> Iterator[Event]:
    """Yield *events* with only the workloads in their data that *actor* may see."""
    for chunk in chunks(events):
        named = [uid for event in chunk for uid in _named(event.data)]
        # Permissions are checked only if another workload is named, as for preemptors below.
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
        # The number of victims stays the same.
        shown["victims"] = [
            disclosed.names[uid] if uid in disclosed.hidden else uid for uid in shown["victims"]
        ]
    return shown


def disclose_decisions(actor: Actor, decisions: Sequence[Decision]) -> None:
    """Remove the victims and preemptors that *actor* may not see from *decisions*, in place."""
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
    """Hide the preemptors that *actor* may not see in *workloads* of `workload_rows`, in place."""
    preemptors = [each.preemptor for each in workloads if each.preemptor]
    # Permissions are checked only if there is a preemptor: most pages are the same for all readers.
    if not preemptors or actor.may(Permission.READ_NAMES):
        return
    disclosed = disclose(actor, preemptors)
    for each in workloads:
        if each.preemptor in disclosed.hidden:
            each.preemptor_name = disclosed.names[each.preemptor]  # type: ignore[attr-defined]
            each.preemptor = None
