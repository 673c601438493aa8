"""
A native config as plain JSON values, and a JSON document as readable YAML.

Both conversions keep what was written: an empty list stays empty, and an omitted field stays
omitted, without its default. Only null is treated as absent.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from console.dialects.nodes import ListNode, MapNode, Node, ScalarNode
from console.dialects.opaque import to_json
from console.dialects.scalars import write_text
from console.dialects.source import read_source
from console.dialects.tree import MAX_DEPTH, MAX_NODES
from console.engine.model.amounts import amount_to_number, parse_amount

_SECTIONS: Final = ("resource_flavors", "resource_queues", "scheduling_rules")
#: Fields in the order of the output; unknown ones follow.
_ORDER: Final = {
    name: place
    for place, name in enumerate(
        (
            *_SECTIONS,
            *("name", "key", "operator", "values", "selector", "advanced_instance_config"),
            *("cohort_name", "preemption", "within_resource_queue", "reclaim_within_cohort"),
            *("borrow_within_cohort", "resource_groups", "covered_resources", "flavors"),
            *("resources", "nominal_quota", "borrowing_limit", "lending_limit"),
            *("resource_queue", "priority_policy", "default", "min", "max", "on_violation"),
        )
    )
}
_NUMBERS: Final = frozenset(
    {"nominal_quota", "borrowing_limit", "lending_limit", "default", "min", "max"}
)
#: The field whose value is kept unchanged, and the key under which its parts are formatted.
_OPAQUE: Final = "advanced_instance_config"
_INSIDE: Final = ""

#: Mappings, and lists of mappings, that are written on one line each if they fit.
_COMPACT: Final = frozenset({"selector", "resources", "preemption", "priority_policy"})
_WIDTH: Final = 100


def document_of(text: str) -> dict[str, Any]:
    """Return the document in *text*, which must not have errors."""
    root = read_source(text).root
    return _mapping(root) if isinstance(root, MapNode) else {}


def _mapping(node: MapNode) -> dict[str, Any]:
    return {
        key: to_json(value) if key == _OPAQUE else _value(key, value)
        for key, (_, value) in node.entries.items()
        if not (isinstance(value, ScalarNode) and value.is_null)
    }


def _value(key: str, node: Node) -> Any:
    match node:
        case MapNode():
            return _mapping(node)
        case ListNode():
            return [_value(key, item) for item in node.items]
        case ScalarNode():
            return amount_to_number(parse_amount(node.text)) if key in _NUMBERS else node.text
    raise ValueError("the text has errors")


def text_of(document: Any) -> str:
    """
    Return *document*, any JSON value, as YAML; numbers with a point may be Decimals.

    Errors of the document are also errors of the text. Raises ValueError with one sentence if the
    document is too large or nested too deeply to be read.

    >>> print(text_of({"scheduling_rules": [{"resource_queue": "a", "selector": []}]}), end="")
    scheduling_rules:
      - selector: []
        resource_queue: a
    """
    _check_size(document)
    said = _without_nulls(document)
    if not isinstance(said, dict) or not said:
        lines = _item("config", said, _WIDTH)
    else:
        sections = [_fields("config", {name: said[name]}, _WIDTH) for name in _sorted(said)]
        lines = [line for section in sections for line in ("", *section)][1:]
    return "".join(f"{line}\n" for line in lines)


def _check_size(document: Any) -> None:
    count, depth, level = 0, 0, [document]
    while level:
        count += len(level)
        depth += 1
        if depth > MAX_DEPTH:
            raise ValueError(f"Values are nested more than {MAX_DEPTH - 1} levels deep.")
        if count > MAX_NODES:
            raise ValueError(f"The config holds more than {MAX_NODES:,} values.")
        level = [item for value in level for item in _inside(value)]


def _inside(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


def _without_nulls(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: item if key == _OPAQUE else _without_nulls(item)
        for key, item in value.items()
        if item is not None
    }


def _sorted(mapping: dict[str, Any]) -> list[str]:
    return sorted(mapping, key=lambda name: _ORDER.get(name, len(_ORDER)))


def _fields(key: str, mapping: dict[str, Any], width: int) -> list[str]:
    is_kept = key in (_OPAQUE, _INSIDE)
    lines = []
    for name in list(mapping) if is_kept else _sorted(mapping):
        value, inner = mapping[name], _INSIDE if is_kept else name
        head = f"{write_text(name)}:"
        inline = _inline(inner, value, width - len(head) - 1)
        if inline is not None:
            lines.append(f"{head} {inline}")
        else:
            lines += [head, *_indented(_block(inner, value, width - 2))]
    return lines


def _block(key: str, value: Any, width: int) -> list[str]:
    """Return the lines of a mapping or list that is not empty."""
    if isinstance(value, dict):
        return _fields(key, value, width)
    inner = _INSIDE if key == _OPAQUE else key
    items = [_item(inner, item, width - 2) for item in value]
    # Entries of several lines are separated by an empty line.
    is_airy = key in _SECTIONS and any(len(lines) > 1 for lines in items)
    found: list[str] = []
    for first, *rest in items:
        found += [""] if is_airy and found else []
        found += [f"- {first}", *_indented(rest)]
    return found


def _item(key: str, item: Any, width: int) -> list[str]:
    inline = _inline(key, item, width)
    return [inline] if inline is not None else _block(key, item, width)


def _indented(lines: list[str]) -> list[str]:
    return [f"  {line}" if line else "" for line in lines]


def _inline(key: str, value: Any, width: int) -> str | None:
    """Return *value* on one line; None if it is written on several lines or is too wide."""
    if not isinstance(value, dict | list):
        return _scalar(key, value)
    if not value:
        return "{}" if isinstance(value, dict) else "[]"
    if isinstance(value, list):
        if any(isinstance(item, dict | list) for item in value):
            return None
        text = f"[{', '.join(_scalar(key, item) for item in value)}]"
    elif key in _COMPACT:
        parts = {name: _inline(name, value[name], width) for name in _sorted(value)}
        if None in parts.values():
            return None
        text = f"{{ {', '.join(f'{write_text(name)}: {part}' for name, part in parts.items())} }}"
    else:
        return None
    return text if len(text) <= width else None


def _scalar(key: str, value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return write_text(value)
        case Decimal() | float() if key in _NUMBERS:
            return _plain(Decimal(str(value)))
    return str(value)


def _plain(number: Decimal) -> str:
    """Return *number* without an exponent, unless it is not finite, very large or very small."""
    if not number.is_finite() or abs(number.adjusted()) > 20:
        return str(number)
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
