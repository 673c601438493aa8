"""What a comparison of two policies says: objects that differ, and how, as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from console.engine.model.amounts import Amount
from console.engine.model.origin import Origin

#: A part of a policy without places: what JSON can say.
Plain: TypeAlias = "str | int | float | bool | Sequence[Plain] | Mapping[str, Plain] | None"


class ChangeKind(StrEnum):
    """What happened to an object of the config."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    #: One of those that are tried in order, at another place; it may have changed too.
    MOVED = "moved"
    #: An object under another name; it may have changed too.
    RENAMED = "renamed"


class Limit(StrEnum):
    """A number of a quota cell."""

    NOMINAL = "nominal"
    BORROWING = "borrowing_limit"
    LENDING = "lending_limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldChange:
    """
    A field that differs.

    *path* leads to it by the names of the policy: ("preemption", "within_queue"),
    ("node_labels", "zone"). None stands for a field that is not there.
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
    """A number of one quota cell, in thousandths of the unit; None where there is no such cell."""

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
    """The flavors of a group of resources are tried in another order."""

    resources: tuple[str, ...]
    old: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def part(self) -> str:
        """The part of the object that it belongs to."""
        return "groups"


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """An object that names the renamed one by its new name, and differs in nothing by that."""

    #: The name of its kind.
    noun: str
    name: str

    @property
    def part(self) -> str:
        """The part of the object that it belongs to."""
        return "references"


#: Something with an older and a newer value.
Difference: TypeAlias = FieldChange | QuotaChange | OrderChange
Detail: TypeAlias = Difference | Followed


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """
    One object that differs: what happened to it, its name, and how it differs.

    Its name is the key that it has in the newer config, or else in the older one.
    """

    kind: ChangeKind
    #: The name of its kind.
    noun: str
    name: str
    #: Its name in the older config, where that is another one.
    old_name: str = ""
    #: Of an added or removed object: what it says beyond defaults.
    details: tuple[Detail, ...] = ()
    #: Where the object is in the newer text; None when it is not there.
    origin: Origin | None = None
    #: Where the object is in the older text; None when it is not there.
    old_origin: Origin | None = None

    @property
    def parts(self) -> tuple[str, ...]:
        """The fields that differ between two states of one object, by the policy's names."""
        if self.kind in (ChangeKind.ADDED, ChangeKind.REMOVED):
            return ()
        return tuple(dict.fromkeys(detail.part for detail in self.details))
