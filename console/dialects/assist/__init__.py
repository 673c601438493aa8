"""
Assistance while a config is written: outline, completion and help, made from the JSON Schema.

Works for every dialect, and for texts that are broken at the moment. Pure: the
caller has the text and the schema, and gets values.
"""

from __future__ import annotations

from functools import lru_cache

from console.dialects import dialects
from console.dialects.assist.completion import Completion, complete
from console.dialects.assist.hover import Help, explain
from console.dialects.assist.names import Item, Names, Reference, read_names
from console.dialects.assist.schemas import Schema
from console.dialects.assist.sketch import Sketch, sketch
from console.dialects.base import Dialect
from console.dialects.collector import collector_paused

__all__ = ["Assistant", "Completion", "Help", "Item", "Names", "Reference", "assist"]


#: Characters of a text that help is given in: about 10,000 lines, read in a quarter of a second.
LONGEST = 400_000


class Assistant:
    """One text in one language, parsed once for all requests of the editor."""

    def __init__(self, schema: Schema, text: str) -> None:
        self._schema = schema
        self._text = text
        self._sketch: Sketch = sketch(text)
        #: What the text describes, and where it refers to which.
        self.names: Names = read_names(schema, self._sketch)

    def complete(self, line: int, column: int) -> tuple[Completion, ...]:
        """Return what may stand at a cursor; both count from 1."""
        return complete(self._schema, self._text, self._sketch, self.names, line, column)

    def explain(self, line: int, column: int) -> Help | None:
        """Return help for what stands at a place; None where the schema says nothing."""
        return explain(self._schema, self._sketch, line, column)


def assist(dialect: Dialect, text: str) -> Assistant:
    """
    Return the assistant of *text* as a document of *dialect*; the last few are remembered.

    A text longer than `LONGEST` describes nothing.
    """
    return _assist(dialect.name, text if len(text) <= LONGEST else "")


@lru_cache(maxsize=4)
def _assist(name: str, text: str) -> Assistant:
    with collector_paused():
        return Assistant(dialects()[name].schema(), text)
