"""Path converters for names that people choose freely."""

from __future__ import annotations

from console.reading import is_storable


class NameConverter:
    """Any text that can be a name: a queue's may hold slashes, colons and even line breaks."""

    regex = r"[\s\S]+"

    def to_python(self, value: str) -> str:
        """Return the name as it stands in the address; raise ValueError when nothing has it."""
        if not is_storable(value):
            raise ValueError(value)
        return value

    def to_url(self, value: str) -> str:
        """Return the name; Django quotes it."""
        return value
