"""What objects without errors certainly have: names, and labels as plain mappings."""

from __future__ import annotations

from console.dialects.kueue.schema import Labels
from console.dialects.written import Read, Written, value_of


def name_of(read: Read[str]) -> str:
    """Return a text that a document without errors has."""
    text = value_of(read)
    assert text is not None, read
    return text


def labels_of(labels: Labels) -> dict[str, str]:
    """Return labels as a mapping; none when they are absent."""
    if not isinstance(labels, Written):
        return {}
    return {key.value: value_of(value) or "" for key, value in labels.value}
