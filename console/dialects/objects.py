"""The objects of policies in any language, and what differs between two policies by them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from console.dialects import dialects
from console.engine.diff import Change, Comparison, Flows, write_effective
from console.engine.diff.objects import QUEUE, SETTINGS, PolicyObjects, Vocabulary, Words, kinds_of
from console.engine.diff.renames import Renames
from console.engine.model.history import History
from console.engine.model.policy import Policy
from console.engine.recent_answers import Recent
from console.engine.simulation.consequences import successors


@Recent
def objects_of(policy: Policy) -> PolicyObjects:
    """Return the objects of *policy*; those of the last few policies are remembered."""
    return dialects()[policy.dialect].objects(policy)


def vocabulary_of(dialect: str) -> Vocabulary:
    """Return what a language calls its objects; an unknown one has no words of its own."""
    found = dialects().get(dialect)
    return found.vocabulary if found is not None else Vocabulary()


@cache
def shared_vocabulary() -> Vocabulary:
    """Return the terms for the kinds of all languages, in display order."""
    found: dict[str, Words] = {}
    for each in dialects().values():
        for kind in each.vocabulary.kinds:
            found.setdefault(kind, each.vocabulary.of(kind))
    settings = {SETTINGS: found.pop(SETTINGS)} if SETTINGS in found else {}
    return Vocabulary(found | settings)


@cache
def kinds_that_lead() -> tuple[str, ...]:
    """Return the kinds that are tried in order and whose keys end with what they lead to."""
    kinds = kinds_of(*(each.objects(each.empty_policy) for each in dialects().values()))
    return tuple(kind.name for kind in kinds if kind.leads_to)


@Recent
def compare_policies(old: Policy, new: Policy) -> tuple[Change, ...]:
    """
    Return what differs in meaning, kind of object by kind.

    The last few answers are remembered, for several pages tell of one change.
    """
    return tuple(_comparison(old, new).changes())


def renames_between(old: Policy, new: Policy) -> Renames:
    """Return the objects of *new* that are *old* ones under another name."""
    return _comparison(old, new).renames


@Recent
def _comparison(old: Policy, new: Policy) -> Comparison:
    return Comparison(objects_of(old), objects_of(new))


def place_takers(old: Policy, new: Policy, names: Iterable[str]) -> dict[str, str]:
    """
    Return which queue of *new* replaces which of the queues *names* of *old*, by name.

    A queue that still exists is not replaced. A removed one is replaced by its successor, or else
    by the queue with the same settings, or nearly, under another name.
    """
    gone = [name for name in names if name in old.queues and name not in new.queues]
    if not gone:
        return {}
    found = successors(old, new)
    if any(name not in found for name in gone):
        renamed = renames_between(old, new).old_names.get(QUEUE, {})
        found = {before: after for after, before in renamed.items()} | found
    return {name: found[name] for name in gone if name in found}


@Recent
def effective_text(policy: Policy) -> str:
    """Return all that *policy* says, in YAML; the last few texts are remembered."""
    return write_effective(objects_of(policy))


def flows_between(old: Policy, new: Policy, history: History | None = None) -> Flows:
    """
    Return which workloads another object of *new* takes than of *old*.

    There are none where workloads say themselves where they go. The last few answers are
    remembered.
    """
    return _flows(old, new, history)


@Recent
def _flows(old: Policy, new: Policy, history: History | None) -> Flows:
    between = dialects()[new.dialect].flows
    return Flows() if between is None else between(old, new, _comparison(old, new), history)
