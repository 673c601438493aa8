"""The objects of a native policy: a queue keeps its stem in all versions of its name."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final, NamedTuple

from console.engine.diff.objects import QUEUE, PolicyObjects, Vocabulary
from console.engine.disciplines.quota.policy_objects import QUEUE_KIND, quota_objects
from console.engine.disciplines.quota.policy_objects import VOCABULARY as OF_QUOTA
from console.engine.model.policy import Policy

_VERSIONED = re.compile(r"(.*):v([0-9]{1,9})", re.DOTALL)


class VersionedName(NamedTuple):
    """A name of a queue: the stem, and the number of the name, which is 1 for the stem alone."""

    stem: str
    number: int


def versioned_name(name: str) -> VersionedName:
    """
    Return the parts of the name of a queue.

    >>> versioned_name("train:v3"), versioned_name("train")
    (VersionedName(stem='train', number=3), VersionedName(stem='train', number=1))
    """
    found = _VERSIONED.fullmatch(name)
    return VersionedName(found[1], int(found[2])) if found else VersionedName(name, 1)


def stem_of(name: str) -> str:
    """Return the stem of the name of a queue: what its successors have in common."""
    return versioned_name(name).stem


_QUEUE: Final = replace(QUEUE_KIND, lineage=stem_of)

VOCABULARY: Final = Vocabulary(
    {
        kind: replace(OF_QUOTA.of(kind), lineage=stem_of if kind == QUEUE else None)
        for kind in OF_QUOTA.kinds
    }
)


def native_objects(policy: Policy) -> PolicyObjects:
    """Return the objects of *policy*."""
    return quota_objects(policy, _QUEUE)
