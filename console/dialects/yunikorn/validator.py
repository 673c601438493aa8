"""YuniKorn's answer to a text: the first message of its check, and why it cannot start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

from console.dialects.findings import ReadingStopped
from console.dialects.source import read_source
from console.dialects.yunikorn.amounts import Amounts
from console.dialects.yunikorn.checks import check
from console.dialects.yunikorn.decode import Decoder
from console.dialects.yunikorn.library_types import CONFIG
from console.dialects.yunikorn.parse import partitions_of
from console.dialects.yunikorn.problems import Problems, Stage
from console.dialects.yunikorn.schema import Document
from console.engine.disciplines.hierarchy.spec import YUNIKORN

#: The text before messages of the start.
LOAD_FAILED = "registration of RM failed: "


@dataclass(frozen=True, slots=True)
class _SyntaxMessage:
    """The message of YuniKorn's YAML library about a text that is not YAML."""

    text: str


def validator_message(text: str) -> tuple[str | None, str | None]:
    """
    Return YuniKorn's message about the text of a ``queues.yaml``, and its message at the start.

    The first one is that of the check, None if it accepts the text. The second one is None too if
    the check refuses the text.
    """
    first = _first_document(text)
    if isinstance(first, _SyntaxMessage):
        return first.text, None
    source = read_source(first, stream=True)
    problems = Problems(source.findings, YUNIKORN)
    try:
        config = Decoder(problems).struct(source.roots[0], CONFIG, "") if source.roots else None
        if config is not None:
            check(Document(partitions=partitions_of(config)), Amounts(problems), problems)
    except ReadingStopped:
        pass
    messages = problems.messages
    if messages[Stage.TEXT]:
        return text_message(messages[Stage.TEXT]), None
    if messages[Stage.CHECK]:
        return messages[Stage.CHECK][0], None
    return None, next((LOAD_FAILED + each for each in messages[Stage.LOAD]), None)


def text_message(lines: list[str]) -> str:
    """Return the message about all values of a text that have a wrong type or name."""
    return "\n".join(["yaml: unmarshal errors:", *(f"  {line}" for line in lines)])


def _first_document(text: str) -> str | _SyntaxMessage:
    """Return the first document of a text, the only one that YuniKorn reads, or its message."""
    try:
        loader = yaml.CSafeLoader(text)
    except UnicodeError:
        return _SyntaxMessage("yaml: invalid Unicode character")
    anchors: set[str | None] = set()
    try:
        while True:
            event: Any = loader.get_event()
            anchor = getattr(event, "anchor", None)
            if isinstance(event, yaml.AliasEvent) and anchor not in anchors:
                return _SyntaxMessage(f"yaml: unknown anchor '{anchor}' referenced")
            anchors.add(anchor)
            if isinstance(event, (yaml.DocumentEndEvent, yaml.StreamEndEvent)):
                # Marks of libyaml have no common type.
                end: Any = event.start_mark
                return text[: end.index]
    except yaml.MarkedYAMLError as error:
        problem = error.problem or "unknown problem parsing YAML content"
        return _SyntaxMessage(f"yaml: {_line_words(error)}{problem}")
    except (yaml.YAMLError, UnicodeError):
        return _SyntaxMessage("yaml: control characters are not allowed")
    finally:
        loader.dispose()


def _line_words(error: yaml.MarkedYAMLError) -> str:
    """Return the line that the library names: the one before, where its parser gave up."""
    is_scanner = isinstance(error, yaml.scanner.ScannerError)
    for mark in (error.context_mark, error.problem_mark):
        if mark is not None and mark.line:
            return f"line {mark.line + is_scanner}: "
    return ""
