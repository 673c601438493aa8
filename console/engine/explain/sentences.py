"""Sentences: what an explanation is made of, and what all of its stages know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from console.engine.model.origin import Origin
from console.engine.model.reasons import Reason
from console.engine.model.trace import Trace
from console.engine.wording.words import cut


class Verdict(StrEnum):
    """How a stage or a single fact speaks for admission."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    INFO = "info"
    #: Not looked at.
    SKIP = "skip"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One fact in words."""

    text: str
    verdict: Verdict = Verdict.INFO
    #: The lines of the config that decided it.
    origin: Origin | None = None
    #: The numbers in it by name; amounts in thousandths, "unlimited" for no limit.
    numbers: Mapping[str, int | str] = field(default_factory=dict)
    #: Ids of other workloads it names, in the order of the text.
    workloads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StageText:
    """One stage of the way from labels to outcome."""

    stage: str
    verdict: Verdict
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A trace in words: one plain sentence on top, then the stages in order."""

    headline: str
    reason: Reason
    stages: tuple[StageText, ...]


@dataclass(frozen=True, slots=True)
class Telling:
    """A trace that is being worded; *names* has display names of workloads by id."""

    trace: Trace
    names: Mapping[str, str]
    #: Whether a config was applied before it was decided.
    has_config: bool = True

    @property
    def queue(self) -> str:
        """The name of the workload's queue, or words for it."""
        return self.trace.queue.name if self.trace.queue is not None else "its queue"

    def name(self, workload: str) -> str:
        """Return the display name of a workload."""
        return self.names.get(workload, workload)

    def named(self, workloads: Iterable[str]) -> str:
        """Return display names as a list, which is cut when it is long."""
        return cut(self.name(each) for each in workloads)


def stage_text(stage: str, verdict: Verdict, sentences: Iterable[Sentence]) -> StageText:
    """Return a stage of these sentences."""
    return StageText(stage=stage, verdict=verdict, sentences=tuple(sentences))
