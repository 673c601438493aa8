"""Nodes of a YAML text, with their offsets."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(slots=True, eq=False)
class ScalarNode:
    """A scalar as text, before YAML resolves its type."""

    start: int
    end: int
    text: str
    #: Written without quotes and not as a block scalar; only a plain scalar can be a number.
    plain: bool

    @property
    def is_null(self) -> bool:
        """Whether the scalar is null: empty, ``null`` or ``~``."""
        return self.plain and self.text in ("", "null", "Null", "NULL", "~")


@dataclass(slots=True, eq=False)
class ListNode:
    """A list."""

    start: int
    end: int
    items: list[Node] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class MapNode:
    """A mapping from each key to the nodes of the key and its value, in the order of the text."""

    start: int
    end: int
    entries: dict[str, tuple[ScalarNode, Node]] = field(default_factory=dict)
    #: Keys that are written again, which have no entry of their own.
    repeated: tuple[ScalarNode, ...] = ()


@dataclass(slots=True, eq=False)
class UnreadNode:
    """An invalid value that was reported and must not be reported again."""

    start: int
    end: int


Node: TypeAlias = ScalarNode | ListNode | MapNode | UnreadNode
