"""Generic form of the objects of a policy: kind, key, origin and facts, in any language."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from console.engine.diff.plain import differing, plain
from console.engine.diff.values import Difference, Plain
from console.engine.model.origin import Origin

#: The kind of queues, in all languages.
QUEUE: Final = "queue"
#: The kind and the key of the object with the settings of the whole policy.
SETTINGS: Final = "settings"
OF_ADMISSION: Final = "of admission"
#: The names of the settings with the config language and its discipline.
LANGUAGE: Final = "dialect"
DISCIPLINE: Final = "discipline"

#: Newer names by older ones, by kind of object.
Names: TypeAlias = Mapping[str, Mapping[str, str]]


#: Name -> the part of it that is common to all names of the same object.
Lineage: TypeAlias = Callable[[str], str]


class Role(Enum):
    """How objects of a kind are identified."""

    #: By their names.
    NAMED = "named"
    #: By their facts and their position: they are tried in order.
    ORDERED = "ordered"
    #: There is at most one, with settings of the whole policy.
    WHOLE = "whole"


class Number(str):
    """A number as text, which the effective text does not quote."""

    __slots__ = ()


class Mention(NamedTuple):
    """A reference to an object of another kind, and the facts about it: paths and values."""

    kind: str
    key: str
    facts: tuple[tuple[tuple[str, ...], str], ...] = (((), ""),)


class Form:
    """How values of a fact are compared and shown; this base class is for plain values."""

    #: Facts with a lower rank come first in the effective text.
    rank = 0
    #: The kind of the objects to which values refer; empty: none.
    refers_to = ""

    def differences(self, name: str, old: Any, new: Any) -> Iterator[Difference]:
        """Yield the differences of the fact *name*; *old* of an added object is the default."""
        yield from differing({name: plain(old)}, {name: plain(new)})

    def evidence(self, value: Any) -> Iterator[tuple[tuple[str, ...], str]]:
        """Yield the paths and values by which a renamed object is recognized."""
        yield (), repr(plain(value))

    def names(self, value: Any) -> Iterator[str]:
        """Yield the keys of the objects to which *value* refers."""
        yield from ()

    def mentions(self, value: Any) -> Iterator[Mention]:
        """Yield the references in *value*, with its facts about each object."""
        for key in self.names(value):
            yield Mention(self.refers_to, key)

    def renamed(self, value: Any, names: Names) -> Any:
        """Return *value* with the newer names of the objects to which it refers."""
        return value

    def effective(self, value: Any) -> Plain:
        """Return *value* in the form of the effective text."""
        return plain(value)


_PLAIN: Final = Form()


class Reference(Form):
    """A fact with the name of one object of a kind, or None."""

    def __init__(self, kind: str) -> None:
        self.refers_to = kind

    def names(self, value: Any) -> Iterator[str]:
        """Yield the key of the object."""
        if value is not None:
            yield value

    def renamed(self, value: Any, names: Names) -> Any:
        """Return the newer name."""
        return names.get(self.refers_to, {}).get(value, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactType:
    """The properties of a fact of a kind of objects."""

    #: The default value; None for facts without one.
    default: Any = None
    form: Form = _PLAIN
    #: Whether renamed objects are recognized by it; False if most objects have the same value.
    identifies: bool = True
    #: Whether comparisons of policies include it.
    is_compared: bool = True
    #: Whether the effective text includes it.
    is_effective: bool = True

    def differs_from_default(self, value: Any) -> bool:
        """Return whether *value* differs from the default."""
        if _is_alike(value, self.default):
            return False
        if type(value) is type(self.default) and bool(value) != bool(self.default):
            return True
        return plain(value) != plain(self.default)


class Reach(Protocol):
    """The set of workloads that an object of an ordered kind may match."""

    def overlaps(self, other: Any) -> bool:
        """Return whether the sets overlap."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ObjectKind:
    """A kind of objects: how they are identified, and the types of their facts."""

    #: Lower-case words with underscores; it is stored, and part of the API.
    name: str
    role: Role = Role.NAMED
    #: In the order in which differences are shown.
    facts: Mapping[str, FactType]
    #: Whether a removed and an added object may be the same object with another name.
    may_be_renamed: bool = False
    #: Returns the part of a name that an object keeps in all its names; None: it has one name.
    lineage: Lineage | None = None
    #: For an ordered kind: the fact with the name of the object's target, which is part of its key.
    leads_to: str = ""
    #: For an ordered kind: the facts by which a moved and changed object is recognized.
    selects_by: tuple[str, ...] = ()
    #: For an ordered kind: returns the workloads that an object may match; None: none. Without
    #: the function, any two objects may match the same workloads, so their order always matters.
    reach: Callable[[PolicyObject], Reach | None] | None = None

    @cached_property
    def references(self) -> Sequence[tuple[str, Form]]:
        """The facts that refer to other objects."""
        return [(name, fact.form) for name, fact in self.facts.items() if fact.form.refers_to]

    def key_at(self, place: int, facts: Mapping[str, Any]) -> str:
        """Return the key of an object of an ordered kind at position *place*, from 0."""
        return f"{place} to {facts[self.leads_to]}" if self.leads_to else f"{place}"


