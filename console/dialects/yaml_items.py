"""Write values as YAML, and insert them into lists and mappings of a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from console.dialects.diagnostics import TextEdit
from console.dialects.merging.blocks import is_content
from console.dialects.merging.pieces import lines_of
from console.dialects.nodes import ListNode, MapNode
from console.dialects.positions import Positions
from console.dialects.scalars import write_text

_STEP: Final = "  "
_BLANKS: Final = " \t"


class Verbatim(str):
    """A scalar that is YAML already, such as a number."""

    __slots__ = ()


class OnOneLine(dict[str, Any]):
    """A mapping that a block writes on one line, in flow style."""


def write_flow(value: Any) -> str:
    """
    Return *value* on one line, in flow style.

    >>> write_flow({"name": "gpu", "values": ["a", "true"], "nominal_quota": Verbatim("64")})
    '{ name: gpu, values: [a, "true"], nominal_quota: 64 }'
    """
    if isinstance(value, Verbatim):
        return str(value)
    if isinstance(value, Mapping):
        fields = ", ".join(f"{write_text(key)}: {write_flow(each)}" for key, each in value.items())
        return f"{{ {fields} }}" if fields else "{}"
    if isinstance(value, str):
        return write_text(value)
    if isinstance(value, Sequence):
        return f"[{', '.join(map(write_flow, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def write_fields(fields: Mapping[str, Any]) -> Iterator[str]:
    """
    Yield the lines of a mapping in block style, without indentation and line ends.

    >>> list(write_fields({"name": "a", "groups": [{"x": "1", "y": OnOneLine(z="b")}]}))
    ['name: a', 'groups:', '  - x: "1"', '    y: { z: b }']
    """
    for key, value in fields.items():
        name = write_text(key)
        if isinstance(value, OnOneLine) or not isinstance(value, (Mapping, list)):
            yield f"{name}: {write_flow(value)}"
        elif isinstance(value, Mapping):
            yield f"{name}:"
            yield from (f"{_STEP}{line}" for line in write_fields(value))
        elif all(not isinstance(each, Mapping) for each in value):
            yield f"{name}: {write_flow(value)}"
        else:
            yield f"{name}:"
            for each in value:
                yield from (f"{_STEP}{line}" for line in write_item(each))


def write_item(value: Mapping[str, Any]) -> Iterator[str]:
    """
    Yield the lines of an item of a list in block style, without indentation and line ends.

    >>> list(write_item({"name": "a", "b": ["c"]}))
    ['- name: a', '  b: [c]']
    """
    if isinstance(value, OnOneLine):
        yield f"- {write_flow(value)}"
        return
    for number, line in enumerate(write_fields(value)):
        yield f"{'  ' if number else '- '}{line}"


def line_end(text: str) -> str:
    r"""
    Return the line end that *text* uses first.

    >>> line_end("a\r\nb\n"), line_end("a")
    ('\r\n', '\n')
    """
    first = lines_of(text)[:1]
    content = first[0].rstrip("\r\n") if first else ""
    return (first[0][len(content) :] if first else "") or "\n"


def insert_item(
    positions: Positions, node: ListNode, index: int, item: Mapping[str, Any]
) -> TextEdit | None:
    """
    Return the edit that inserts *item* before item *index* of a list, or behind the last one.

    It is written in the style of the list; blank lines between items are continued. Comments above
    an item stay with it. None if the list is written in a way that allows no simple edit.
    """
    text, items = positions.text, node.items
    if text.startswith("[", node.start):
        return _insert_in_flow(positions, node, index, item)
    if not items or not all(_has_dash(text, each.start) for each in items):
        return None
    at_end = index >= len(items)
    beside = items[-1 if at_end else index]
    line, indent = _dash_place(text, beside.start)
    lines = [f"{indent}{each}" for each in write_item(item)]
    if at_end:
        return behind_line(positions, beside.end, _spaced(text, items, lines, before=True))
    start = _above(text, line)
    spaced = _spaced(text, items, lines, before=index > 0)
    ends = line_end(text)
    return TextEdit(positions.span(start, start), "".join(f"{each}{ends}" for each in spaced))


def insert_field(
    positions: Positions, node: MapNode, key: str, items: Sequence[Mapping[str, Any]]
) -> TextEdit | None:
    """
    Return the edit that adds a list with *items* as the last field of a mapping.

    None if the mapping is empty, or written in a way that allows no simple edit.
    """
    text = positions.text
    if text.startswith("{", node.start):
        added = f"{write_text(key)}: {write_flow(list(items))}"
        end = node.end - 1
        if not text.startswith("}", end) or not node.entries:
            return None
        last = len(text[:end].rstrip())
        return TextEdit(positions.span(last, last), f", {added}")
    if not node.entries:
        return None
    start = min(name.start for name, _ in node.entries.values())
    line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    indent = text[line:start]
    if indent.strip(" -"):
        return None
    lines = [f"{' ' * len(indent)}{each}" for each in write_fields({key: list(items)})]
    return behind_line(positions, node.end, lines)


def behind_line(positions: Positions, offset: int, lines: Sequence[str]) -> TextEdit:
    """Return the edit that adds *lines* behind the line on which the text before *offset* ends."""
    text, ends = positions.text, line_end(positions.text)
    last = len(text[:offset].rstrip())
    at = next((n for n in range(last, len(text)) if text[n] in "\r\n"), len(text))
    return TextEdit(positions.span(at, at), "".join(f"{ends}{each}" for each in lines))


def _insert_in_flow(
    positions: Positions, node: ListNode, index: int, item: Mapping[str, Any]
) -> TextEdit:
    written = write_flow(item)
    if not node.items:
        at = node.start + 1
    elif index < len(node.items):
        at, written = node.items[index].start, f"{written}, "
    else:
        at, written = node.items[-1].end, f", {written}"
    return TextEdit(positions.span(at, at), written)


def _has_dash(text: str, start: int) -> bool:
    """Return whether only a dash is before an item on its line."""
    line, _ = _dash_place(text, start)
    return text[line:start].strip(_BLANKS) == "-"


def _dash_place(text: str, start: int) -> tuple[int, str]:
    """Return the start of the line of an item, and the indentation of the line."""
    line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    before = text[line:start]
    return line, before[: len(before) - len(before.lstrip(_BLANKS))]


def _above(text: str, line: int) -> int:
    """Return the start of the comments and blank lines above the line that starts at *line*."""
    start = line
    for each in reversed(lines_of(text[:line])):
        if is_content(each) or each.strip() == "---":
            break
        start -= len(each)
    return start


def _spaced(text: str, items: Sequence[Any], lines: list[str], *, before: bool) -> list[str]:
    """Return *lines* with a blank line if the items of the list have blank lines between them."""
    if len(items) < 2:
        return lines
    line, _ = _dash_place(text, items[1].start)
    above = text[_above(text, line) : line]
    if not above or lines_of(above)[0].strip():
        return lines
    return ["", *lines] if before else [*lines, ""]
