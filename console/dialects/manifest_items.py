"""Insert manifests into a text of manifests: a stream of documents, or the items of a List."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from console.dialects.diagnostics import TextEdit
from console.dialects.findings import Place
from console.dialects.nodes import ListNode, MapNode, Node
from console.dialects.positions import Positions
from console.dialects.yaml_items import behind_line, insert_item, write_fields


def insert_manifests(
    positions: Positions,
    roots: Sequence[Node],
    beside: Place,
    manifests: Sequence[Mapping[str, Any]],
) -> tuple[TextEdit, ...] | None:
    """
    Return the edits that insert *manifests* behind the manifest at a place.

    None if the text is written in a way that allows no simple edit.
    """
    root = next((each for each in roots if each.start <= beside.start < each.end), None)
    if not isinstance(root, MapNode):
        return None
    if root.start == beside.start:
        if positions.text.startswith("{", root.start):
            return None
        lines = [line for each in manifests for line in ("---", *write_fields(each))]
        return (behind_line(positions, root.end, lines),)
    _, items = root.entries.get("items", (None, None))
    if not isinstance(items, ListNode):
        return None
    index = next((n for n, each in enumerate(items.items) if each.start == beside.start), None)
    if index is None:
        return None
    edits = [insert_item(positions, items, index + 1, each) for each in reversed(manifests)]
    found = tuple(each for each in edits if each is not None)
    return found if len(found) == len(manifests) else None


def field_text(roots: Sequence[Node], beside: Place, key: str) -> str:
    """Return the text of a field of the manifest at a place; empty if it has none."""
    nodes = list(roots)
    for each in roots:
        _, items = each.entries.get("items", (None, None)) if isinstance(each, MapNode) else (0, 0)
        nodes += items.items if isinstance(items, ListNode) else []
    for node in nodes:
        if isinstance(node, MapNode) and node.start == beside.start and key in node.entries:
            value = node.entries[key][1]
            return getattr(value, "text", "")
    return ""
