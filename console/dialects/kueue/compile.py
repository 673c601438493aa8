"""Compiles Kueue's objects without errors to the policy of the engine."""

from __future__ import annotations

from collections import defaultdict
from typing import Final

from console.dialects.findings import Place
from console.dialects.kueue.compile_parts import labels_of, name_of
from console.dialects.kueue.compile_quotas import QuotaCompiler
from console.dialects.kueue.compile_routing import RoutingCompiler, stop_of
from console.dialects.kueue.schema import (
    CohortDoc,
    ConfigurationDoc,
    Document,
    FlavorDoc,
    FungibilityDoc,
    PreemptionDoc,
    QueueDoc,
    UnsupportedDoc,
)
from console.dialects.kueue.unsupported import LABELS, RUN_TIME_LABEL
from console.dialects.kueue.words import (
    BorrowPolicy,
    FlavorPreference,
    FlavorSearch,
    QueueingStrategy,
    QuotaCheck,
    Reclaim,
    SharingStrategy,
    TolerationOperator,
    WithinQueue,
)
from console.dialects.numbers import LEAST_PRIORITY
from console.dialects.positions import Positions
from console.dialects.quantity import Quantity
from console.dialects.written import Read, Written, value_of
from console.engine.disciplines.quota.spec import (
    Cohort,
    FairStrategy,
    Flavor,
    Fungibility,
    FungibilityPolicy,
    Preemption,
    PreemptionRule,
    Preference,
    QueueSpec,
    QuotaSettings,
    Undeclared,
    quota_policy,
)
from console.engine.model.amounts import WEIGHT_ONE
from console.engine.model.nodes import FlavorToleration, Taint, TaintEffect
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy, Strategy
from console.engine.model.unsupported_settings import UnsupportedSetting

_RULES: Final = {
    "Never": PreemptionRule.NEVER,
    "LowerPriority": PreemptionRule.LOWER_PRIORITY,
    "LowerOrNewerEqualPriority": PreemptionRule.LOWER_OR_NEWER_EQUAL_PRIORITY,
    "Any": PreemptionRule.ANY,
}
_STRATEGIES: Final = {
    QueueingStrategy.BEST_EFFORT_FIFO: Strategy.BEST_EFFORT_FIFO,
    QueueingStrategy.STRICT_FIFO: Strategy.STRICT_FIFO,
}
_SEARCHES: Final = {
    FlavorSearch.MAY_STOP_SEARCH: FungibilityPolicy.MAY_STOP,
    FlavorSearch.TRY_NEXT_FLAVOR: FungibilityPolicy.TRY_NEXT,
}
_PREFERENCES: Final = {
    FlavorPreference.BORROWING_OVER_PREEMPTION: Preference.BORROWING_OVER_PREEMPTION,
    FlavorPreference.PREEMPTION_OVER_BORROWING: Preference.PREEMPTION_OVER_BORROWING,
}
_FAIR: Final = {
    SharingStrategy.FINAL_SHARE: FairStrategy.FINAL_SHARE,
    SharingStrategy.INITIAL_SHARE: FairStrategy.INITIAL_SHARE,
}
_UNDECLARED: Final = {
    QuotaCheck.BLOCK_UNDECLARED: Undeclared.BLOCK,
    QuotaCheck.IGNORE_UNDECLARED: Undeclared.IGNORE,
}


def compile_policy(document: Document, positions: Positions) -> Policy:
    """Return the policy of a document without errors."""
    return _Compiler(positions).policy(document)


