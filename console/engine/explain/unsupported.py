"""Sentences about settings without effect, added to the stages that they concern."""

from __future__ import annotations

from collections.abc import Iterator

from console.engine.explain.sentences import ExplainContext, Sentence, StageText
from console.engine.model.decision import Outcome
from console.engine.model.run_time import LONGEST_RUN_TIME
from console.engine.model.unsupported_settings import Unsupported, UnsupportedSetting
from console.engine.wording.words import cut

_STAGES = {
    Unsupported.TRANSFORMATIONS: "intake",
    Unsupported.EXCLUDED_RESOURCES: "intake",
    Unsupported.LABELED_EXECUTION_TIME: "intake",
    Unsupported.LABELED_ELASTIC_SIZE: "intake",
    Unsupported.LABELED_TOPOLOGY: "intake",
    Unsupported.ADMISSION_CHECKS: "queue",
    Unsupported.PAST_USAGE: "queue",
    Unsupported.CONCURRENT_FLAVORS: "queue",
    Unsupported.TOPOLOGY: "flavors",
    Unsupported.PODS_READY: "outcome",
}


def with_unsupported(context: ExplainContext, stage: StageText) -> StageText:
    """Return *stage* with a sentence for each unsupported setting that concerns it."""
    added = tuple(
        Sentence(text=_text(setting), origin=setting.origin)
        for setting in _settings(context)
        if _STAGES[setting.kind] == stage.stage
    )
    if not added:
        return stage
    return StageText(stage=stage.stage, verdict=stage.verdict, sentences=(*stage.sentences, *added))


def _settings(context: ExplainContext) -> Iterator[UnsupportedSetting]:
    is_admitted = context.trace.outcome.outcome is Outcome.ADMITTED
    for setting in context.trace.unsupported:
        if is_admitted or setting.kind is not Unsupported.PODS_READY:
            yield setting


def _text(setting: UnsupportedSetting) -> str:
    names, subject = cut(setting.names or ("without a name",)), setting.subject
    match setting.kind:
        case Unsupported.ADMISSION_CHECKS:
            checks = "Admission checks" if len(setting.names) > 1 else "Admission check"
            verb = "are" if len(setting.names) > 1 else "is"
            return f"{checks} {names} {verb} not supported: {subject} admits at once."
        case Unsupported.PAST_USAGE:
            return (
                "Past usage does not count: workloads are ordered by priority and submission time "
                f"alone, although {subject} sets another order."
            )
        case Unsupported.CONCURRENT_FLAVORS:
            return (
                "It is tried in one flavor at a time and stays in the one it gets, although "
                f"{subject} sets concurrent admission."
            )
        case Unsupported.PODS_READY:
            return "The readiness of its pods is not tracked: it keeps its quota until it ends."
        case Unsupported.TRANSFORMATIONS:
            verb = "are" if len(setting.names) > 1 else "is"
            return f"Its requests count as they were submitted: {names} {verb} not transformed."
        case Unsupported.EXCLUDED_RESOURCES:
            return (
                "Its requests count as they were submitted: resources that begin with "
                f"{names} are not excluded."
            )
        case Unsupported.TOPOLOGY:
            return f"Topology {names} of {subject} is not supported: its pods may run on any node."
        case Unsupported.LABELED_TOPOLOGY:
            return (
                f"Label {subject} is not supported: its pods may run on any node of their flavor."
            )
        case Unsupported.LABELED_EXECUTION_TIME:
            return (
                f"Label {subject} sets no maximum run time: its value is not a whole number of "
                f"seconds from 1 to {LONGEST_RUN_TIME}, or an earlier release decided."
            )
        case Unsupported.LABELED_ELASTIC_SIZE:
            return (
                f"Label {subject} is not supported: it keeps the size that it was submitted with."
            )
