"""Parts of explanations: sentences, stages, and the context in which they are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from console.engine.model.origin import Origin
from console.engine.model.reasons import Reason
from console.engine.model.trace import Trace
from console.engine.wording.words import cut


class Verdict(StrEnum):
    """Whether a stage or a single fact is for or against admission."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    INFO = "info"
    #: Not evaluated.
    SKIP = "skip"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One fact of an explanation in words, with its verdict and its place in the config."""

    text: str
    verdict: Verdict = Verdict.INFO
    #: The lines of the config that caused the fact.
    origin: Origin | None = None
    #: The numbers in the text by name; amounts in thousandths, "unlimited" for no limit.
    numbers: Mapping[str, int | str] = field(default_factory=dict)
    #: Ids of the other workloads in the text, in its order.
    workloads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StageText:
    """The sentences of one stage."""

    stage: str
    verdict: Verdict
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A trace in words: the headline, then the stages in order."""

    headline: str
    reason: Reason
    stages: tuple[StageText, ...]


@dataclass(frozen=True, slots=True)
class ExplainContext:
    """The trace to explain, and *names*, the display names of workloads by id."""

    trace: Trace
    names: Mapping[str, str]
    #: Whether a config was applied before the decision.
    has_config: bool = True

    @property
    def queue(self) -> str:
        """The name of the workload's queue, or "its queue"."""
        return self.trace.queue.name if self.trace.queue is not None else "its queue"

    def name(self, workload: str) -> str:
        """Return the display name of a workload."""
        return self.names.get(workload, workload)

    def named(self, workloads: Iterable[str]) -> str:
        """Return the display names as a list, which is cut when it is long."""
        return cut(self.name(each) for each in workloads)


def stage_text(stage: str, verdict: Verdict, sentences: Iterable[Sentence]) -> StageText:
    """Return the stage with *sentences*."""
    return StageText(stage=stage, verdict=verdict, sentences=tuple(sentences))