class PolicyObject(NamedTuple):
    """One object of a policy."""

    kind: ObjectKind
    #: Unique among the objects of its kind. For an ordered kind: the position and the target.
    key: str
    #: Its position in the text; None when the text does not define it.
    origin: Origin | None
    #: Values by name. Facts that do not apply to this policy may be missing.
    facts: Mapping[str, Any]
    #: For an ordered kind: its position, from 0.
    place: int = 0

    @property
    def target(self) -> str:
        """The name of the target of an object of an ordered kind; empty for other objects."""
        return self.facts[self.kind.leads_to] if self.kind.leads_to else ""

    def mentions(self) -> Iterator[tuple[str, Mention]]:
        """Yield the references to other objects, each with the name of its fact."""
        for name, form in self.kind.references:
            for mention in form.mentions(self.facts.get(name)):
                yield name, mention

    def renamed(self, names: Names) -> PolicyObject:
        """Return the object with the newer *names* of itself and of objects it refers to."""
        key = names.get(self.kind.name, {}).get(self.key, self.key)
        changed = {}
        for name, form in self.kind.references:
            if name in self.facts:
                value = form.renamed(self.facts[name], names)
                if value is not self.facts[name] and value != self.facts[name]:
                    changed[name] = value
        if key == self.key and not changed:
            return self
        facts = {**self.facts, **changed}
        if self.kind.role is Role.ORDERED:
            key = self.kind.key_at(self.place, facts)
        return self._replace(key=key, facts=facts)


class PolicyObjects:
    """All objects of one policy, in the order of the effective text."""

    def __init__(self, kinds: Sequence[ObjectKind], objects: Iterable[PolicyObject]) -> None:
        """Create the objects; *kinds* has all kinds of the language, in the order of display."""
        self.kinds = tuple(kinds)
        self._items: dict[str, list[PolicyObject]] = {kind.name: [] for kind in kinds}
        for each in objects:
            self._items[each.kind.name].append(each)
        self._of: dict[str, Mapping[str, PolicyObject]] = {}

    def __iter__(self) -> Iterator[PolicyObject]:
        """Yield the objects, kind by kind."""
        for objects in self._items.values():
            yield from objects

    def of(self, kind: str) -> Mapping[str, PolicyObject]:
        """Return the objects of a kind by key, in order; empty for an unknown kind."""
        if kind not in self._of:
            self._of[kind] = {each.key: each for each in self.ordered(kind)}
        return self._of[kind]

    def ordered(self, kind: str) -> Sequence[PolicyObject]:
        """Return the objects of a kind in order."""
        return self._items.get(kind, ())

    def whole(self) -> list[PolicyObject]:
        """Return the objects with settings of the whole policy."""
        return [each for each in self if each.kind.role is Role.WHOLE]

    @cached_property
    def is_empty(self) -> bool:
        """Whether there are no objects except for settings."""
        return all(each.kind.name == SETTINGS for each in self)

    def renamed(self, names: Names) -> PolicyObjects:
        """Return the objects with newer names, also in references."""
        if not any(names.values()):
            return self
        return PolicyObjects(self.kinds, (each.renamed(names) for each in self))


