"""Policy objects: settings, the queue, clusters, templates and filter policies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from console.dialects.skyshift.plain import conditions_to_plain
from console.engine.diff.objects import (
    DISCIPLINE,
    LANGUAGE,
    OF_ADMISSION,
    QUEUE,
    SETTINGS,
    FactType,
    Form,
    Names,
    ObjectKind,
    PolicyObject,
    PolicyObjects,
    Role,
    Vocabulary,
    Words,
    field_facts,
)
from console.engine.diff.plain import differing
from console.engine.diff.values import Difference, Plain
from console.engine.disciplines.placement.spec import (
    Criterion,
    DeclaredCluster,
    FilterPolicy,
    PlacementSpec,
    PluginUse,
    placement_of,
)
from console.engine.model.policy import Policy

CLUSTER: Final = "cluster"
TEMPLATE: Final = "placement_template"
FILTER_POLICY: Final = "filter_policy"

VOCABULARY: Final = Vocabulary(
    {
        CLUSTER: Words("cluster", "clusters"),
        TEMPLATE: Words("placement template", "placement templates"),
        FILTER_POLICY: Words("filter policy", "filter policies"),
        QUEUE: Words("queue", "queues"),
        SETTINGS: Words("settings", "settings"),
    }
)


class Criteria(Form):
    """Filters or preferences, compared by name, because their order has no meaning."""

    def __init__(self, *, weighted: bool) -> None:
        self._weighted = weighted

    def differences(
        self, name: str, old: Sequence[Criterion], new: Sequence[Criterion]
    ) -> Iterator[Difference]:
        """Yield the conditions and weights that differ."""
        yield from differing({name: self.effective(old)}, {name: self.effective(new)})

    def effective(self, value: Sequence[Criterion]) -> Plain:
        """Return conditions and weight by name."""
        return {
            each.name: conditions_to_plain(each)
            | ({"weight": each.weight} if self._weighted else {})
            for each in value
        }


class Clusters(Form):
    """Names of clusters."""

    refers_to = CLUSTER

    def names(self, value: Sequence[str]) -> Iterator[str]:
        """Yield every name."""
        yield from value or ()

    def renamed(self, value: Sequence[str], names: Names) -> Sequence[str]:
        """Return the newer names."""
        newer = names.get(self.refers_to, {})
        return tuple(newer.get(each, each) for each in value)


class Plugins(Form):
    """Plugins in their order, each by its name, and with its weight if it is not 1."""

    def differences(
        self, name: str, old: Sequence[PluginUse], new: Sequence[PluginUse]
    ) -> Iterator[Difference]:
        """Yield both lists if they differ."""
        yield from differing({name: self.effective(old)}, {name: self.effective(new)})

    def effective(self, value: Sequence[PluginUse]) -> Plain:
        """Return the plugins as texts."""
        return [
            each.name if each.weight == 1 else f"{each.name} (weight {each.weight})"
            for each in value
        ]


_SETTING_FACTS: Final = {
    name: fact
    for name, fact in field_facts(PlacementSpec, forms={"plugins": Plugins()}).items()
    if name in ("plugins", "on_unplaceable", "reserve", "gpu_rule", "rank")
}
_SETTINGS: Final = ObjectKind(
    name=SETTINGS,
    role=Role.WHOLE,
    facts={LANGUAGE: FactType(is_effective=False), DISCIPLINE: FactType(), **_SETTING_FACTS},
)
_QUEUE: Final = ObjectKind(name=QUEUE, facts={})
# A cluster under another name is another cluster: reports name it.
_CLUSTER: Final = ObjectKind(name=CLUSTER, facts=field_facts(DeclaredCluster, ("name",)))
_TEMPLATE: Final = ObjectKind(
    name=TEMPLATE,
    facts={
        "filters": FactType(default=(), form=Criteria(weighted=False)),
        "preferences": FactType(default=(), form=Criteria(weighted=True)),
    },
    may_be_renamed=True,
)
_FILTER_POLICY: Final = ObjectKind(
    name=FILTER_POLICY,
    facts=field_facts(
        FilterPolicy, ("name",), forms={"include": Clusters(), "exclude": Clusters()}
    ),
    may_be_renamed=True,
)
_KINDS: Final = (_SETTINGS, _CLUSTER, _TEMPLATE, _FILTER_POLICY, _QUEUE)


def placement_objects(policy: Policy) -> PolicyObjects:
    """Return the objects of *policy*."""
    return PolicyObjects(_KINDS, _objects(policy))


def _objects(policy: Policy) -> Iterator[PolicyObject]:
    spec = placement_of(policy)
    settings: Mapping[str, Any] = {
        LANGUAGE: policy.dialect,
        DISCIPLINE: policy.discipline,
        **{name: getattr(spec, name) for name in _SETTING_FACTS},
    }
    yield PolicyObject(_SETTINGS, OF_ADMISSION, spec.settings_origin, settings)
    for cluster in spec.clusters.values():
        yield _named(_CLUSTER, cluster)
    for template in spec.templates.values():
        facts = {
            "filters": template.placement.filters,
            "preferences": template.placement.preferences,
        }
        yield PolicyObject(_TEMPLATE, template.name, template.origin, facts)
    for each in spec.filter_policies.values():
        yield _named(_FILTER_POLICY, each)
    for queue in policy.queues.values():
        yield PolicyObject(_QUEUE, queue.name, queue.origin, {})


def _named(kind: ObjectKind, item: DeclaredCluster | FilterPolicy) -> PolicyObject:
    facts = {name: getattr(item, name) for name in kind.facts}
    return PolicyObject(kind, item.name, item.origin, facts)
