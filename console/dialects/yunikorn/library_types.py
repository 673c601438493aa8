"""The types of a config: which fields a mapping has, and which values they take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """A type of single values, under its name in messages of YuniKorn."""

    name: str
    #: What it takes, in a sentence.
    what: str


@dataclass(frozen=True, slots=True, eq=False)
class ListOf:
    """A list of values of one type."""

    item: Type
    #: The whole list, in a sentence.
    what: str

    @property
    def name(self) -> str:
        """The name in messages of YuniKorn."""
        return f"[]{self.item.name}"


@dataclass(frozen=True, slots=True, eq=False)
class MapOf:
    """A mapping with any keys to values of one type."""

    value: Scalar
    what: str

    @property
    def name(self) -> str:
        """The name in messages of YuniKorn."""
        return f"map[string]{self.value.name}"


@dataclass(frozen=True, slots=True, eq=False)
class Struct:
    """A mapping with known fields."""

    name: str
    what: str
    fields: dict[str, Type] = field(default_factory=dict)
    #: Fields that YuniKorn does not know: earlier ones, and those of this product.
    others: Mapping[str, Type] = field(default_factory=dict)


Type: TypeAlias = Scalar | ListOf | MapOf | Struct

STRING: Final = Scalar("string", "a text")
BOOL: Final = Scalar("bool", "true or false")
UINT: Final = Scalar("uint64", "a whole number, 0 or more")
FLOAT: Final = Scalar("float64", "a number")

_TEXTS: Final = ListOf(STRING, "a list of texts")
AMOUNTS: Final = MapOf(STRING, "a mapping from resources to quantities")
PROPERTIES: Final = MapOf(STRING, "a mapping from properties to texts")

RESOURCES: Final = Struct(
    "configs.Resources", "the resources of a queue", {"guaranteed": AMOUNTS, "max": AMOUNTS}
)
TEMPLATE: Final = Struct(
    "configs.ChildTemplate",
    "a child template",
    {"maxapplications": UINT, "properties": PROPERTIES, "resources": RESOURCES},
)
LIMIT: Final = Struct(
    "configs.Limit",
    "a limit",
    {
        "limit": STRING,
        "users": _TEXTS,
        "groups": _TEXTS,
        "maxresources": AMOUNTS,
        "maxapplications": UINT,
    },
)
LIMITS: Final = ListOf(LIMIT, "a list of limits")
QUEUE: Final = Struct(
    "configs.QueueConfig",
    "a queue",
    {
        "name": STRING,
        "parent": BOOL,
        "resources": RESOURCES,
        "maxapplications": UINT,
        "properties": PROPERTIES,
        "adminacl": STRING,
        "submitacl": STRING,
        "childtemplate": TEMPLATE,
        "limits": LIMITS,
    },
)
QUEUES: Final = ListOf(QUEUE, "a list of queues")
QUEUE.fields["queues"] = QUEUES
FILTER: Final = Struct(
    "configs.Filter", "a filter", {"type": STRING, "users": _TEXTS, "groups": _TEXTS}
)
RULE: Final = Struct(
    "configs.PlacementRule",
    "a placement rule",
    {"name": STRING, "create": BOOL, "filter": FILTER, "value": STRING},
)
RULE.fields["parent"] = RULE
RULES: Final = ListOf(RULE, "a list of placement rules")
NODE_ORDER: Final = Struct(
    "configs.NodeSortingPolicy",
    "the node sort policy",
    {"type": STRING, "resourceweights": MapOf(FLOAT, "a mapping from resources to weights")},
)
PREEMPTION: Final = Struct(
    "configs.PartitionPreemptionConfig",
    "the preemption of a partition",
    {"enabled": BOOL, "quotapreemptionenabled": BOOL},
)
RESOLVER: Final = Struct("configs.UserGroupResolver", "the resolver of groups", {"type": STRING})
PARTITION: Final = Struct(
    "configs.PartitionConfig",
    "a partition",
    {
        "name": STRING,
        "queues": QUEUES,
        "placementrules": RULES,
        "limits": LIMITS,
        "preemption": PREEMPTION,
        "nodesortpolicy": NODE_ORDER,
        "usergroupresolver": RESOLVER,
    },
    {"statedumpfilepath": STRING},
)
#: The key with the switches of `Compatibility`.
SWITCHES: Final = "x-compatibility"
CONFIG: Final = Struct(
    "configs.SchedulerConfig",
    "a config",
    {"partitions": ListOf(PARTITION, "a list of partitions"), "checksum": STRING},
    {SWITCHES: _TEXTS},
)
