"""Opaque values: nodes as plain JSON, without interpretation."""

from __future__ import annotations

import re
from typing import Any, Final

from console.dialects.nodes import ListNode, MapNode, Node, UnreadNode

_JSON_WORDS: Final = {"true": True, "false": False}
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,2})?")


def to_json(node: Node) -> Any:
    """
    Return a node as a plain JSON value.

    Only plain scalars with the JSON spelling of ``true``, ``false``, ``null`` or a decimal number
    are converted; all others are texts.
    """
    if isinstance(node, MapNode):
        return {text: to_json(value) for text, (_, value) in node.entries.items()}
    if isinstance(node, ListNode):
        return [to_json(item) for item in node.items]
    if isinstance(node, UnreadNode) or node.is_null:
        return None
    if not node.plain:
        return node.text
    if node.text in _JSON_WORDS:
        return _JSON_WORDS[node.text]
    if len(node.text) <= 30 and _JSON_NUMBER.fullmatch(node.text):
        return float(node.text) if set(node.text) & set(".eE") else int(node.text)
    return node.text
