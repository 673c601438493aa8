"""Results of comparing two policies: the changes of objects and their details, as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from console.engine.model.amounts import Amount
from console.engine.model.origin import Origin

#: A part of a policy as a JSON value, without origins.
Plain: TypeAlias = "str | int | float | bool | Sequence[Plain] | Mapping[str, Plain] | None"


class ChangeKind(StrEnum):
    """The kind of change of an object of the config."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    #: Another position of an ordered object, which may be changed, too.
    MOVED = "moved"
    #: Another name of an object, which may be changed, too.
    RENAMED = "renamed"


class Limit(StrEnum):
    """A number of the quota of a flavor-resource."""

    NOMINAL = "nominal"
    BORROWING = "borrowing_limit"
    LENDING = "lending_limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """
    A field that differs.

    *path* has the field names of the policy: ("preemption", "within_queue"),
    ("node_labels", "zone"). None stands for an absent field.
    """

    path: tuple[str, ...]
    old: Plain
    new: Plain

    @property
    def part(self) -> str:
        """The part of the object that it belongs to."""
        return self.path[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaChange:
    """A number of the quota of one flavor-resource, in thousandths; None: no such quota."""

    flavor: str
    resource: str
    limit: Limit
    old: Amount | None
    new: Amount | None

    @property
    def part(self) -> str:
        """The part of the object that it belongs to."""
        return "groups"


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderChange:
    """Another order of the flavors of a resource group."""

    resources: tuple[str, ...]
    old: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def part(self) -> str:
        """The part of the object that it belongs to."""
        return "groups"


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """An object that refers to the renamed one by its new name, which is no change of its own."""

    #: The name of its kind.
    noun: str
    name: str

    @property
    def part(self) -> str:
        """The part of the object that it belongs to."""
        return "references"


#: A difference with an older and a newer value.
Difference: TypeAlias = FieldChange | QuotaChange | OrderChange
Detail: TypeAlias = Difference | Followed


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """
    A changed object: the kind of change, its name, and the details.

    The name is its key in the newer config, or else in the older one.
    """

    kind: ChangeKind
    #: The name of its kind.
    noun: str
    name: str
    #: Its name in the older config, if different.
    old_name: str = ""
    #: For an added or removed object: the differences from the defaults.
    details: tuple[Detail, ...] = ()
    #: Its position in the newer text; None if absent.
    origin: Origin | None = None
    #: Its position in the older text; None if absent.
    old_origin: Origin | None = None

    @property
    def parts(self) -> tuple[str, ...]:
        """The field names that differ; empty for an added or removed object."""
        if self.kind in (ChangeKind.ADDED, ChangeKind.REMOVED):
            return ()
        return tuple(dict.fromkeys(detail.part for detail in self.details))