class _Compiler:
    """Converts objects to parts of a policy, each with its origin."""

    def __init__(self, positions: Positions) -> None:
        self._positions = positions
        self._quotas = QuotaCompiler(self._origin)
        self._routing = RoutingCompiler(self._origin)
        #: By kind and name of the object.
        self._unsupported: defaultdict[tuple[str, str], tuple[UnsupportedSetting, ...]]
        self._unsupported = defaultdict(tuple)

    def policy(self, document: Document) -> Policy:
        for setting in document.unsupported:
            self._unsupported[setting.owner] += (self._unsupported_setting(setting),)
        flavors = [self._flavor(flavor) for flavor in document.flavors]
        queues = [self._queue(queue) for queue in document.queues]
        cohorts = {name_of(doc.name): self._cohort(doc) for doc in document.cohorts}
        for parent in (*(c.parent for c in list(cohorts.values())), *(q.parent for q in queues)):
            if parent is not None and parent not in cohorts:
                # A cohort exists as soon as something names it (Kueue, spec 1.4).
                cohorts[parent] = Cohort(name=parent)
        return quota_policy(
            "kueue",
            flavors={flavor.name: flavor for flavor in flavors},
            queues={queue.name: queue for queue in queues},
            cohorts=cohorts,
            routing=self._routing.routing(document),
            settings=self._settings(document.configurations),
            least_priority=LEAST_PRIORITY,
            unsupported=self._unsupported["Configuration", ""],
            run_time_label=RUN_TIME_LABEL,
            unsupported_labels=LABELS,
        )

    def _unsupported_setting(self, setting: UnsupportedDoc) -> UnsupportedSetting:
        return UnsupportedSetting(
            kind=setting.kind,
            subject=setting.owner[1],
            names=setting.names,
            origin=self._origin(setting.place),
        )

    def _origin(self, place: Place) -> Origin:
        return self._positions.span(place.start, place.end)

    def _flavor(self, flavor: FlavorDoc) -> Flavor:
        taints = flavor.taints.value if isinstance(flavor.taints, Written) else ()
        tolerations = flavor.tolerations.value if isinstance(flavor.tolerations, Written) else ()
        return Flavor(
            name=name_of(flavor.name),
            node_labels=labels_of(flavor.node_labels),
            taints=tuple(
                Taint(
                    name_of(taint.key),
                    value_of(taint.value) or "",
                    value_of(taint.effect) or TaintEffect.NO_SCHEDULE,
                )
                for taint in taints
            ),
            tolerations=tuple(
                FlavorToleration(
                    value_of(toleration.key) or "",
                    str(value_of(toleration.operator) or TolerationOperator.EQUAL),
                    value_of(toleration.value) or "",
                    str(value_of(toleration.effect) or ""),
                    value_of(toleration.seconds),
                )
                for toleration in tolerations
            ),
            unsupported=self._unsupported["ResourceFlavor", name_of(flavor.name)],
            origin=self._origin(flavor.place),
        )

    def _cohort(self, cohort: CohortDoc) -> Cohort:
        return Cohort(
            name=name_of(cohort.name),
            parent=value_of(cohort.parent),
            groups=self._quotas.groups(cohort.groups),
            fair_weight=_weight(cohort.weight),
            origin=self._origin(cohort.place),
        )

    def _queue(self, queue: QueueDoc) -> QueueSpec:
        strategy = value_of(queue.strategy) or QueueingStrategy.BEST_EFFORT_FIFO
        return QueueSpec(
            name=name_of(queue.name),
            parent=value_of(queue.parent),
            groups=self._quotas.groups(queue.groups),
            preemption=self._preemption(queue.preemption),
            strategy=_STRATEGIES[strategy],
            fungibility=self._fungibility(queue.fungibility),
            stop=stop_of(queue.stop, is_deleted=queue.deleted is not None),
            fair_weight=_weight(queue.weight),
            namespaces=self._routing.selector(queue.namespaces),
            unsupported=self._unsupported["ClusterQueue", name_of(queue.name)],
            origin=self._origin(queue.place),
        )

    def _preemption(self, preemption: PreemptionDoc | None) -> Preemption:
        if preemption is None:
            return Preemption()
        return Preemption(
            within_queue=_rule(preemption.within_queue),
            reclaim_within_cohort=_rule(preemption.reclaim),
            borrow_within_cohort=_rule(preemption.borrow),
            max_priority_threshold=value_of(preemption.threshold),
            origin=self._origin(preemption.place),
        )

    def _fungibility(self, fungibility: FungibilityDoc | None) -> Fungibility:
        if fungibility is None:
            return Fungibility()
        borrow = value_of(fungibility.when_can_borrow) or FlavorSearch.MAY_STOP_SEARCH
        preempt = value_of(fungibility.when_can_preempt) or FlavorSearch.TRY_NEXT_FLAVOR
        preference = value_of(fungibility.preference) or FlavorPreference.BORROWING_OVER_PREEMPTION
        return Fungibility(
            when_can_borrow=_SEARCHES[borrow],
            when_can_preempt=_SEARCHES[preempt],
            preference=_PREFERENCES[preference],
            origin=self._origin(fungibility.place),
        )

    def _settings(self, configurations: tuple[ConfigurationDoc, ...]) -> QuotaSettings:
        # Without a Configuration, a resource that no group covers blocks admission (Kueue, spec
        # 1.9), and a covered resource gets a flavor even if its request is 0 (spec 12.2).
        if not configurations:
            return QuotaSettings(undeclared=Undeclared.BLOCK, zeros_take_flavors=True)
        (configuration,) = configurations
        strategies: tuple[FairStrategy, ...] = ()
        if configuration.fair_sharing is not None:
            written = value_of(configuration.strategies)
            chosen = [word.value for word in written] if written else list(SharingStrategy)
            strategies = tuple(_FAIR[word] for word in chosen)
        check = value_of(configuration.quota_check) or QuotaCheck.BLOCK_UNDECLARED
        return QuotaSettings(
            fair_sharing=strategies,
            undeclared=_UNDECLARED[check],
            zeros_take_flavors=True,
            origin=self._origin(configuration.place),
        )


def _rule(word: Read[WithinQueue] | Read[Reclaim] | Read[BorrowPolicy]) -> PreemptionRule:
    return _RULES[word.value.value] if isinstance(word, Written) else PreemptionRule.NEVER


def _weight(weight: Read[Quantity]) -> int:
    return weight.value.nanos if isinstance(weight, Written) else WEIGHT_ONE
