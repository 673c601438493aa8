"""The config as written: every field with its place. None: absent, null or invalid."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from console.dialects.findings import Place
from console.dialects.written import Written
from console.dialects.yunikorn.decode import Values

#: The keys and texts of a mapping.
Texts: TypeAlias = tuple[tuple[Written[str], Written[str]], ...]


@dataclass(slots=True, kw_only=True, eq=False)
class LimitDoc:
    """A limit for some users and groups."""

    values: Values
    description: str = ""
    #: None: absent, which YuniKorn tells from an empty list when it compares limits.
    users: tuple[Written[str], ...] | None = None
    groups: tuple[Written[str], ...] | None = None
    resources: Written[Texts] | None = None
    applications: Written[int] | None = None

    @property
    def meaning(self) -> tuple[object, ...]:
        """All that YuniKorn compares of a limit."""
        return (
            self.description,
            None if self.users is None else tuple(each.value for each in self.users),
            None if self.groups is None else tuple(each.value for each in self.groups),
            None if self.resources is None else dict(plain(self.resources.value)),
            self.most_applications,
        )

    @property
    def most_applications(self) -> int:
        """The most running applications; 0: no limit."""
        return self.applications.value if self.applications else 0


@dataclass(slots=True, kw_only=True, eq=False)
class TemplateDoc:
    """The settings of queues that rules create."""

    values: Values
    applications: Written[int] | None = None
    properties: Written[Texts] | None = None
    guaranteed: Written[Texts] | None = None
    maximum: Written[Texts] | None = None


@dataclass(slots=True, kw_only=True, eq=False)
class QueueDoc:
    """A queue; the queues below it are None if the field is absent."""

    values: Values
    name: str = ""
    parent: Written[bool] | None = None
    guaranteed: Written[Texts] | None = None
    maximum: Written[Texts] | None = None
    applications: Written[int] | None = None
    properties: Written[Texts] | None = None
    admin: Written[str] | None = None
    submit: Written[str] | None = None
    template: TemplateDoc | None = None
    limits: tuple[LimitDoc, ...] = ()
    queues: tuple[QueueDoc, ...] = ()
    #: Whether the text has no such queue: YuniKorn adds a root above other queues.
    is_added: bool = False

    @property
    def place(self) -> Place:
        """The place of the queue."""
        return self.values.place

    @property
    def name_place(self) -> Place:
        """The place of the name, or of the queue if it has none."""
        name = self.values.get("name")
        return name.place if name else self.place

    @property
    def states_parent(self) -> bool:
        """Whether the text says ``parent: true``."""
        return self.parent is not None and self.parent.value

    @property
    def is_leaf(self) -> bool:
        """Whether it has no queues below it and may run applications."""
        return not self.queues and not self.states_parent

    @property
    def most_applications(self) -> int:
        """The most running applications; 0: no limit."""
        return self.applications.value if self.applications else 0

    def below(self) -> Iterator[QueueDoc]:
        """Yield the queue, and all queues below it, each before those below it."""
        yield self
        for each in self.queues:
            yield from each.below()


@dataclass(slots=True, kw_only=True, eq=False)
class FilterDoc:
    """The users to whom a rule applies."""

    values: Values
    kind: Written[str] | None = None
    users: tuple[Written[str], ...] = ()
    groups: tuple[Written[str], ...] = ()


@dataclass(slots=True, kw_only=True, eq=False)
class RuleDoc:
    """A placement rule."""

    values: Values
    name: str = ""
    creates: bool = False
    filter: FilterDoc | None = None
    parent: RuleDoc | None = None
    value: Written[str] | None = None

    @property
    def name_place(self) -> Place:
        """The place of the name, or of the rule if it has none."""
        name = self.values.get("name")
        return name.place if name else self.values.place

    def chain(self) -> list[RuleDoc]:
        """Return the rules above it, the outermost first, and the rule itself."""
        found: list[RuleDoc] = []
        rule: RuleDoc | None = self
        while rule is not None:
            found.append(rule)
            rule = rule.parent
        return found[::-1]


@dataclass(slots=True, kw_only=True, eq=False)
class PartitionDoc:
    """A partition."""

    values: Values
    name: str = ""
    #: None: absent.
    queues: tuple[QueueDoc, ...] | None = None
    rules: tuple[RuleDoc, ...] = ()
    limits: tuple[LimitDoc, ...] = ()
    #: The root of its queues, once it is known.
    root: QueueDoc | None = None

    @property
    def place(self) -> Place:
        """The place of the partition."""
        return self.values.place


@dataclass(slots=True, kw_only=True, eq=False)
class Document:
    """A config."""

    partitions: tuple[PartitionDoc, ...] = ()
    #: Service settings: key -> text.
    settings: dict[str, Written[str]] = field(default_factory=dict)
    #: The text of ``queues.yaml`` itself.
    text: str = ""


def plain(texts: Texts) -> Iterator[tuple[str, str]]:
    """Yield keys and texts without their places."""
    for key, text in texts:
        yield key.value, text.value
