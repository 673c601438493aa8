"""
Editor assistance for config texts: names, completion and help, derived from the JSON Schema.

It works for every dialect and for texts that are currently invalid. Pure: the caller passes the
text and the schema, and gets values.
"""

from __future__ import annotations

from functools import lru_cache

from console.dialects import dialects
from console.dialects.assist.completion import Completion, complete
from console.dialects.assist.hover import Help, explain
from console.dialects.assist.names import Item, Names, Reference, read_names
from console.dialects.assist.schemas import Schema, documents_of
from console.dialects.assist.tolerant_parser import parse_tolerantly
from console.dialects.base import Dialect
from console.dialects.collector import collector_paused

__all__ = ["Assistant", "Completion", "Help", "Item", "Names", "Reference", "assist"]


#: Maximum number of characters of an assisted text: about 10,000 lines, parsed in 0.25 s.
LONGEST = 400_000


class Assistant:
    """One text in one language, parsed once for all requests of the editor."""

    def __init__(self, schema: Schema, text: str) -> None:
        self._schema = schema
        self._text = text
        self._parsed = parse_tolerantly(text, documents_of(schema))
        #: The objects that the text defines, and the references to them.
        self.names: Names = read_names(schema, self._parsed)

    def complete(
        self, line: int, column: int, schema: Schema | None = None
    ) -> tuple[Completion, ...]:
        """
        Return the completions at a cursor; *line* and *column* count from 1.

        *schema* is that of the language with more suggestions.
        """
        schema = self._schema if schema is None else schema
        return complete(schema, self._text, self._parsed, self.names, line, column)

    def explain(self, line: int, column: int) -> Help | None:
        """Return help for the key or value at a place; None if the schema has none."""
        return explain(self._schema, self._parsed, line, column)


def assist(dialect: Dialect, text: str) -> Assistant:
    """
    Return the assistant of *text* as a document of *dialect*; the last few are cached.

    A text longer than `LONGEST` is treated as empty.
    """
    return _assist(dialect.name, text if len(text) <= LONGEST else "")


@lru_cache(maxsize=4)
def _assist(name: str, text: str) -> Assistant:
    with collector_paused():
        return Assistant(dialects()[name].schema(), text)
