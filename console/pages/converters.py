"""Path converters for names that people choose freely."""

from __future__ import annotations


class NameConverter:
    """Any text at all: a queue's name may hold slashes, colons and even line breaks."""

    regex = r"[\s\S]+"

    def to_python(self, value: str) -> str:
        """Return the name as it stands in the address."""
        return value

    def to_url(self, value: str) -> str:
        """Return the name; Django quotes it."""
        return value
