"""Templates that were not rendered: a text of Helm, Jinja or the like where YAML is expected."""

from __future__ import annotations

import re
from typing import Final

#: What to do about it.
RENDER: Final = (
    "Render the template first, for example with `helm template`, and use its output; or write "
    "the value in its place."
)
#: Where a tag of a template begins.
_TAG = re.compile(r"\{\{|\{%|\{#")
#: What cannot be a tag: a comment, and a text in quotes that ends on its line.
_QUOTED = re.compile(r"""(?:^|(?<=\s))#.*|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'""")


def looks_unrendered(text: str) -> bool:
    """
    Say whether a value holds a tag of a template.

    >>> looks_unrendered("{{ .Values.quota }}"), looks_unrendered("{a: 1}")
    (True, False)
    """
    return _TAG.search(text) is not None


def tag_on_line(text: str, at: int) -> tuple[int, int] | None:
    r"""
    Return where the first tag of a template on the line of offset *at* begins, and its line ends.

    Tags in comments and quotes are none: YAML reads these as they are.

    >>> [tag_on_line("a: '{{ b }}'\nc: {{ d }}\n", at) for at in (0, 20)]
    [None, (16, 23)]
    """
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    line = text[start : end if end >= 0 else len(text)].rstrip()
    found = _TAG.search(_QUOTED.sub(lambda quoted: " " * len(quoted[0]), line))
    return (start + found.start(), start + len(line)) if found else None
