"""Labels: mappings from text to text, as SkyShift accepts them."""

from __future__ import annotations

import re

from console.dialects.codes import BLANK, CONTROL_IN_TEXT, QUOTE_IT, TOO_LONG
from console.dialects.fields import MAX_TEXT, Fields
from console.dialects.findings import Edit, Findings, Place, Repair
from console.dialects.nodes import MapNode, ScalarNode
from console.dialects.scalars import is_guessed, write_text
from console.dialects.skyshift.schema import Labels
from console.dialects.wording import capitalize, shorten
from console.dialects.written import Written
from console.engine.wording.characters import CONTROLS, LINE_ENDS

_CONTROL = re.compile(f"[\n{CONTROLS}{LINE_ENDS}]")


def read_labels(fields: Fields, key: str, *, values_may_be_empty: bool = True) -> Labels:
    """Read labels; keys are not blank, and neither keys nor values are numbers."""
    node = fields.node(key)
    labels = fields.texts_by_key(key, "the value of a label")
    if isinstance(node, MapNode) and isinstance(labels, Written):
        for key_node, _ in node.entries.values():
            path = f"{labels.place.path}.{key_node.text}"
            check_key(key_node, path, "the key of a label", fields.findings)
        for _, value in labels.value:
            if isinstance(value, Written) and not value.value and not values_may_be_empty:
                fields.findings.add(BLANK, value.place, "The value of a label is blank.")
    return labels


def check_key(key: ScalarNode, path: str, what: str, findings: Findings) -> None:
    """Report a key of a mapping that is not a text; *what* is the noun for it in messages."""
    place = Place(key.start, key.end, path)
    opening = capitalize(what)
    if not key.text.strip():
        findings.add(BLANK, place, f"{opening} is blank.")
    elif len(key.text) > MAX_TEXT:
        length = f"{len(key.text):,} characters; it may have {MAX_TEXT} at most"
        findings.add(TOO_LONG, place, f"{opening} has {length}.", "Shorten it.")
    elif _CONTROL.search(key.text):
        message = f"{opening} contains a control character."
        findings.add(CONTROL_IN_TEXT, place, message, "Remove it.")
    elif key.plain and is_guessed(key.text):
        shown = shorten(key.text)
        edit = Edit(place.start, place.end, write_text(key.text, plain=False))
        findings.add(
            QUOTE_IT,
            place,
            f"Without quotes, YAML readers do not take {shown} for text; {what} must be text.",
            f'Quote it: "{shown}".',
            (Repair("Quote it", (edit,)),),
        )
