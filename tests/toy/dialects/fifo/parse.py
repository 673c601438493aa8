"""Parser of the toy dialect: YAML nodes to the document, with findings."""

from __future__ import annotations

from console.dialects.codes import DUPLICATE_NAME, NOT_A_MAPPING
from console.dialects.fields import Fields
from console.dialects.fifo.codes import ADMITS_NOTHING, ONE_LINE
from console.dialects.fifo.schema import DOCUMENT, LIMIT, LINE, Document, LineDoc
from console.dialects.findings import Findings, Place
from console.dialects.lists import parse_valid
from console.dialects.nodes import MapNode, Node, ScalarNode, UnreadNode
from console.dialects.repairs import replace
from console.dialects.repeated import note_repeated
from console.dialects.written import Written, value_of


def parse(root: Node, findings: Findings) -> Document:
    """Return the document of *root*; unreadable parts become findings and are left out."""
    if isinstance(root, MapNode):
        fields = Fields(root, "", DOCUMENT, findings)
        lines = value_of(parse_valid(fields.mappings("lines", LINE, required=True), _line)) or ()
        return Document(lines=lines)
    if not isinstance(root, UnreadNode) and not (isinstance(root, ScalarNode) and root.is_null):
        place = Place(root.start, root.end)
        findings.add(NOT_A_MAPPING, place, "A config is a mapping.", "It has lines.")
    return Document()


def check(document: Document, findings: Findings) -> None:
    """Add findings about invalid values of *document*."""
    names = [line.name for line in document.lines if isinstance(line.name, Written)]
    note_repeated(findings, DUPLICATE_NAME, names, "Line")
    for line in document.lines:
        for resource, amount in line.limit.items():
            if isinstance(amount, Written) and not amount.value:
                findings.add(
                    ADMITS_NOTHING,
                    amount.place,
                    f"With a limit of 0 {resource}, the line admits no workload that requests it.",
                    "Raise the limit.",
                    (replace(amount.place, "1", number=True),),
                )
    if len(document.lines) == 1 and names:
        findings.add(ONE_LINE, names[0].place, "Every workload joins this line.")


def _line(fields: Fields) -> LineDoc:
    name = fields.text("name", required=True)
    limit = fields.mapping("limit", LIMIT)
    amounts = {}
    if isinstance(limit, Fields):
        amounts = {resource: limit.amount(resource) for resource in LIMIT.keys}
    return LineDoc(place=fields.place, name=name, limit=amounts)
