"""Finds the config in a text: as the content of ``queues.yaml``, or in ConfigMaps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from console.dialects.codes import MISSING_KEY, NOT_A_MAPPING, NOT_TEXT
from console.dialects.embedded import read_embedded
from console.dialects.findings import Findings, Place
from console.dialects.nodes import ListNode, MapNode, Node, ScalarNode, UnreadNode
from console.dialects.wording import shorten
from console.dialects.written import Written
from console.dialects.yunikorn.codes import (
    CONFIG_MISSING,
    NOT_READ,
    REPEATED_CONFIG,
    SECOND_CONFIG,
    SWITCHES_IN_FILE,
)
from console.dialects.yunikorn.library_types import SWITCHES
from console.dialects.yunikorn.validator import validator_message

#: The key of the config in a ConfigMap.
FILE: Final = "queues.yaml"
#: The key of the switches in a ConfigMap, which YuniKorn does not read.
MAP_SWITCHES: Final = "sluice.compatibility"
#: Values of the second ConfigMap take the place of those of the first.
DEFAULTS: Final = "yunikorn-defaults"
CONFIGS: Final = "yunikorn-configs"


@dataclass(slots=True)
class Located:
    """Where the parts of a config are."""

    #: The mapping of the config; None if there is none.
    root: Node | None = None
    path: str = ""
    #: The line of the text that the first line of the config is on.
    first_line: int = 1
    #: Node -> its line in the config, if the text does not have the lines of the config.
    lines: Mapping[Node, int] = field(default_factory=dict)
    #: The switches as written, and their place.
    switches: tuple[Written[str], ...] = ()
    #: Service settings: key -> text.
    settings: dict[str, Written[str]] = field(default_factory=dict)
    #: The text of ``queues.yaml`` itself.
    text: str = ""


def locate(roots: Sequence[Node], findings: Findings) -> Located:
    """Return where the config is in the documents of a text, and report other objects."""
    if not any(_is_object(root) for root in roots):
        return _plain(roots, findings)
    return _Maps(findings).locate(roots)


def _is_object(root: Node) -> bool:
    return isinstance(root, MapNode) and "kind" in root.entries and "apiVersion" in root.entries


def _plain(roots: Sequence[Node], findings: Findings) -> Located:
    stated = [each for each in roots if not _is_empty(each)]
    for other in stated[1:]:
        findings.add(
            SECOND_CONFIG,
            Place(other.start, other.end).first,
            "YuniKorn does not read this document: only the first one of a file counts.",
            "Remove it, or move its partitions to the first one.",
        )
    if not stated:
        return Located()
    switches = _plain_switches(stated[0], SWITCHES, findings)
    return Located(root=stated[0], switches=switches, text=findings.positions.text)


def _is_empty(node: Node) -> bool:
    return isinstance(node, UnreadNode) or (isinstance(node, ScalarNode) and node.is_null)


def _plain_switches(root: Node, path: str, findings: Findings) -> tuple[Written[str], ...]:
    """Return the switches that the config itself states: a text, or a list of texts."""
    found = root.entries.get(SWITCHES) if isinstance(root, MapNode) else None
    if found is None or _is_empty(found[1]):
        return ()
    value = found[1]
    if isinstance(value, ScalarNode):
        return split_names(value, path)
    switches: list[Written[str]] = []
    for index, item in enumerate(value.items if isinstance(value, ListNode) else [value]):
        place = Place(item.start, item.end, f"{path}[{index}]")
        if isinstance(item, ScalarNode):
            switches.append(Written(item.text, place))
        elif not isinstance(item, UnreadNode):
            findings.add(NOT_TEXT, place, f"{SWITCHES} takes names.", "Write a list of names.")
    return tuple(switches)


def split_names(node: ScalarNode, path: str) -> tuple[Written[str], ...]:
    """Return the names in a text with commas, all at the place of the text."""
    place = Place(node.start, node.end, path)
    return tuple(Written(name, place) for each in node.text.split(",") if (name := each.strip()))


class _Maps:
    """Finds the ConfigMaps of YuniKorn in a stream or list of objects."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        #: Name of the ConfigMap -> path and data.
        self._data: dict[str, tuple[str, MapNode]] = {}
        self._kinds: dict[str, Place] = {}

    def locate(self, roots: Sequence[Node]) -> Located:
        """Return where the parts of the config are."""
        for index, root in enumerate(roots):
            for node, path in self._objects(root, f"[{index}]" if len(roots) > 1 else ""):
                self._note(node, path)
        found = Located()
        file: tuple[str, ScalarNode] | None = None
        for name in (DEFAULTS, CONFIGS):
            if name not in self._data:
                continue
            path, data = self._data[name]
            for key, (_, value) in data.entries.items():
                own = f"{path}.{key}"
                if not isinstance(value, ScalarNode):
                    self._note_no_text(key, own, value)
                elif key == FILE:
                    if file is not None:
                        self._note_unread_file(*file)
                    file = own, value
                elif key == MAP_SWITCHES:
                    found.switches = split_names(value, own)
                else:
                    place = Place(value.start, value.end, own)
                    found.settings[key] = Written(value.text, place)
        if file is not None:
            self._read_file(file, found)
        elif self._kinds:
            place = next(iter(self._kinds.values()))
            self._findings.add(
                CONFIG_MISSING,
                place,
                f"No ConfigMap has the key {FILE}.",
                f"Add {FILE} to the data of {CONFIGS}.",
            )
        return found

    def _read_file(self, file: tuple[str, ScalarNode], found: Located) -> None:
        path, scalar = file
        before = self._findings.has_errors
        embedded = read_embedded(scalar, self._findings)
        if embedded is None:
            if not before:
                self._findings.cite(validator_message(scalar.text)[0] or "")
            return
        found.path, found.text = path, scalar.text
        # The text of a block begins below its |.
        found.first_line = self._findings.positions.span(scalar.start, scalar.start).line + 1
        found.lines = embedded.lines
        root = embedded.root
        if not _is_empty(root):
            found.root = root
            self._read_switches(root, path, found)

    def _read_switches(self, root: Node, path: str, found: Located) -> None:
        """Read the switches in the config itself, unless the ConfigMap states some."""
        own = _join(path, SWITCHES)
        switches = _plain_switches(root, own, self._findings)
        if switches and isinstance(root, MapNode):
            key = root.entries[SWITCHES][0]
            self._findings.add(
                SWITCHES_IN_FILE,
                Place(key.start, key.end, own),
                f"YuniKorn refuses {SWITCHES}, which it does not know.",
                f"Write the names under {MAP_SWITCHES} in data.",
            )
        found.switches = found.switches or switches

    def _objects(self, node: Node, path: str) -> Iterator[tuple[MapNode, str]]:
        if _is_empty(node):
            return
        if not isinstance(node, MapNode):
            self._findings.add(
                NOT_A_MAPPING, Place(node.start, node.end, path), "An object is a mapping."
            )
            return
        kind = node.entries.get("kind", (None, None))[1]
        if isinstance(kind, ScalarNode) and kind.text.endswith("List"):
            items = node.entries.get("items", (None, None))[1]
            for index, item in enumerate(items.items if isinstance(items, ListNode) else ()):
                yield from self._objects(item, _join(path, f"items[{index}]"))
        else:
            yield node, path

    def _note(self, node: MapNode, path: str) -> None:
        kind = node.entries.get("kind", (None, None))[1]
        if not isinstance(kind, ScalarNode):
            self._findings.add(
                MISSING_KEY,
                Place(node.start, node.end, _join(path, "kind")).first,
                'An object needs "kind", which is missing here.',
                "An object begins with apiVersion and kind.",
            )
            return
        place = Place(kind.start, kind.end, _join(path, "kind"))
        data = node.entries.get("data", (None, None))[1]
        metadata = node.entries.get("metadata", (None, None))[1]
        named = metadata.entries.get("name") if isinstance(metadata, MapNode) else None
        name = named[1].text if named is not None and isinstance(named[1], ScalarNode) else ""
        has_file = isinstance(data, MapNode) and FILE in data.entries
        if kind.text != "ConfigMap" or not (name in (DEFAULTS, CONFIGS) or has_file):
            self._findings.add(
                NOT_READ, place, f'{shorten(kind.text)} "{shorten(name)}" is not read.'
            )
            return
        own = name if name == DEFAULTS else CONFIGS
        if own in self._data or own in self._kinds:
            self._findings.add(
                REPEATED_CONFIG,
                place,
                f"There is a ConfigMap {own} above already.",
                "Remove one of the two.",
            )
            return
        self._kinds[own] = place
        if isinstance(data, MapNode):
            self._data[own] = _join(path, "data"), data

    def _note_no_text(self, key: str, path: str, value: Node) -> None:
        if not isinstance(value, UnreadNode):
            self._findings.add(
                NOT_TEXT,
                Place(value.start, value.end, path),
                f"{shorten(key)} must be one text.",
                "Write | after the colon, and the text indented below." if key == FILE else "",
            )

    def _note_unread_file(self, path: str, scalar: ScalarNode) -> None:
        self._findings.add(
            NOT_READ,
            Place(scalar.start, scalar.end, path).first,
            f"{FILE} of {DEFAULTS} is not read, because {CONFIGS} has one.",
        )


def _join(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key
