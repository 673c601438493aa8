"""The objects of policies in any language, and the differences between two policies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from console.dialects import dialects
from console.engine.diff import Change, Comparison, Flows, write_effective
from console.engine.diff.objects import QUEUE, SETTINGS, PolicyObjects, Vocabulary, Words, kinds_of
from console.engine.diff.renames import Renames
from console.engine.model.history import History
from console.engine.model.policy import Policy
from console.engine.result_cache import CachedFunction
from console.engine.simulation.consequences import successors


@CachedFunction
def objects_of(policy: Policy) -> PolicyObjects:
    """Return the objects of *policy*; those of the last few policies are cached."""
    return dialects()[policy.dialect].objects(policy)


def vocabulary_of(dialect: str) -> Vocabulary:
    """Return a language's words for its objects; the vocabulary of an unknown language is empty."""
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
def kinds_with_target() -> tuple[str, ...]:
    """Return the kinds whose objects are tried in order and have a target, such as rules."""
    kinds = kinds_of(*(each.objects(each.empty_policy) for each in dialects().values()))
    return tuple(kind.name for kind in kinds if kind.leads_to)


@CachedFunction
def compare_policies(old: Policy, new: Policy) -> tuple[Change, ...]:
    """
    Return the changes in meaning, one kind of object after another.

    The last few results are cached, because several pages show the same change.
    """
    return tuple(_comparison(old, new).changes())


def renames_between(old: Policy, new: Policy) -> Renames:
    """Return the objects of *new* that are renamed objects of *old*."""
    return _comparison(old, new).renames


@CachedFunction
def _comparison(old: Policy, new: Policy) -> Comparison:
    return Comparison(objects_of(old), objects_of(new))


def find_replacements(old: Policy, new: Policy, names: Iterable[str]) -> dict[str, str]:
    """
    Return the queue of *new* that replaces each of the queues *names* of *old*, by old name.

    A queue that still exists is not replaced. A removed one is replaced by the queue that continues
    it, or else by its successor, or else by the queue with the same or nearly the same settings
    under another name.
    """
    gone = [name for name in names if name in old.queues and name not in new.queues]
    if not gone:
        return {}
    found = successors(old, new) | continued_queues(old, new)
    if any(name not in found for name in gone):
        renamed = renames_between(old, new).old_names.get(QUEUE, {})
        found = {before: after for after, before in renamed.items()} | found
    return {name: found[name] for name in gone if name in found}


def continued_queues(old: Policy, new: Policy) -> dict[str, str]:
    """
    Return the removed queues that *new* continues under another name of the same lineage.

    They are the same queues: a language that fixes the settings of a name gives a changed queue
    the next name.
    """
    lineage = vocabulary_of(new.dialect).of(QUEUE).lineage
    if lineage is None or all(name in new.queues for name in old.queues):
        return {}
    renamed = renames_between(old, new).old_names.get(QUEUE, {})
    return {before: after for after, before in renamed.items() if lineage(before) == lineage(after)}


def current_queue(policy: Policy, name: str) -> str:
    """Return the queue of *policy* that continues *name*; *name* itself if none does."""
    lineage = vocabulary_of(policy.dialect).of(QUEUE).lineage
    if lineage is None or name in policy.queues:
        return name
    found = _queues_by_stem(policy).get(lineage(name), ())
    return found[0] if len(found) == 1 else name


@CachedFunction
def _queues_by_stem(policy: Policy) -> Mapping[str, Sequence[str]]:
    lineage = vocabulary_of(policy.dialect).of(QUEUE).lineage
    found: defaultdict[str, list[str]] = defaultdict(list)
    if lineage is not None:
        for name in policy.queues:
            found[lineage(name)].append(name)
    return found


@CachedFunction
def effective_text(policy: Policy) -> str:
    """Return all facts of *policy* in YAML; the last few texts are cached."""
    return write_effective(objects_of(policy))


def flows_between(old: Policy, new: Policy, history: History | None = None) -> Flows:
    """
    Return the workloads that *new* assigns to another object than *old* does.

    Empty if workloads name their destination themselves. The last few results are cached.
    """
    return _flows(old, new, history)


@CachedFunction
def _flows(old: Policy, new: Policy, history: History | None) -> Flows:
    between = dialects()[new.dialect].flows
    return Flows() if between is None else between(old, new, _comparison(old, new), history)
