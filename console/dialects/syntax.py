"""Syntax errors of YAML, with messages that explain the repair."""

from __future__ import annotations

import re
from typing import Final

import yaml

from console.dialects.codes import SYNTAX, TAB, UNRENDERED_TEMPLATE
from console.dialects.findings import Edit, Findings, Place, Repair
from console.dialects.templates import RENDER, tag_on_line

_INVALID: Final = "is invalid here"
#: Problem of libyaml -> message and hint. ``{line}`` is the line where the construct began.
_WORDS: Final = {
    "did not find expected ',' or ']'": (
        f"The list that begins on {{line}} {_INVALID}",
        "Put a comma between items, and close the list with ].",
    ),
    "did not find expected ',' or '}'": (
        f"The mapping that begins on {{line}} {_INVALID}",
        "Put a comma between fields, and close the mapping with }.",
    ),
    "did not find expected key": (
        "A field is expected here, to continue the mapping of {line}",
        "Check the indentation: all fields of a mapping begin in the same column.",
    ),
    "did not find expected '-' indicator": (
        "A list item is expected here, to continue the list of {line}",
        "Check the indentation: all items of a list begin in the same column, with '- '.",
    ),
    "mapping values are not allowed in this context": (
        "A ':' is not allowed here",
        "Quote the text if the colon belongs to it; otherwise check the indentation.",
    ),
    "could not find expected ':'": (
        "A ':' is missing after the key on {line}",
        "Write `key: value`, or quote a text that goes over several lines.",
    ),
    "did not find expected node content": (
        "A value is expected here",
        "Look for a comma or a bracket too many or too few.",
    ),
    "did not find expected <document start>": (
        "The document has ended before this",
        "Check the indentation of this line and of the one above it.",
    ),
    "block sequence entries are not allowed in this context": (
        "A list item cannot begin here",
        "Begin the list on its own line, with '- '.",
    ),
    "mapping keys are not allowed in this context": (
        "A field cannot begin here",
        "Begin the mapping on its own line.",
    ),
    "found unknown escape character": (
        "This escape is unknown in a double-quoted text",
        "Write \\\\ for a backslash, or use single quotes.",
    ),
}
_UNCLOSED_QUOTE = "while scanning a quoted scalar"
_CANNOT_START = "found character that cannot start any token"
#: Indentation, including the dashes of list items, that contains a tab.
_TABBED_INDENTATION = re.compile(r"^[ \-?]*\t[ \t\-?]*", re.MULTILINE)
_MAX_LINES: Final = 1000


def report_syntax_error(findings: Findings, error: yaml.MarkedYAMLError) -> None:
    """Report *error* at the place where YAML could not continue."""
    text = findings.positions.text
    # A problem after the last line break is shown at the end of the last line.
    at = min(error.problem_mark.index, len(text)) if error.problem_mark else 0
    began = error.context_mark.index if error.context_mark else at
    if findings.has(UNRENDERED_TEMPLATE):
        # After a template tag, the place of a further YAML error means nothing to the author.
        return
    if tag := tag_on_line(text, at) or tag_on_line(text, began):
        report_template(findings, *tag)
        return
    line = findings.positions.line_words(began)
    character = text[at : at + 1]
    if error.problem == _CANNOT_START and character == "\t":
        _report_tab(findings, at)
        return
    if error.problem == _CANNOT_START:
        message = f"A value cannot begin with {character!r}"
        hint = "Quote the text."
    elif error.context == _UNCLOSED_QUOTE and at == len(text):
        message = f"The quote that opens on {line} is never closed"
        hint = "Close the quote at the end of the text."
    elif error.problem in _WORDS:
        message, hint = _WORDS[error.problem]
        if not text[at:].strip():
            message = message.replace(_INVALID, "is never closed")
        message = message.replace("{line}", line)
    else:
        message, hint = f"This is not valid YAML: {error.problem}", ""
    findings.add(SYNTAX, Place(at, min(at + 1, len(text))), f"{message}.", hint)


def report_template(findings: Findings, start: int, end: int) -> None:
    """Report a template tag between two offsets."""
    tag = findings.positions.text[start : start + 2]
    findings.add(
        UNRENDERED_TEMPLATE,
        Place(start, end),
        f"This looks like a template that was not rendered: {tag} is not YAML.",
        RENDER,
    )


def _report_tab(findings: Findings, at: int) -> None:
    text = findings.positions.text
    end = at + len(text[at:]) - len(text[at:].lstrip("\t"))
    edits = [
        Edit(tab.start(), tab.end(), tab.group().replace("\t", "  "))
        for tab in _TABBED_INDENTATION.finditer(text)
    ]
    covered = any(edit.start <= at < edit.end for edit in edits) and len(edits) <= _MAX_LINES
    findings.add(
        TAB,
        Place(at, end),
        "The indentation contains a tab; YAML allows only spaces there.",
        "Replace it with spaces.",
        (Repair("Replace tabs in the indentation with spaces", tuple(edits)),) if covered else (),
    )
