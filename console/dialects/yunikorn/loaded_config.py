"""The config as YuniKorn's service holds and returns it: with a root, and a checksum."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from console.dialects.source import read_source
from console.dialects.written import Written
from console.dialects.yunikorn.checks import partition_name
from console.dialects.yunikorn.decode import Values
from console.dialects.yunikorn.library_types import (
    PARTITION,
    ListOf,
    MapOf,
    Struct,
    Type,
)
from console.dialects.yunikorn.reading import examine
from console.dialects.yunikorn.schema import PartitionDoc, plain

_CHECKSUM: Final = re.compile(r"checksum: [0-9a-fA-F]{64}")

#: Fields with names of several words in the service's own types, by key.
_WORDS: Final[Mapping[str, str]] = {
    "placementrules": "PlacementRules",
    "nodesortpolicy": "NodeSortPolicy",
    "resourceweights": "ResourceWeights",
    "usergroupresolver": "UserGroupResolver",
    "quotapreemptionenabled": "QuotaPreemptionEnabled",
    "maxapplications": "MaxApplications",
    "maxresources": "MaxResources",
    "adminacl": "AdminACL",
    "submitacl": "SubmitACL",
    "childtemplate": "ChildTemplate",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedConfig:
    """A config without errors as the service holds it."""

    #: Each with the keys of the text.
    partitions: tuple[Mapping[str, Any], ...]
    #: SHA-256 of the text of ``queues.yaml`` without a checksum in it, upper case.
    checksum: str
    #: Service settings by key.
    settings: Mapping[str, str]

    def named_as_types(self) -> list[Any]:
        """Return the partitions with the names of fields in the service's types."""
        return [_renamed(each, PARTITION) for each in self.partitions]


def load_config(text: str) -> LoadedConfig | None:
    """Return the config in *text*, plain or in ConfigMaps; None if it has too many problems."""
    examined = examine(read_source(text, stream=True))
    if examined is None:
        return None
    document = examined.document
    return LoadedConfig(
        partitions=tuple(map(_partition, document.partitions)),
        checksum=checksum_of(document.text),
        settings={key: each.value for key, each in document.settings.items()},
    )


def checksum_of(text: str) -> str:
    """
    Return the checksum of the text of a ``queues.yaml``.

    >>> checksum_of("") == checksum_of(f"checksum: {'0' * 64}")
    True
    """
    return hashlib.sha256(_CHECKSUM.sub("", text).encode()).hexdigest().upper()


def _partition(doc: PartitionDoc) -> dict[str, Any]:
    found: dict[str, Any] = {"name": "", "queues": [], **_plain(doc.values, PARTITION)}
    found["name"] = partition_name(doc)
    if doc.root is not None:
        if doc.root.is_added:
            found["queues"] = [{"name": doc.root.name, "parent": True, "queues": found["queues"]}]
        else:
            found["queues"][0]["parent"] = True
    return found


def _plain(value: Any, kind: Type) -> Any:
    """Return a decoded value without places."""
    if isinstance(value, Written):
        return _plain(value.value, kind)
    if isinstance(kind, Struct):
        assert isinstance(value, Values)
        return {
            key: _plain(each, kind.fields[key])
            for key, each in value.fields.items()
            if key in kind.fields
        }
    if isinstance(kind, ListOf):
        return [_plain(each, kind.item) for each in value]
    if isinstance(kind, MapOf):
        return {name: _plain(each, kind.value) for name, each in plain(value)}
    return value


def _renamed(value: Any, kind: Type) -> Any:
    if isinstance(kind, Struct):
        return {
            _WORDS.get(key, key.capitalize()): _renamed(each, kind.fields[key])
            for key, each in value.items()
        }
    if isinstance(kind, ListOf):
        return [_renamed(each, kind.item) for each in value]
    return value
