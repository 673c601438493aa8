"""The spec of the discipline: partitions, their queues and rules, and settings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, Final, Protocol, cast

from console.engine.disciplines.hierarchy.resources import NOTHING, VCORE, Resources, is_positive
from console.engine.model.amounts import SCALE, Amount, FlavorResource
from console.engine.model.origin import Origin
from console.engine.model.plain_spec import PlainSpec
from console.engine.model.policy import Policy, Queue

#: The name of the only capacity: the nodes of all partitions.
POOL: Final = "pool"
DEFAULT_PARTITION: Final = "default"
ROOT: Final = "root"


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessList:
    """The users and groups that an ACL names."""

    is_all_users: bool = False
    users: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()

    def allows(self, user: str, groups: Iterable[str]) -> bool:
        """Return whether a user has access, by name or by one of its *groups*."""
        return self.is_all_users or user in self.users or not self.groups.isdisjoint(groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """What each of some users, and each of some groups, may use in a queue and below it."""

    #: Names; ``*`` stands for every other user or group.
    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    #: None: no limit of resources.
    resources: Resources | None = None
    #: The most running applications; 0: no limit.
    applications: int = 0
    description: str = ""
    origin: Origin | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """The settings of leaf queues that rules create; amounts as stated, also those of 0 only."""

    applications: int = 0
    properties: Mapping[str, str] = field(default_factory=dict)
    guaranteed: Resources | None = None
    maximum: Resources | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HierarchyQueue(Queue):
    """
    A queue of the config.

    Its name is the full path in lower case, such as ``root.dev.team``; in other partitions than
    the default one, the partition and a colon are before it.
    """

    partition: str = DEFAULT_PARTITION
    #: Whether it has no children and may run applications.
    is_leaf: bool = True
    #: Whether the text itself says ``parent: true``.
    states_parent: bool = False
    #: The path as it is spelled in the text.
    spelling: str = ""
    #: None: not set, as for amounts that are all 0 under `Compatibility.zero_is_unlimited`.
    guaranteed: Resources | None = None
    maximum: Resources | None = None
    #: The most running applications of the queue and those below it; 0: no limit.
    applications: int = 0
    #: As stated, without those of queues above.
    properties: Mapping[str, str] = field(default_factory=dict)
    submit: AccessList = AccessList()
    admin: AccessList = AccessList()
    #: As stated; None: that of the nearest queue above that has one.
    template: Template | None = None
    limits: tuple[Limit, ...] = ()


class RuleKind(StrEnum):
    """How a placement rule finds the queue of an application."""

    #: The queue that the submission states.
    PROVIDED = "provided"
    #: The name of the user.
    USER = "user"
    #: The value of a tag.
    TAG = "tag"
    #: The name in the rule.
    FIXED = "fixed"
    #: The recovery queue, for applications that have to be accepted.
    RECOVERY = "recovery"


class NameExpression(Protocol):
    """A regular expression for names; equal ones find the same."""

    def finds(self, name: str) -> bool:
        """Return whether a part of *name* matches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """Names that a filter lists, or the expression that it searches in them."""

    names: frozenset[str] = frozenset()
    expression: NameExpression | None = None

    def __bool__(self) -> bool:
        return bool(self.names) or self.expression is not None

    def match(self, name: str) -> bool:
        """Return whether *name* is listed, or has a part that matches the expression."""
        if self.expression is not None:
            return self.expression.finds(name)
        return name in self.names


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """The users to which a placement rule applies."""

    is_deny: bool = False
    users: Names = Names()
    groups: Names = Names()
    #: As stated: names, or a single expression.
    stated_users: tuple[str, ...] = ()
    stated_groups: tuple[str, ...] = ()

    def accepts(self, user: str, groups: Iterable[str]) -> bool:
        """Return whether the rule applies to a user."""
        if not (self.stated_users or self.stated_groups):
            return not self.is_deny
        is_listed = self.users.match(user) or any(self.groups.match(each) for each in groups)
        return is_listed is not self.is_deny


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacementRule:
    """A rule that finds the queue of an application."""

    kind: RuleKind
    #: Whether a queue that does not exist is created.
    creates: bool = False
    filter: Filter = Filter()
    #: The rule for the queue above.
    parent: PlacementRule | None = None
    #: The queue of a fixed rule in lower case, and the tag of a tag rule.
    value: str = ""
    origin: Origin | None = None


