"""Values of documents without errors: required names, and labels as plain mappings."""

from __future__ import annotations

from console.dialects.kueue.schema import Labels
from console.dialects.written import Read, Written, value_of


def name_of(read: Read[str]) -> str:
    """Return a text that is present in every document without errors."""
    text = value_of(read)
    assert text is not None, read
    return text


def labels_of(labels: Labels) -> dict[str, str]:
    """Return labels as a mapping; empty if they are absent."""
    if not isinstance(labels, Written):
        return {}
    return {key.value: value_of(value) or "" for key, value in labels.value}
