"""The objects of a policy as kind, key, origin and facts, for code that knows no kind by name."""

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

#: The kind of the objects that workloads wait in, in all languages.
QUEUE: Final = "queue"
#: The kind of the one object that holds for the whole policy, and its key.
SETTINGS: Final = "settings"
OF_ADMISSION: Final = "of admission"
#: The facts of the settings that name the config language, and the discipline that it is for.
LANGUAGE: Final = "dialect"
DISCIPLINE: Final = "discipline"

#: Newer names by older ones, by kind of object.
Names: TypeAlias = Mapping[str, Mapping[str, str]]


class Role(Enum):
    """How the objects of a kind are told apart."""

    #: By their names.
    NAMED = "named"
    #: By what they say and by their place: they are tried in order.
    ORDERED = "ordered"
    #: There is one at most, and what it says holds for the whole policy.
    WHOLE = "whole"


class Number(str):
    """A number as text, which the effective text does not quote."""

    __slots__ = ()


class Mention(NamedTuple):
    """A fact that names an object of another kind, and what it says of it: paths and values."""

    kind: str
    key: str
    says: tuple[tuple[tuple[str, ...], str], ...] = (((), ""),)


class Form:
    """How the values of a fact are compared and shown; this one does so for plain values."""

    #: In the effective text facts with a lower rank come first.
    rank = 0
    #: The kind of the objects that values name; empty: they name none.
    refers_to = ""

    def differences(self, name: str, old: Any, new: Any) -> Iterator[Difference]:
        """Yield how the fact *name* differs; *old* of a new object is the default."""
        yield from differing({name: plain(old)}, {name: plain(new)})

    def evidence(self, value: Any) -> Iterator[tuple[tuple[str, ...], str]]:
        """Yield what is compared to recognise an object under another name: paths and values."""
        yield (), repr(plain(value))

    def names(self, value: Any) -> Iterator[str]:
        """Yield the keys of the objects that *value* names."""
        yield from ()

    def mentions(self, value: Any) -> Iterator[Mention]:
        """Yield the same, with what *value* says of each."""
        for key in self.names(value):
            yield Mention(self.refers_to, key)

    def renamed(self, value: Any, names: Names) -> Any:
        """Return *value* with newer names of other objects in it."""
        return value

    def effective(self, value: Any) -> Plain:
        """Return *value* as the effective text writes it."""
        return plain(value)


_PLAIN: Final = Form()


