"""
Explanations as Markdown, to paste into a ticket or a chat.

User input (names, labels, messages) is escaped, so that CommonMark and GitHub show its characters
and never a link, an image, a mention, a formula, a heading or HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from django.urls import reverse

from console.engine.explain import Sentence, StageText
from console.engine.explain.titles import VERDICT_TITLES, stage_title
from console.engine.model.origin import Origin
from console.engine.wording.characters import CONTROLS, DIRECTIONS, LINE_ENDS
from console.workloads.explanations import Explained
from console.workloads.models import Workload

#: Characters that start Markdown inside a line.
_INLINE = re.compile(r"([\\`*_\[\]<>#|~&!@$^])")
#: Texts that become links without markup.
_ADDRESS = re.compile(r"(?i)(:)(//)|(www)(\.)")
#: Line ends, and characters that are invisible or change the direction of the text.
_UNPRINTABLE = re.compile(f"[\n{CONTROLS}{LINE_ENDS}{DIRECTIONS}\u200b-\u200d\u2060-\u2065\ufeff]+")
#: Characters that make a list or a heading at the start of a line.
_AT_START = re.compile(r"^(\d*)([-+=.)])")


def escaped(text: str) -> str:
    r"""
    Return *text* as Markdown that shows the same characters on one line.

    >>> print(escaped("[free gpu](http://a.example) <b>"))
    \[free gpu\](http:\//a.example) \<b\>
    >>> print(escaped("- a\n# b"), escaped("3. c"))
    \- a \# b 3\. c
    """
    line = _UNPRINTABLE.sub(" ", text).strip()
    # Addresses become links without markup.
    shown = _INLINE.sub(r"\\\1", line)
    shown = _ADDRESS.sub(r"\1\3\\\2\4", shown)
    return _AT_START.sub(r"\1\\\2", shown)


def at(moment: datetime) -> str:
    """Return date and time of *moment* in UTC."""
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"


class Links:
    """Absolute URLs of pages of the organization *org* on *host*."""

    def __init__(self, host: str, org: str) -> None:
        self._host = host.rstrip("/")
        self._org = org

    def lines(self, version: int, origin: Origin | None) -> str:
        """Return a link to the lines of a version, after a space; empty if there is no origin."""
        if origin is None or not version:
            return ""
        last = f"-L{origin.end_line}" if origin.end_line > origin.line else ""
        span = f"L{origin.line}{last}"
        return f" ([v{version} {span}]({self.to('config-version', version)}#{span}))"

    def to(self, name: str, *args: object) -> str:
        """Return the URL of a page."""
        return f"{self._host}{reverse(f'pages:{name}', args=[self._org, *args])}"


def explanation_markdown(
    subject: Workload, explained: Explained, links: Links, decision: int | None = None
) -> str:
    """Return the explanation of *subject*, or of its *decision*, as Markdown."""
    title = f"{subject.name} ({subject.uid})"
    url = links.to("workload", subject.uid)
    if decision is not None:
        url = links.to("decision", subject.uid, decision)
    version = explained.config_version
    how = "Evaluated" if explained.live else "Decided"
    under = f" under config v{version}" if version else ""
    lines = [
        f"**{escaped(title)}**: {escaped(explained.explanation.headline)}",
        "",
        f"{how} {at(explained.evaluated_at)}{under}. [Open it]({url})",
    ]
    for stage in explained.explanation.stages:
        lines += ["", *stage_lines(stage, version, links)]
    return "\n".join(lines) + "\n"


def stage_lines(stage: StageText, version: int, links: Links, title: str = "") -> Iterator[str]:
    """Yield the lines of one stage under its *title*."""
    yield f"**{title or stage_title(stage.stage)}**"
    yield ""
    for sentence in stage.sentences:
        yield f"- {_sentence(sentence)}{links.lines(version, sentence.origin)}"


def table_lines(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table with plain texts."""
    yield f"| {' | '.join(map(escaped, head))} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(map(escaped, row))} |"


def _sentence(sentence: Sentence) -> str:
    return f"{VERDICT_TITLES[sentence.verdict]} {escaped(sentence.text)}"
