"""Detection of templates that were not rendered: a Helm or Jinja text where YAML is expected."""

from __future__ import annotations

import re
from typing import Final

#: The hint of the findings.
RENDER: Final = (
    "Render the template first, for example with `helm template`, and use its output; or write "
    "the value in its place."
)
#: The start of a template tag.
_TAG = re.compile(r"\{\{|\{%|\{#")
#: A comment, or a quoted text that ends on its line; neither can be a tag.
_QUOTED = re.compile(r"""(?:^|(?<=\s))#.*|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'""")


def looks_unrendered(text: str) -> bool:
    """
    Return whether a value contains a template tag.

    >>> looks_unrendered("{{ .Values.quota }}"), looks_unrendered("{a: 1}")
    (True, False)
    """
    return _TAG.search(text) is not None


def tag_on_line(text: str, at: int) -> tuple[int, int] | None:
    r"""
    Return the start of the first template tag on the line of offset *at*, and the line's end.

    Tags in comments and quotes do not count, because they are valid YAML.

    >>> [tag_on_line("a: '{{ b }}'\nc: {{ d }}\n", at) for at in (0, 20)]
    [None, (16, 23)]
    """
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    line = text[start : end if end >= 0 else len(text)].rstrip()
    found = _TAG.search(_QUOTED.sub(lambda quoted: " " * len(quoted[0]), line))
    return (start + found.start(), start + len(line)) if found else None
