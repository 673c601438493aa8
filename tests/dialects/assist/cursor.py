"""Editor assistance at the cursor, which the last bar of the text marks."""

from __future__ import annotations

from console.dialects import dialects
from console.dialects.assist import Assistant, Completion, Help, assist
from console.engine.model.inventory import Inventory


def _split(marked: str) -> tuple[str, int, int]:
    at = marked.rindex("|")
    before = marked[:at]
    return before + marked[at + 1 :], before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1


def completions(dialect: str, marked: str) -> tuple[Completion, ...]:
    """Return the completions at the bar of *marked*."""
    text, line, column = _split(marked)
    return assistant(dialect, text).complete(line, column)


def inserted(dialect: str, marked: str) -> list[str]:
    """Return the texts of the completions at the bar of *marked*."""
    return [each.insert for each in completions(dialect, marked)]


def inserted_live(dialect: str, marked: str, inventory: Inventory) -> list[str]:
    """Return the same with suggestions from *inventory*."""
    text, line, column = _split(marked)
    live_schema = dialects()[dialect].live_schema
    assert live_schema is not None
    found = assistant(dialect, text).complete(line, column, live_schema(inventory))
    return [each.insert for each in found]


def explained(dialect: str, marked: str) -> Help | None:
    """Return the help at the bar of *marked*."""
    text, line, column = _split(marked)
    return assistant(dialect, text).explain(line, column)


def assistant(dialect: str, text: str) -> Assistant:
    """Return the assistant of *text*."""
    return assist(dialects()[dialect], text)
