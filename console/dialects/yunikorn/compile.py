"""Compiles a config without errors to the policy of the engine."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from console.dialects.findings import Place
from console.dialects.numbers import LEAST_PRIORITY
from console.dialects.positions import Positions
from console.dialects.written import Unread, Written
from console.dialects.yunikorn.access import LIMITED_GROUP, LIMITED_USER, read_access
from console.dialects.yunikorn.amounts import Amounts
from console.dialects.yunikorn.checks import partition_name
from console.dialects.yunikorn.expressions import (
    Expression,
    has_special_characters,
    read_expression,
)
from console.dialects.yunikorn.routing import PlacementRouting
from console.dialects.yunikorn.rule_checks import DENY
from console.dialects.yunikorn.schema import (
    Document,
    FilterDoc,
    LimitDoc,
    PartitionDoc,
    QueueDoc,
    RuleDoc,
    TemplateDoc,
    Texts,
    plain,
)
from console.engine.disciplines.hierarchy.resources import Resources, is_positive
from console.engine.disciplines.hierarchy.spec import (
    AccessList,
    Compatibility,
    Filter,
    HierarchyQueue,
    HierarchySpec,
    Limit,
    Names,
    NodeOrder,
    Partition,
    PlacementRule,
    RuleKind,
    Template,
)
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy

NAME = "yunikorn"


def compile_policy(
    document: Document, amounts: Amounts, compatibility: Compatibility, positions: Positions
) -> Policy:
    """Return the policy of a document without errors; without partitions, it has no queue."""
    if not document.partitions:
        return Policy(dialect=NAME, spec=HierarchySpec(compatibility=compatibility))
    compiler = _Compiler(amounts, compatibility, positions)
    partitions = [compiler.partition(each) for each in document.partitions]
    queues = [
        queue
        for doc, partition in zip(document.partitions, partitions, strict=True)
        if doc.root is not None
        for queue in compiler.queues(doc.root, partition)
    ]
    spec = HierarchySpec(
        partitions={each.name: each for each in partitions},
        queues={each.name: each for each in queues},
        compatibility=compatibility,
    )
    return Policy(
        dialect=NAME,
        spec=spec,
        routing=PlacementRouting(spec=spec),
        least_priority=LEAST_PRIORITY,
    )


class _Compiler:
    def __init__(
        self, amounts: Amounts, compatibility: Compatibility, positions: Positions
    ) -> None:
        self._amounts = amounts
        self._compatibility = compatibility
        self._positions = positions

    def partition(self, doc: PartitionDoc) -> Partition:
        """Return a partition without its queues."""
        values = doc.values
        preemption, order = values.get("preemption"), values.get("nodesortpolicy")
        enabled = preemption.value.get("enabled") if preemption else None
        over_maximum = preemption.value.get("quotapreemptionenabled") if preemption else None
        kind = order.value.get("type") if order else None
        weights = order.value.get("resourceweights") if order else None
        stated = {} if weights is None else {key.value: each.value for key, each in weights.value}
        plain_partition = Partition()
        return Partition(
            name=partition_name(doc),
            rules=tuple(map(self._rule, doc.rules)),
            preempts=plain_partition.preempts if enabled is None else enabled.value,
            preempts_over_maximum=over_maximum is not None and over_maximum.value,
            node_order=NodeOrder(kind.value) if kind and kind.value else NodeOrder.FAIR,
            weights=stated or plain_partition.weights,
            origin=self._origin(doc.place),
        )

    def queues(
        self,
        doc: QueueDoc,
        partition: Partition,
        parent: str | None = None,
        above: tuple[str, ...] = (),
    ) -> Iterator[HierarchyQueue]:
        """Yield a queue and those below it, each after the one above it."""
        spelled = (*above, doc.name)
        name = partition.full_name(".".join(spelled).lower())
        yield HierarchyQueue(
            name=name,
            parent=parent,
            partition=partition.name,
            is_leaf=parent is not None and doc.is_leaf,
            states_parent=doc.states_parent,
            spelling=".".join(spelled),
            guaranteed=self._positive(doc.guaranteed),
            maximum=self._maximum(doc.maximum),
            applications=doc.most_applications,
            properties=_texts(doc.properties),
            submit=_access(doc.submit),
            admin=_access(doc.admin),
            template=self._template(doc.template),
            limits=tuple(map(self._limit, doc.limits)),
            origin=self._origin(doc.place),
        )
        for child in doc.queues:
            yield from self.queues(child, partition, name, spelled)

    def _origin(self, place: Place) -> Origin:
        return self._positions.span(place.start, place.end)

    def _stated(self, written: Written[Texts] | None) -> Resources | None:
        found = self._amounts.read(written)
        return None if isinstance(found, Unread) else found

    def _positive(self, written: Written[Texts] | None) -> Resources | None:
        """Return amounts, of which at least one is above 0; None otherwise."""
        found = self._stated(written)
        return found if is_positive(found) else None

    def _maximum(self, written: Written[Texts] | None) -> Resources | None:
        return self._compatibility.maximum(self._stated(written))

    def _template(self, doc: TemplateDoc | None) -> Template | None:
        if doc is None:
            return None
        found = Template(
            applications=doc.applications.value if doc.applications else 0,
            properties={key: text for key, text in _texts(doc.properties).items() if key and text},
            # With amounts of 0 only, it replaces that of a queue above, and sets nothing.
            guaranteed=self._stated(doc.guaranteed) or None,
            maximum=self._stated(doc.maximum) or None,
        )
        return None if found == Template() else found

    def _limit(self, doc: LimitDoc) -> Limit:
        return Limit(
            users=tuple(each.value for each in doc.users or ()),
            groups=tuple(each.value for each in doc.groups or ()),
            resources=self._stated(doc.resources) or None,
            applications=doc.most_applications,
            description=doc.description,
            origin=self._origin(doc.values.place),
        )

    def _rule(self, doc: RuleDoc, *, is_outermost: bool = True) -> PlacementRule:
        kind = RuleKind(doc.name.lower())
        value = doc.value.value if doc.value else ""
        return PlacementRule(
            kind=kind,
            creates=doc.creates,
            filter=Filter() if doc.filter is None else self._filter(doc.filter),
            parent=None if doc.parent is None else self._rule(doc.parent, is_outermost=False),
            value=value.lower() if kind is RuleKind.FIXED else value,
            # A rule for the queue above is a part of the rule itself.
            origin=self._origin(doc.values.place) if is_outermost else None,
        )

    def _filter(self, doc: FilterDoc) -> Filter:
        kind = doc.kind.value if doc.kind else ""
        exact = self._compatibility.deny_in_lower_case_only
        return Filter(
            is_deny=(kind if exact else kind.lower()) == DENY,
            users=_names(doc.users, LIMITED_USER),
            groups=_names(doc.groups, LIMITED_GROUP),
            stated_users=tuple(each.value for each in doc.users),
            stated_groups=tuple(each.value for each in doc.groups),
        )


def _access(written: Written[str] | None) -> AccessList:
    return AccessList() if written is None else read_access(written.value)


def _texts(written: Written[Texts] | None) -> dict[str, str]:
    return {} if written is None else dict(plain(written.value))


def _names(stated: Iterable[Written[str]], pattern: re.Pattern[str]) -> Names:
    """Return the names of a filter, without invalid ones, or its expression."""
    texts = [each.value for each in stated]
    if len(texts) == 1 and has_special_characters(texts[0]):
        found = read_expression(texts[0])
        if isinstance(found, Expression):
            return Names(expression=found)
    return Names(names=frozenset(filter(pattern.fullmatch, texts)))
