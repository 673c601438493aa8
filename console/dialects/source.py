"""Source text to nodes with positions: the values as written, before YAML resolves their types."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

import yaml

from console.dialects.codes import CONTROL_CHARACTER, ENCODING, TOO_LARGE
from console.dialects.findings import Edit, Findings, Place, ReadingStopped, Repair
from console.dialects.nodes import Node
from console.dialects.positions import FileStart, Positions
from console.dialects.syntax import report_syntax_error
from console.dialects.tree import build_trees

MAX_BYTES: Final = 1024 * 1024
#: Maximum number of edits of one fix.
MAX_EDITS: Final = 100
#: A character that is not printable in terms of YAML.
_NOT_YAML = re.compile(
    "[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)


@dataclass(frozen=True, slots=True)
class Source:
    """A parsed text: its root nodes, if it is valid YAML, and the findings so far."""

    findings: Findings
    #: One per document; empty if the text could not be parsed.
    roots: list[Node]
    #: Documents in texts of the others, such as a file in a ConfigMap: their paths and roots.
    embedded: list[tuple[str, Node]] = field(default_factory=list)

    @property
    def root(self) -> Node | None:
        """The root of a text with one document, or None if it could not be parsed."""
        return self.roots[0] if self.roots else None

    @property
    def positions(self) -> Positions:
        """The text and its lines."""
        return self.findings.positions


def read_source(
    text: str | bytes, *, stream: bool = False, files: tuple[FileStart, ...] = ()
) -> Source:
    """
    Parse *text* as one YAML document, or as a *stream* of any number of documents.

    *files* are the files that the text was joined from, if any.

    If the text is not YAML or is too large, there are no roots and the findings state the reason.
    An empty document has an empty scalar as its root.
    """
    size = len(text) if isinstance(text, bytes) else len(text.encode("utf-8", "surrogatepass"))
    if size > MAX_BYTES:
        findings = Findings(Positions(""))
        findings.add(
            TOO_LARGE,
            Place(0, 0),
            f"The text has {size:,} bytes; at most {MAX_BYTES:,} (1 MiB) are read.",
        )
        return Source(findings, [])
    if isinstance(text, bytes):
        try:
            decoded = text.decode("utf-8")
        except UnicodeDecodeError as error:
            return _not_utf8(text, error.start)
    else:
        decoded = text
    findings = Findings(Positions(decoded, files))
    if _has_unreadable_characters(findings):
        return Source(findings, [])
    return Source(findings, _build(findings, stream))


def _build(findings: Findings, stream: bool) -> list[Node]:
    try:
        return build_trees(findings, stream=stream)
    except yaml.MarkedYAMLError as error:
        report_syntax_error(findings, error)
    except ReadingStopped:
        pass
    return []


def _not_utf8(raw: bytes, at: int) -> Source:
    findings = Findings(Positions(raw[:at].decode("utf-8")))
    end = len(findings.positions.text)
    findings.add(
        ENCODING,
        Place(end, end),
        f"The byte 0x{raw[at]:02x} is not UTF-8.",
        "Save the file as UTF-8.",
    )
    return Source(findings, [])


def _has_unreadable_characters(findings: Findings) -> bool:
    places = [m.start() for m in _NOT_YAML.finditer(findings.positions.text)]
    if not places:
        return False
    first = places[0]
    character = findings.positions.text[first]
    more = f" and {len(places) - 1} more like it" if len(places) > 1 else ""
    repairs: tuple[Repair, ...] = ()
    if len(places) <= MAX_EDITS:
        title = "Remove these characters" if more else "Remove the character"
        repairs = (Repair(title, tuple(Edit(at, at + 1, "") for at in places)),)
    findings.add(
        CONTROL_CHARACTER,
        Place(first, first + 1),
        f"The character U+{ord(character):04X}{more} is not allowed in YAML text.",
        "Remove it, or write it as an escape in double quotes.",
        repairs,
    )
    return True