class NodeOrder(StrEnum):
    """Which of the nodes with room a pod gets."""

    #: The one with the lowest weighted usage.
    FAIR = "fair"
    #: The one with the highest weighted usage.
    BINPACKING = "binpacking"


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """A tree of queues with the nodes that it uses."""

    name: str = DEFAULT_PARTITION
    rules: tuple[PlacementRule, ...] = ()
    #: Whether queues below their guarantee may stop pods of queues above theirs.
    preempts: bool = True
    #: Whether pods stop after the maximum of their queue was lowered.
    preempts_over_maximum: bool = False
    node_order: NodeOrder = NodeOrder.FAIR
    #: The weight of each resource in the usage of a node.
    weights: Mapping[str, float] = field(default_factory=lambda: {VCORE: 1.0, "memory": 1.0})
    origin: Origin | None = None

    @property
    def prefix(self) -> str:
        """The text before the paths of its queues in their names."""
        return "" if self.name == DEFAULT_PARTITION else f"{self.name}:"

    def full_name(self, path: str) -> str:
        """Return the name of the queue with the path *path*."""
        return f"{self.prefix}{path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compatibility:
    """Behavior of YuniKorn that differs from the default here; each one is off by default."""

    #: A maximum with only zeros is no maximum.
    zero_is_unlimited: bool = False
    #: A guarantee of a queue below one that has others is not compared with the queues above.
    hidden_guarantees: bool = False
    #: The check of the paths of placement rules reads ``parent: true`` and the case of the text.
    textual_rule_paths: bool = False
    #: ``type: Deny`` is no deny filter: only lower case is one.
    deny_in_lower_case_only: bool = False
    #: Limits of queues with letters in upper case have no effect.
    limits_by_spelling: bool = False
    #: All partitions count the usage of users and groups together.
    shared_user_usage: bool = False
    #: The maximum of applications of the root, and of queues named root below it, stays what it
    #: was at first, and the latter have no amounts.
    first_root_applications: bool = False
    #: A queue loses the template of a queue above it with the next config.
    template_lost_on_update: bool = False
    #: Whether a queue is above another one is a comparison of texts.
    textual_ancestors: bool = False
    #: One large victim may take its queue below its guarantee.
    victims_below_guarantee: bool = False
    #: Victims that exceed the request in one resource are enough.
    enough_in_one_resource: bool = False
    #: A node with reserved room takes nothing else, and no other preemption.
    reserved_nodes_are_closed: bool = False
    #: Applications of a leaf that gets children are not scheduled any more.
    stranded_applications: bool = False
    #: Preemption after a lowered maximum stops originators first.
    originators_first: bool = False
    #: An idle application that runs again is not counted beyond the maximum of its queue.
    clamped_application_count: bool = False
    #: The limit of every other user stays in effect for known users after its removal.
    removed_wildcard_limits: bool = False

    def maximum(self, stated: Resources | None) -> Resources | None:
        """Return a maximum as it counts; None: no limit."""
        if not stated or (self.zero_is_unlimited and not is_positive(stated)):
            return None
        return stated


#: All behavior of YuniKorn.
YUNIKORN: Final = Compatibility(**dict.fromkeys(Compatibility.__slots__, True))