def kinds_of(*some: PolicyObjects) -> list[ObjectKind]:
    """
    Return the kinds of several policies without duplicates, those of the first policy first.

    A kind may have other facts in another language: it is returned with the facts of all.
    """
    found: dict[str, ObjectKind] = {}
    for objects in some:
        for kind in objects.kinds:
            known = found.setdefault(kind.name, kind)
            more = {name: fact for name, fact in kind.facts.items() if name not in known.facts}
            if more:
                found[kind.name] = dataclasses.replace(known, facts={**known.facts, **more})
    return list(found.values())


def fact_differences(
    kind: ObjectKind,
    old: Mapping[str, Any] | None,
    new: Mapping[str, Any],
    without: Sequence[str] = (),
) -> Iterator[Difference]:
    """Yield the differences of *new* from *old*; if *old* is None, from the defaults."""
    for name in dict.fromkeys((*new, *(old or ()))):
        fact = kind.facts[name]
        if not fact.is_compared or name in without:
            continue
        if old is None:
            before = fact.default
        elif name in old and name in new:
            before = old[name]
        else:
            # A fact with the value None is not equal to an absent fact.
            gone = {name: plain(old[name])} if name in old else {}
            come = {name: plain(new[name])} if name in new else {}
            yield from differing(gone, come)
            continue
        if not _is_alike(before, new[name]):
            yield from fact.form.differences(name, before, new[name])


def field_facts(
    kind: Any,
    without: Sequence[str] = (),
    *,
    forms: Mapping[str, Form] | None = None,
    identifies: bool = True,
    is_compared: bool = True,
    is_effective: bool = True,
) -> dict[str, FactType]:
    """Return fact types for the fields of a dataclass, except for its origin and *without*."""
    found = {}
    for each in dataclasses.fields(kind):
        if each.name == "origin" or each.name in without or not each.init:
            continue
        default = None
        if each.default is not dataclasses.MISSING:
            default = each.default
        elif each.default_factory is not dataclasses.MISSING:
            default = each.default_factory()
        found[each.name] = FactType(
            default=default,
            form=(forms or {}).get(each.name, _PLAIN),
            identifies=identifies,
            is_compared=is_compared,
            is_effective=is_effective,
        )
    return found


def are_alike(facts: Mapping[str, Any], others: Mapping[str, Any]) -> bool:
    """Return whether all facts of two objects are equal in value and type: True is not 1."""
    return facts == others and [*map(type, facts.values())] == [*map(type, others.values())]


def _is_alike(value: Any, other: Any) -> bool:
    """Return whether two values are equal in value and type: True is not 1."""
    return value is other or (type(value) is type(other) and value == other)


@dataclass(frozen=True, slots=True)
class Words:
    """The singular and plural name of a kind, in lower case."""

    singular: str
    plural: str
    #: Whether keys begin with a position, which pages count from 1.
    is_counted: bool = False
    #: As that of the kind.
    lineage: Lineage | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names of kinds of objects in a config language, in the order of an outline."""

    _words: Mapping[str, Words] = field(default_factory=dict)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds with their own names."""
        return tuple(self._words)

    def of(self, kind: str) -> Words:
        """
        Return the names of a kind; by default, the words of its code.

        >>> Vocabulary().of("local_queue")
        Words(singular='local queue', plural='local queues', is_counted=False)
        """
        if kind in self._words:
            return self._words[kind]
        name = kind.replace("_", " ")
        return Words(name, f"{name}s")
