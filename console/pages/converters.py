"""Path converters of URLs: names of queues and cohorts, with any characters."""

from __future__ import annotations

from console.reading import is_storable


class NameConverter:
    """Any text that can be a name; names may contain slashes, colons and even line breaks."""

    regex = r"[\s\S]+"

    def to_python(self, value: str) -> str:
        """Return the name in the address; raise ValueError if no stored name can be equal to it."""
        if not is_storable(value):
            raise ValueError(value)
        return value

    def to_url(self, value: str) -> str:
        """Return the name; Django quotes it."""
        return value
