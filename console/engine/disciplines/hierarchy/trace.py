"""Facts of the discipline in the trace of a workload: placement, limits, nodes and preemption."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from console.engine.disciplines.hierarchy.nomination import OF_APPLICATIONS, Stage
from console.engine.disciplines.hierarchy.placement import Verdict
from console.engine.disciplines.hierarchy.spec import RuleKind
from console.engine.model.exceeded import Exceeded
from console.engine.model.trace import Trace
from console.engine.model.trace_sections import TraceSection, register_section

#: The name of the section, which is the name of the folder.
HIERARCHY: Final = "hierarchy"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckStep:
    """The comparison of a request with one limit: thousandths, or numbers of applications."""

    stage: Stage = Stage.QUEUE_QUOTA
    #: The full name of the queue whose limit it is; empty for nodes.
    queue: str = ""
    #: The user or group, or ``*``; empty: the limit is that of the queue itself.
    holder: str = ""
    #: Empty: applications are counted.
    resource: str = ""
    requested: int = 0
    limit: int = 0
    used: int = 0

    @property
    def available(self) -> int:
        """What the limit leaves; 0 if more is used."""
        return max(0, self.limit - self.used)

    @property
    def passes(self) -> bool:
        """Whether the request fits."""
        return self.requested <= self.available

    @property
    def counts_applications(self) -> bool:
        """Whether the limit is a number of applications."""
        return self.stage in OF_APPLICATIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStep:
    """On how many nodes one pod lacks a resource, or is excluded for another cause."""

    cause: str = ""
    nodes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PreemptionStep:
    """Why preemption makes no room."""

    #: YuniKorn's message.
    text: str = ""
    #: The queue below which victims are searched; empty: there was no search.
    fence: str = ""
    #: The number of pods that may be stopped; None: not counted.
    candidates: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleStep:
    """The answer of one placement rule."""

    #: The index in the config; None: the rule of a parent, or one that is always there.
    index: int | None = None
    kind: RuleKind = RuleKind.PROVIDED
    #: The queue of a fixed rule, and the tag of a tag rule.
    value: str = ""
    verdict: Verdict = Verdict.ACCEPTED
    #: The path that the rule answered, or the name that is not valid.
    queue: str = ""
    #: The queue that decided.
    at: str = ""
    #: For `Verdict.NO_ACCESS`: the users and groups that may submit to that queue.
    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    #: The answer of the rule for the queue above, if that one decided.
    parent: RuleStep | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HierarchyFacts(TraceSection):
    """What was compared for the pods that start together."""

    #: The user, and the group whose limits count; empty: none.
    user: str = ""
    group: str = ""
    #: The answers of placement rules, to the one that decided.
    rules: tuple[RuleStep, ...] = ()
    #: YuniKorn's message about a workload that was not placed.
    rejection: str = ""
    #: The request of one pod in thousandths, without zeros.
    request: Mapping[str, int] = field(default_factory=dict)
    #: The number of pods that start together, and how many of them have a node.
    pods: int = 0
    placed: int = 0
    #: Why the request is not supported: one sentence.
    problem: str = ""
    #: The first check that fails.
    refusal: CheckStep | None = None
    #: Only in explanations of the present: all checks for one pod.
    checks: tuple[CheckStep, ...] = ()
    nodes: tuple[NodeStep, ...] = ()
    preemption: PreemptionStep | None = None
    #: YuniKorn's messages, each one once.
    messages: tuple[str, ...] = ()
    #: The bounds that the request exceeds even if nothing else runs: it can never start.
    exceeded: tuple[Exceeded, ...] = ()


NO_FACTS: Final = HierarchyFacts()

register_section(HIERARCHY, HierarchyFacts)


def facts_of(trace: Trace) -> HierarchyFacts:
    """Return the facts in a trace; empty for a trace of another discipline."""
    found = trace.sections.get(HIERARCHY)
    return found if isinstance(found, HierarchyFacts) else NO_FACTS
