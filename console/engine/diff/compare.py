"""Compare two policies object by object: what was added, removed, renamed, moved or changed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from console.engine.diff.plain import differing, field_changes, plain_fields
from console.engine.diff.quotas import quota_details
from console.engine.diff.renames import Renames, find_renames
from console.engine.diff.rules import rule_changes
from console.engine.diff.values import Change, ChangeKind, Difference, Noun
from console.engine.model.policy import Cohort, LocalQueueRouting, Policy, Queue
from console.engine.recent_answers import Recent

#: What the settings of a config are of.
ADMISSION = "of admission"

#: Fields that are an object's name, or are compared in a way of their own.
_APART = ("name", "namespace", "groups", "index")


@Recent
def compare_policies(old: Policy, new: Policy) -> tuple[Change, ...]:
    """
    Return what differs in meaning, kind of object by kind; comments and layout do not count.

    An object under another name is recognised, and whoever names it by its new name has
    not changed by that. The last few answers are remembered, for several pages tell of one change.
    """
    renames = find_renames(old, new)
    known = renames.apply(old)
    return (
        *_named(Noun.FLAVOR, known.flavors, new.flavors, renames),
        *_named(Noun.COHORT, known.cohorts, new.cohorts, renames),
        *_named(Noun.QUEUE, known.queues, new.queues, renames),
        *rule_changes(known.rules, new.rules),
        *_local_routing(known, new, renames),
        *_settings(old, new),
    )


def _named(
    noun: Noun, old: Mapping[str, Any], new: Mapping[str, Any], renames: Renames
) -> Iterator[Change]:
    for name, item in new.items():
        if name not in old:
            yield Change(
                kind=ChangeKind.ADDED,
                noun=noun,
                name=name,
                details=tuple(_details(None, item)),
                origin=item.origin,
            )
            continue
        before = old[name]
        details = tuple(_details(before, item))
        old_name = renames.old_name(noun, name)
        if old_name or details:
            yield Change(
                kind=ChangeKind.RENAMED if old_name else ChangeKind.CHANGED,
                noun=noun,
                name=name,
                old_name=old_name,
                details=(*details, *renames.followers(noun, name)),
                origin=item.origin,
                old_origin=before.origin,
            )
    for name, item in old.items():
        if name not in new:
            yield Change(
                kind=ChangeKind.REMOVED,
                noun=noun,
                name=name,
                details=tuple(map(_turned, _details(None, item))),
                old_origin=item.origin,
            )


def _details(old: Any, new: Any) -> Iterator[Difference]:
    """Yield how *new* differs from *old*; from nothing: what it says beyond defaults."""
    if isinstance(new, Queue | Cohort):
        yield from quota_details(old.groups if old is not None else (), new.groups)
    yield from field_changes(old, new, _APART)


def _turned(detail: Difference) -> Difference:
    return dataclasses.replace(detail, old=detail.new, new=detail.old)  # type: ignore[arg-type]


def _local_routing(old: Policy, new: Policy, renames: Renames) -> Iterator[Change]:
    before = old.local_routing or LocalQueueRouting()
    after = new.local_routing or LocalQueueRouting()
    local_queues, new_local_queues = (
        {
            f"{namespace}/{name}": local_queue
            for (namespace, name), local_queue in routing.local_queues.items()
        }
        for routing in (before, after)
    )
    yield from _named(Noun.LOCAL_QUEUE, local_queues, new_local_queues, renames)
    yield from _named(Noun.PRIORITY_CLASS, before.priority_classes, after.priority_classes, renames)
    for name in dict.fromkeys((*after.namespaces, *before.namespaces)):
        yield from _namespace(name, before.namespaces.get(name), after.namespaces.get(name))


def _namespace(
    name: str, old: Mapping[str, str] | None, new: Mapping[str, str] | None
) -> Iterator[Change]:
    details = tuple(differing(old or {}, new or {}, ("labels",)))
    if old is None:
        kind = ChangeKind.ADDED
    elif new is None:
        kind = ChangeKind.REMOVED
    elif details:
        kind = ChangeKind.CHANGED
    else:
        return
    yield Change(kind=kind, noun=Noun.NAMESPACE, name=name, details=details)


def _settings(old: Policy, new: Policy) -> Iterator[Change]:
    """Compare what holds for the whole policy, as one object."""
    before, after = _whole(old), _whole(new)
    if _is_empty(old) or _is_empty(new):
        # What says nothing says it in no language.
        before["dialect"] = after["dialect"]
    details = tuple(differing(before, after))
    if details:
        yield Change(
            kind=ChangeKind.CHANGED,
            noun=Noun.SETTINGS,
            name=ADMISSION,
            details=details,
            origin=new.settings.origin,
            old_origin=old.settings.origin,
        )


def _is_empty(policy: Policy) -> bool:
    named = (policy.flavors, policy.queues, policy.cohorts, policy.rules)
    return not any(named) and policy.local_routing is None


def _whole(policy: Policy) -> dict[str, Any]:
    routing = policy.local_routing
    labels = {} if routing is None else plain_fields(routing, _BY_NAME)
    return {
        "dialect": policy.dialect,
        "discipline": policy.discipline,
        "routing": "rules" if routing is None else "local_queues",
        **labels,
        **plain_fields(policy.settings),
    }


#: Parts of local routing that are compared object by object.
_BY_NAME = ("local_queues", "namespaces", "priority_classes")
