"""Lists of mappings in which a single mapping may be written by mistake."""

from __future__ import annotations

from typing import Final

from console.dialects.codes import NOT_A_LIST
from console.dialects.fields import Fields, Shape
from console.dialects.findings import Edit, Place, Repair
from console.dialects.nodes import MapNode
from console.dialects.written import Read, Unread, Written
from console.engine.model.origin import LINE_BREAK

#: Maximum number of lines that a repair changes.
_MOST_LINES: Final = 100


def read_mappings(fields: Fields, key: str, shape: Shape) -> Read[tuple[Fields | Unread, ...]]:
    """
    Read a list of mappings with the fields of *shape*.

    A single mapping in its place is an error; it is read as the only item, so that mistakes in it
    are found too.
    """
    node = fields.node(key)
    at = fields.key_place(key)
    if at is None or not isinstance(node, MapNode):
        return fields.mappings(key, shape)
    place = Place(node.start, node.end, at.path)
    text = fields.findings.positions.text
    fields.findings.add(
        NOT_A_LIST,
        place,
        f"{key} must be a list, not a mapping.",
        "Make the mapping an item of a list.",
        _item_repairs(text, at.end, node),
    )
    return Written((Fields(node, f"{at.path}[0]", shape, fields.findings),), place)


def _item_repairs(text: str, key_end: int, node: MapNode) -> tuple[Repair, ...]:
    """Return the repair that makes a mapping behind its key the only item of a list."""
    between = text[key_end : node.start]
    if node.start < key_end or between.strip() != ":":
        # An alias, an anchor or a comment; the text does not show where the list would begin.
        return ()
    if text.startswith("{", node.start):
        edits = [Edit(node.start, node.start, "["), Edit(node.end, node.end, "]")]
        return (Repair("Make it a list", tuple(edits)),)
    breaks = [found.end() for found in LINE_BREAK.finditer(text, node.start, node.end)]
    if len(breaks) > _MOST_LINES or not LINE_BREAK.search(between):
        return ()
    edits = [Edit(node.start, node.start, "- ")]
    edits += [Edit(start, start, "  ") for start in breaks if not _is_blank(text, start)]
    return (Repair("Make it a list item", tuple(edits)),)


def _is_blank(text: str, start: int) -> bool:
    found = LINE_BREAK.search(text, start)
    return not text[start : found.start() if found else len(text)].strip()