@dataclass(frozen=True, slots=True, kw_only=True)
class HierarchySpec(PlainSpec):
    """The partitions of a config with their queues, in the order of the text."""

    discipline: ClassVar[str] = "hierarchy"

    partitions: Mapping[str, Partition] = field(default_factory=dict)
    #: All queues by name, each after the one above it; also those with children.
    queues: Mapping[str, HierarchyQueue] = field(default_factory=dict)
    compatibility: Compatibility = Compatibility()

    @property
    def parents(self) -> Mapping[str, Origin | None]:
        """The queues with children, and their origins."""
        named = {each.parent for each in self.queues.values()}
        return {name: each.origin for name, each in self.queues.items() if name in named}

    @property
    def capacity_names(self) -> Collection[str]:
        """The name of the only capacity, if a queue exists."""
        return (POOL,) if self.queues else ()

    @property
    def object_count(self) -> int:
        """The number of queues and rules."""
        return len(self.queues) + sum(len(each.rules) for each in self.partitions.values())

    @property
    def creates_queues(self) -> bool:
        """True: placement rules create queues, and those of an earlier config may have."""
        return True

    def created_queue(self, name: str) -> HierarchyQueue | None:
        """
        Return the queue *name* as a rule creates it below the nearest queue of the text.

        It has the settings of the nearest template. None: the partition does not exist, or the
        nearest queue is a leaf.
        """
        partition, path = self.split(name)
        if partition is None or not path.startswith(f"{ROOT}."):
            return None
        nearest = above = path.rpartition(".")[0]
        while partition.full_name(nearest) not in self.queues:
            nearest = nearest.rpartition(".")[0]
            if not nearest:
                return None
        queue: HierarchyQueue | None = self.queues[partition.full_name(nearest)]
        if queue is None or queue.is_leaf:
            return None
        template = queue.template
        while template is None and queue is not None and queue.parent is not None:
            queue = self.queues[queue.parent]
            template = queue.template
        template = template or Template()
        return HierarchyQueue(
            name=name,
            parent=partition.full_name(above),
            partition=partition.name,
            spelling=path,
            guaranteed=template.guaranteed if is_positive(template.guaranteed) else None,
            maximum=self.compatibility.maximum(template.maximum),
            applications=template.applications,
            properties=template.properties,
        )

    def split(self, name: str) -> tuple[Partition | None, str]:
        """Return the partition of a queue and its path; None: there is no such partition."""
        first = name.partition(".")[0]
        partition, colon, top = first.rpartition(":")
        if not colon:
            return self.partitions.get(DEFAULT_PARTITION), name
        return self.partitions.get(partition), f"{top}{name[len(first) :]}"

    def path(self, queue: str) -> tuple[str, ...]:
        """Return the queues above a queue, the nearest first."""
        found: list[str] = []
        above = queue.rpartition(".")[0]
        while above:
            found.append(above)
            above = above.rpartition(".")[0]
        return tuple(found)

    def uses(self, queue: str) -> Mapping[str, Collection[str]]:
        """Return the queue and those above it."""
        return {"queue": {queue, *self.path(queue)}}

    def missing_reference(self, queue: str) -> str | None:
        """Return None: a queue refers to no other object."""
        return None

    def resources(self) -> tuple[str, ...]:
        """Return the resources that guarantees and maxima name."""
        names: dict[str, None] = {}
        for each in self.queues.values():
            names |= dict.fromkeys((*(each.guaranteed or NOTHING), *(each.maximum or NOTHING)))
        return tuple(names)

    def guaranteed(self) -> Mapping[FlavorResource, Amount]:
        """Return the guarantees of the queues below the roots together, in thousandths."""
        total: dict[FlavorResource, Amount] = {}
        for each in self.queues.values():
            if each.parent is None or self.queues[each.parent].parent is not None:
                continue
            for resource, amount in (each.guaranteed or NOTHING).items():
                scaled = amount if resource == VCORE else amount * SCALE
                total[POOL, resource] = total.get((POOL, resource), 0) + scaled
        return total


def hierarchy_of(policy: Policy) -> HierarchySpec:
    """Return the spec of a policy of this discipline."""
    return cast(HierarchySpec, policy.spec)
