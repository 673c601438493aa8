"""Renames: a removed and an added object that say the same, or nearly, are one object."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from operator import attrgetter
from typing import Any

from console.engine.diff.facts import Fact, Facts, cohort_facts, flavor_facts, queue_facts
from console.engine.diff.values import Followed, Noun
from console.engine.model.policy import Cohort, LocalQueueRouting, Policy, Queue, ResourceGroup

#: How much of what two objects say together has to be the same for them to be one.
_NEARLY = 0.5
#: What a fact counts that both state and whose value differs.
_HALF = 0.5
#: A queue under a new name can make a flavor known that has one too, and the other way round.
_MOST_ROUNDS = 3
#: Pairs of removed and added objects that are compared; in a larger change only equal ones.
_MOST_PAIRS = 2500
#: Letters of two names that are compared: what it takes grows with their cube.
_MOST_LETTERS = 60


@dataclass(frozen=True, slots=True)
class Renames:
    """Which objects of the newer policy had another name, and who follows them."""

    #: Newer name to older name, by kind of object.
    old_names: Mapping[Noun, Mapping[str, str]]
    _followers: Mapping[tuple[Noun, str], tuple[Followed, ...]] = field(default_factory=dict)

    def old_name(self, noun: Noun, name: str) -> str:
        """Return what the object was called; empty when it kept its name or is new."""
        return self.old_names.get(noun, {}).get(name, "")

    def followers(self, noun: Noun, name: str) -> tuple[Followed, ...]:
        """Return who named the renamed object before and names it now."""
        return self._followers.get((noun, name), ())

    def apply(self, policy: Policy) -> Policy:
        """Return the older *policy* with the newer names in it."""
        new_names = {
            noun: {old: new for new, old in names.items()} for noun, names in self.old_names.items()
        }
        policy = _rename_flavors(policy, new_names.get(Noun.FLAVOR, {}))
        policy = _rename_cohorts(policy, new_names.get(Noun.COHORT, {}))
        return _rename_queues(policy, new_names.get(Noun.QUEUE, {}))


def find_renames(old: Policy, new: Policy) -> Renames:
    """Return the flavors, cohorts and queues of *new* that are *old* ones under another name."""
    found: dict[Noun, dict[str, str]] = {noun: {} for noun, *_ in _KINDS}
    known = old
    for _ in range(_MOST_ROUNDS):
        before_round = known
        for noun, facts_of, items_of in _KINDS:
            names, new_names = items_of(known).keys(), items_of(new).keys()
            if names <= new_names or new_names <= names:
                # Nothing is gone, or nothing has come.
                continue
            before, after = facts_of(known), facts_of(new)
            pairs = _pairs(
                {name: facts for name, facts in before.items() if name not in after},
                {name: facts for name, facts in after.items() if name not in before},
            )
            if pairs:
                found[noun] |= pairs
                known = Renames({noun: pairs}).apply(known)
        if known is before_round:
            break
    if not any(found.values()):
        return Renames(found)
    following = _followers(known, new)
    followers = {
        (noun, name): tuple(following.get((noun, name), ()))
        for noun, names in found.items()
        for name in names
    }
    return Renames(found, followers)


_Items = Callable[[Policy], Mapping[str, Any]]
#: Flavors first: the facts of queues and cohorts name them.
_KINDS: tuple[tuple[Noun, Callable[[Policy], dict[str, Facts]], _Items], ...] = (
    (Noun.FLAVOR, flavor_facts, attrgetter("flavors")),
    (Noun.COHORT, cohort_facts, attrgetter("cohorts")),
    (Noun.QUEUE, queue_facts, attrgetter("queues")),
)


def _pairs(removed: Mapping[str, Facts], added: Mapping[str, Facts]) -> dict[str, str]:
    """Return older names by newer ones, the likest pairs first."""
    if len(removed) * len(added) > _MOST_PAIRS:
        return _equal_pairs(removed, added)
    likest = sorted(
        _candidates(removed, added), key=lambda pair: (-pair[0], -pair[1], pair[2], pair[3])
    )
    found: dict[str, str] = {}
    taken: set[str] = set()
    for _, _, name, old_name in likest:
        if name not in found and old_name not in taken:
            found[name] = old_name
            taken.add(old_name)
    return found


def _equal_pairs(removed: Mapping[str, Facts], added: Mapping[str, Facts]) -> dict[str, str]:
    """Return older names by newer ones of objects that say the same, the first with the first."""
    waiting: defaultdict[frozenset[tuple[Fact, str]], deque[str]] = defaultdict(deque)
    for old_name, facts in removed.items():
        if any(fact.tells for fact in facts):
            waiting[frozenset(facts.items())].append(old_name)
    found: dict[str, str] = {}
    for name, facts in added.items():
        if equal := waiting.get(frozenset(facts.items())):
            found[name] = equal.popleft()
    return found


def _candidates(
    removed: Mapping[str, Facts], added: Mapping[str, Facts]
) -> Iterator[tuple[float, float, str, str]]:
    """Yield (likeness, likeness of the names, newer name, older name)."""
    for name, facts in added.items():
        for old_name in removed:
            likeness = _likeness(removed[old_name], facts)
            if likeness >= _NEARLY:
                names = SequenceMatcher(
                    None, old_name[:_MOST_LETTERS], name[:_MOST_LETTERS], autojunk=False
                ).ratio()
                yield likeness, names, name, old_name


def _likeness(old: Facts, new: Facts) -> float:
    """Return how much is the same, from 0 to 1; 0 when nothing that tells objects apart is."""
    same = [fact for fact in new if fact in old and old[fact] == new[fact]]
    if not any(fact.tells for fact in same):
        return 0
    other = sum(1 for fact in new if fact in old and old[fact] != new[fact])
    either = len(old.keys() | new.keys())
    return (len(same) + _HALF * other) / either


def _followers(known: Policy, new: Policy) -> Mapping[tuple[Noun, str], list[Followed]]:
    """Return who names an object in both; *known* is the older policy with the newer names."""
    found: defaultdict[tuple[Noun, str], list[Followed]] = defaultdict(list)
    for kind, older, newer in (
        (Noun.COHORT, known.cohorts, new.cohorts),
        (Noun.QUEUE, known.queues, new.queues),
    ):
        for other, node in newer.items():
            if other in older:
                for named in _named_by(node) & _named_by(older[other]):
                    found[named].append(Followed(noun=kind, name=other))
    led = Counter(rule.queue for rule in known.rules)
    for rule in new.rules:
        if led[rule.queue]:
            led[rule.queue] -= 1
            leads = Followed(noun=Noun.RULE, name=f"{rule.index} to {rule.queue}")
            found[Noun.QUEUE, rule.queue].append(leads)
    before, after = (routing.local_routing or LocalQueueRouting() for routing in (known, new))
    for key, local_queue in after.local_queues.items():
        was = before.local_queues.get(key)
        if was is not None and was.queue == local_queue.queue:
            opens = Followed(noun=Noun.LOCAL_QUEUE, name="/".join(key))
            found[Noun.QUEUE, local_queue.queue].append(opens)
    return found


def _named_by(node: Queue | Cohort) -> set[tuple[Noun, str]]:
    """Return the flavors and the cohort that *node* names."""
    named = {(Noun.FLAVOR, entry.flavor) for group in node.groups for entry in group.flavors}
    if node.parent is not None:
        named.add((Noun.COHORT, node.parent))
    return named


def _rename_flavors(policy: Policy, names: Mapping[str, str]) -> Policy:
    if not names:
        return policy
    return replace(
        policy,
        flavors=_keyed(policy.flavors, names),
        queues={
            name: replace(queue, groups=_regroup(queue.groups, names))
            for name, queue in policy.queues.items()
        },
        cohorts={
            name: replace(cohort, groups=_regroup(cohort.groups, names))
            for name, cohort in policy.cohorts.items()
        },
    )


def _regroup(
    groups: tuple[ResourceGroup, ...], names: Mapping[str, str]
) -> tuple[ResourceGroup, ...]:
    return tuple(
        replace(
            group,
            flavors=tuple(
                replace(entry, flavor=names.get(entry.flavor, entry.flavor))
                for entry in group.flavors
            ),
        )
        for group in groups
    )


def _rename_cohorts(policy: Policy, names: Mapping[str, str]) -> Policy:
    if not names:
        return policy
    return replace(
        policy,
        cohorts=_with_parents(_keyed(policy.cohorts, names), names),
        queues=_with_parents(policy.queues, names),
    )


def _rename_queues(policy: Policy, names: Mapping[str, str]) -> Policy:
    if not names:
        return policy
    routing = policy.local_routing
    if routing is not None:
        routing = replace(
            routing,
            local_queues={
                key: replace(local_queue, queue=names.get(local_queue.queue, local_queue.queue))
                for key, local_queue in routing.local_queues.items()
            },
        )
    return replace(
        policy,
        queues=_keyed(policy.queues, names),
        rules=tuple(
            replace(rule, queue=names.get(rule.queue, rule.queue)) for rule in policy.rules
        ),
        local_routing=routing,
    )


def _keyed(items: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {
        names.get(name, name): replace(item, name=names.get(name, name))
        for name, item in items.items()
    }


def _with_parents(nodes: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {
        name: replace(node, parent=names.get(node.parent or "", node.parent))
        for name, node in nodes.items()
    }
