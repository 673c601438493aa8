"""Finds renamed objects: pairs of a removed and an added object with equal or similar facts."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import NamedTuple, TypeAlias

from console.engine.diff.objects import (
    Lineage,
    ObjectKind,
    PolicyObject,
    PolicyObjects,
    Role,
    kinds_of,
)
from console.engine.diff.ordered import meaning_besides
from console.engine.diff.values import Followed

#: The least similarity of facts for two objects to be the same.
_NEARLY = 0.5
#: The weight of a fact that both objects have with different values.
_HALF = 0.5
#: Maximum number of rounds: a renamed object helps to recognize renamed objects that it refers to,
#: or that refer to it.
_MOST_ROUNDS = 3
#: Maximum number of pairs of removed and added objects to compare; if there are more, only objects
#: with equal facts match.
_MOST_PAIRS = 2500
#: Maximum number of letters of names to compare: the cost grows with their cube.
_MOST_LETTERS = 60


class Fact(NamedTuple):
    """The path of one fact about an object."""

    about: tuple[str, ...]
    #: Whether renamed objects are recognized by it.
    identifies: bool


#: The facts of one object, with their values as text.
Facts: TypeAlias = dict[Fact, str]


@dataclass(frozen=True, slots=True)
class Renames:
    """The renamed objects, and the objects that refer to them by the new names."""

    #: Newer name to older name, by kind of object.
    old_names: Mapping[str, Mapping[str, str]]
    _followers: Mapping[tuple[str, str], tuple[Followed, ...]] = field(default_factory=dict)

    def old_name(self, kind: str, name: str) -> str:
        """Return the former name of an object; empty when it was not renamed or is new."""
        return self.old_names.get(kind, {}).get(name, "")

    def followers(self, kind: str, name: str) -> tuple[Followed, ...]:
        """Return the objects that refer to a renamed one, before and now."""
        return self._followers.get((kind, name), ())

    def apply(self, objects: PolicyObjects) -> PolicyObjects:
        """Return the *objects* of the older policy with the newer names."""
        return objects.renamed(
            {
                kind: {old: new for new, old in names.items()}
                for kind, names in self.old_names.items()
            }
        )


def find_renames(old: PolicyObjects, new: PolicyObjects) -> Renames:
    """Return the renames between *old* and *new*; names of one lineage come first."""
    kinds = [kind for kind in kinds_of(new, old) if kind.may_be_renamed]
    found = {kind.name: _continued(kind, old, new) for kind in kinds}
    known = Renames(found).apply(old)
    for _ in range(_MOST_ROUNDS):
        before_round = known
        # Kinds to which others refer come first, so that references of the others are equal.
        for kind in kinds:
            names, new_names = known.of(kind.name).keys(), new.of(kind.name).keys()
            removed, added = names - new_names, new_names - names
            if not removed or not added:
                continue
            pairs = _pairs(_facts_of(known, kind, removed), _facts_of(new, kind, added))
            if pairs:
                found[kind.name] |= pairs
                known = Renames({kind.name: pairs}).apply(known)
        if known is before_round:
            break
    if not any(found.values()):
        return Renames(found)
    following = _followers(known, new)
    followers = {
        (kind, name): tuple(following.get((kind, name), ()))
        for kind, names in found.items()
        for name in names
    }
    return Renames(found, followers)


def _continued(kind: ObjectKind, old: PolicyObjects, new: PolicyObjects) -> dict[str, str]:
    """Return older names by newer ones of objects whose names have the same lineage."""
    if kind.lineage is None:
        return {}
    names, new_names = old.of(kind.name).keys(), new.of(kind.name).keys()
    removed, added = (
        _by_lineage(kind.lineage, names - new_names),
        _by_lineage(kind.lineage, new_names - names),
    )
    return {
        after[0]: removed[stem][0]
        for stem, after in added.items()
        if len(after) == 1 and len(removed.get(stem, ())) == 1
    }


def _by_lineage(lineage: Lineage, names: Collection[str]) -> Mapping[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name in sorted(names):
        found[lineage(name)].append(name)
    return found


def _facts_of(objects: PolicyObjects, kind: ObjectKind, keys: Collection[str]) -> dict[str, Facts]:
    """Return the facts of the objects *keys* of a kind, and the facts of others about them."""
    found = {
        key: dict(_own_facts(item)) for key, item in objects.of(kind.name).items() if key in keys
    }
    for other in objects.kinds:
        for name, form in other.references:
            if form.refers_to != kind.name:
                continue
            for item in objects.ordered(other.name):
                for mention in form.mentions(item.facts.get(name)):
                    if mention.key not in found:
                        continue
                    # Ordered objects have no name: their other facts identify them.
                    ordered = other.role is Role.ORDERED
                    who = (other.name, meaning_besides(item) if ordered else item.key, name)
                    for path, text in mention.facts:
                        found[mention.key][Fact(("mention", *who, *path), identifies=True)] = text
    return found


def _own_facts(item: PolicyObject) -> Iterator[tuple[Fact, str]]:
    for name, value in item.facts.items():
        fact = item.kind.facts[name]
        if fact.differs_from_default(value):
            for path, text in fact.form.evidence(value):
                yield Fact(("fact", name, *path), fact.identifies), text


def _pairs(removed: Mapping[str, Facts], added: Mapping[str, Facts]) -> dict[str, str]:
    """Return older names by newer ones, matching the most similar pairs first."""
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
    """Return older names by newer ones of objects with equal facts, in order."""
    waiting: defaultdict[frozenset[tuple[Fact, str]], deque[str]] = defaultdict(deque)
    for old_name, facts in removed.items():
        if any(fact.identifies for fact in facts):
            waiting[frozenset(facts.items())].append(old_name)
    found: dict[str, str] = {}
    for name, facts in added.items():
        if equal := waiting.get(frozenset(facts.items())):
            found[name] = equal.popleft()
    return found


def _candidates(
    removed: Mapping[str, Facts], added: Mapping[str, Facts]
) -> Iterator[tuple[float, float, str, str]]:
    """Yield (similarity, similarity of the names, newer name, older name)."""
    for name, facts in added.items():
        for old_name in removed:
            likeness = _likeness(removed[old_name], facts)
            if likeness >= _NEARLY:
                names = SequenceMatcher(
                    None, old_name[:_MOST_LETTERS], name[:_MOST_LETTERS], autojunk=False
                ).ratio()
                yield likeness, names, name, old_name


def _likeness(old: Facts, new: Facts) -> float:
    """Return the similarity from 0 to 1; 0 if no fact that `identifies` is equal."""
    same = [fact for fact in new if fact in old and old[fact] == new[fact]]
    if not any(fact.identifies for fact in same):
        return 0
    other = sum(1 for fact in new if fact in old and old[fact] != new[fact])
    either = len(old.keys() | new.keys())
    return (len(same) + _HALF * other) / either


def _followers(
    known: PolicyObjects, new: PolicyObjects
) -> Mapping[tuple[str, str], list[Followed]]:
    """
    Return the objects that refer to each object in both policies.

    *known* is the older policy with the newer names.
    """
    found: defaultdict[tuple[str, str], list[Followed]] = defaultdict(list)
    for kind in kinds_of(new, known):
        if not kind.references:
            continue
        before = known.of(kind.name)
        is_ordered = kind.role is Role.ORDERED
        # Ordered objects have no name: at most as many follow as referred to the object before.
        left = Counter(other for item in before.values() if is_ordered for other in _named_by(item))
        for key, item in new.of(kind.name).items():
            named = _named_by(item)
            if is_ordered:
                named = {other for other in named if left[other] > 0}
                left.subtract(named)
            else:
                named &= _named_by(before[key]) if key in before else set()
            for other in named:
                found[other].append(Followed(noun=kind.name, name=key))
    return found


def _named_by(item: PolicyObject) -> set[tuple[str, str]]:
    return {
        (form.refers_to, key)
        for name, form in item.kind.references
        for key in form.names(item.facts.get(name))
    }