class Reference(Form):
    """The name of one object of a kind, or None."""

    def __init__(self, kind: str) -> None:
        self.refers_to = kind

    def names(self, value: Any) -> Iterator[str]:
        """Yield the object that is named."""
        if value is not None:
            yield value

    def renamed(self, value: Any, names: Names) -> Any:
        """Return the newer name."""
        return names.get(self.refers_to, {}).get(value, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactType:
    """What the facts of one name have in common, in all objects of a kind."""

    #: The value when nothing is said; None as well where something has to be said.
    default: Any = None
    form: Form = _PLAIN
    #: Whether objects are recognised by it; False for what most objects of the kind say alike.
    tells: bool = True
    #: Whether a comparison of policies tells that it differs.
    is_compared: bool = True
    #: Whether the effective text has it.
    is_effective: bool = True

    def is_said(self, value: Any) -> bool:
        """Say whether *value* is more than the default."""
        if _is_alike(value, self.default):
            return False
        if type(value) is type(self.default) and bool(value) != bool(self.default):
            return True
        return plain(value) != plain(self.default)


class Reach(Protocol):
    """The workloads that an object of an ordered kind may take."""

    def meets(self, other: Any) -> bool:
        """Say whether a workload could belong to both."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ObjectKind:
    """A kind of object: how its objects are told apart, and what their facts mean."""

    #: A word with underscores; it is stored, and part of the API.
    name: str
    role: Role = Role.NAMED
    #: In the order in which differences are told.
    facts: Mapping[str, FactType]
    #: Whether an object that went and one that came may be one object under another name.
    may_be_renamed: bool = False
    #: Of an ordered kind: the fact with the name of what an object leads to. It is part of its key.
    leads_to: str = ""
    #: Of an ordered kind: the facts by which an object is recognised after it moved and changed.
    selects_by: tuple[str, ...] = ()
    #: Of an ordered kind: returns what an object may take, None for nothing at all. Without it any
    #: two objects may take the same, and their order always matters.
    reach: Callable[[PolicyObject], Reach | None] | None = None

    @cached_property
    def references(self) -> Sequence[tuple[str, Form]]:
        """The facts that name other objects."""
        return [(name, fact.form) for name, fact in self.facts.items() if fact.form.refers_to]

    def key_at(self, place: int, facts: Mapping[str, Any]) -> str:
        """Return the key of an object of an ordered kind, which is at *place*, from 0."""
        return f"{place} to {facts[self.leads_to]}" if self.leads_to else f"{place}"


class PolicyObject(NamedTuple):
    """One object of a policy."""

    kind: ObjectKind
    #: Unique among the objects of its kind. Of an ordered kind: the place and what it leads to.
    key: str
    #: Where it is written; None when nothing describes it.
    origin: Origin | None
    #: Values by name. Facts that make no sense in this policy may be missing.
    facts: Mapping[str, Any]
    #: Of an ordered kind: its place, from 0.
    place: int = 0

    @property
    def target(self) -> str:
        """What an object of an ordered kind leads to; empty for other objects."""
        return self.facts[self.kind.leads_to] if self.kind.leads_to else ""

    def mentions(self) -> Iterator[tuple[str, Mention]]:
        """Yield the facts that name other objects, with what they name."""
        for name, form in self.kind.references:
            for mention in form.mentions(self.facts.get(name)):
                yield name, mention

    def renamed(self, names: Names) -> PolicyObject:
        """Return the object in which it and those that it names have newer *names*."""
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
        """*kinds* has every kind that the language knows, in the order in which they are told."""
        self.kinds = tuple(kinds)
        self._items: dict[str, list[PolicyObject]] = {kind.name: [] for kind in kinds}
        for each in objects:
            self._items[each.kind.name].append(each)
        self._of: dict[str, Mapping[str, PolicyObject]] = {}

    def __iter__(self) -> Iterator[PolicyObject]:
        """Walk the objects, kind by kind."""
        for objects in self._items.values():
            yield from objects

    def of(self, kind: str) -> Mapping[str, PolicyObject]:
        """Return the objects of a kind by key, in order; none of a kind that is not known."""
        if kind not in self._of:
            self._of[kind] = {each.key: each for each in self.ordered(kind)}
        return self._of[kind]

    def ordered(self, kind: str) -> Sequence[PolicyObject]:
        """Return the objects of a kind in order."""
        return self._items.get(kind, ())

    def whole(self) -> list[PolicyObject]:
        """Return the objects that hold for the whole policy."""
        return [each for each in self if each.kind.role is Role.WHOLE]

    @cached_property
    def is_empty(self) -> bool:
        """Whether there is nothing but settings."""
        return all(each.kind.name == SETTINGS for each in self)

    def renamed(self, names: Names) -> PolicyObjects:
        """Return the objects with newer names, which every object uses that names them."""
        if not any(names.values()):
            return self
        return PolicyObjects(self.kinds, (each.renamed(names) for each in self))


def kinds_of(*some: PolicyObjects) -> list[ObjectKind]:
    """
    Return the kinds of several policies, those of the first one first, each once.

    Languages may give a kind other facts: it is returned with those of all.
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
    """Yield how the facts *new* differ from *old*; from None: what they say beyond defaults."""
    for name in dict.fromkeys((*new, *(old or ()))):
        fact = kind.facts[name]
        if not fact.is_compared or name in without:
            continue
        if old is None:
            before = fact.default
        elif name in old and name in new:
            before = old[name]
        else:
            # A fact whose value is None is not the same as no such fact.
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
    tells: bool = True,
    is_compared: bool = True,
    is_effective: bool = True,
) -> dict[str, FactType]:
    """Return facts for what a dataclass is made of, but for its origin and *without*."""
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
            tells=tells,
            is_compared=is_compared,
            is_effective=is_effective,
        )
    return found


def are_alike(facts: Mapping[str, Any], others: Mapping[str, Any]) -> bool:
    """Say whether all facts of two objects are the same, as they are stored; True is not 1."""
    return facts == others and [*map(type, facts.values())] == [*map(type, others.values())]


def _is_alike(value: Any, other: Any) -> bool:
    """Say whether two values are the same, as they are stored; True is not 1."""
    return value is other or (type(value) is type(other) and value == other)


@dataclass(frozen=True, slots=True)
class Words:
    """What one object of a kind is called, and several; in lower case."""

    singular: str
    plural: str
    #: Whether keys begin with a place, which people count from 1.
    is_counted: bool = False


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of a language for the kinds of its objects, in the order of an outline."""

    _words: Mapping[str, Words] = field(default_factory=dict)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that have words of their own."""
        return tuple(self._words)

    def of(self, kind: str) -> Words:
        """
        Return what a kind is called; without words of its own by its name.

        >>> Vocabulary().of("local_queue")
        Words(singular='local queue', plural='local queues', is_counted=False)
        """
        if kind in self._words:
            return self._words[kind]
        name = kind.replace("_", " ")
        return Words(name, f"{name}s")
