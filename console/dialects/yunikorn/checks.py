"""All checks of a config, in the order in which YuniKorn reports."""

from __future__ import annotations

import math

from console.dialects.repairs import did_you_mean, replace
from console.dialects.wording import quote, shorten
from console.dialects.yunikorn.access import check_access_of_load
from console.dialects.yunikorn.amounts import Amounts
from console.dialects.yunikorn.codes import (
    BAD_WEIGHT,
    DUPLICATE_PARTITION,
    NODE_ORDER_TYPE,
    ROOT_SPELLING,
)
from console.dialects.yunikorn.problems import Problems, Stage
from console.dialects.yunikorn.queue_checks import (
    check_applications,
    check_queues,
    check_root_limits,
    find_root,
)
from console.dialects.yunikorn.resource_checks import LimitHierarchy, ResourceChecks
from console.dialects.yunikorn.rule_checks import check_rules, check_rules_of_load
from console.dialects.yunikorn.schema import Document, PartitionDoc, QueueDoc
from console.engine.disciplines.hierarchy.spec import DEFAULT_PARTITION, ROOT, NodeOrder

_LOAD_FAILED = "configured queue creation failed: \n"


def check(document: Document, amounts: Amounts, problems: Problems) -> None:
    """Report what YuniKorn refuses in its check, at its start, and as an update."""
    names: set[str] = set()
    for partition in document.partitions:
        _check_name(partition, names, problems)
        partition.root = find_root(partition, problems)
        if partition.root is not None:
            _check_partition(partition, partition.root, amounts, problems)
    for partition in document.partitions:
        if partition.root is not None:
            _check_load(partition, partition.root, amounts, problems)
            check_rules_of_load(partition, problems)


def partition_name(partition: PartitionDoc) -> str:
    """Return the name of a partition in lower case."""
    return partition.name.lower() or DEFAULT_PARTITION


def _check_name(partition: PartitionDoc, names: set[str], problems: Problems) -> None:
    name = partition_name(partition)
    if name in names:
        written = partition.values.get("name")
        shown = name if name == DEFAULT_PARTITION else partition.name
        problems.add(
            DUPLICATE_PARTITION,
            written.place if written else partition.place.first,
            f"There is a partition {quote(name)} already.",
            "Rename or remove one of the two.",
            original=f"duplicate partition name found with name {shown}",
        )
    names.add(name)


def _check_partition(
    partition: PartitionDoc, root: QueueDoc, amounts: Amounts, problems: Problems
) -> None:
    check_root_limits(partition, root, problems)
    check_queues(root, 1, amounts, problems)
    ResourceChecks(amounts, problems).check(root)
    check_rules(partition, root, problems)
    _check_node_order(partition, problems)
    check_applications(root, problems)
    limits = LimitHierarchy(amounts, problems)
    limits.check_resources(root)
    limits.check_applications(root)


def _check_node_order(partition: PartitionDoc, problems: Problems) -> None:
    stated = partition.values.get("nodesortpolicy")
    if stated is None:
        return
    kind = stated.value.get("type")
    words = tuple(order.value for order in NodeOrder)
    if kind is not None and kind.value and kind.value not in words:
        hint, repairs = did_you_mean(problems.findings, kind.place, kind.value.lower(), words)
        if kind.value.lower() in words:
            hint, repairs = "Write it in lower case.", (replace(kind.place, kind.value.lower()),)
        problems.add(
            NODE_ORDER_TYPE,
            kind.place,
            f"{quote(kind.value)} is not a node sort policy; it is fair or binpacking.",
            hint,
            repairs,
            original=f"undefined policy: {kind.value}",
        )
    weights = stated.value.get("resourceweights")
    for name, weight in weights.value if weights else ():
        if weight.value < 0:
            problems.add(
                BAD_WEIGHT,
                weight.place,
                f"The weight of {shorten(name.value)} is negative.",
                "Write 0 or more.",
                original=f"negative resource weight for {name.value} is not allowed",
            )
        elif not math.isfinite(weight.value):
            problems.add(
                BAD_WEIGHT,
                weight.place,
                f"The weight of {shorten(name.value)} is not a finite number.",
                "Write a number of 0 or more.",
            )


def _check_load(
    partition: PartitionDoc, root: QueueDoc, amounts: Amounts, problems: Problems
) -> None:
    if root.name != ROOT:
        problems.add(
            ROOT_SPELLING,
            root.name_place,
            f"YuniKorn cannot start with the root {quote(root.name)}.",
            "Write root.",
            (replace(root.name_place, ROOT),),
            original="partition cannot be created without root queue",
            stage=Stage.LOAD,
        )
    for queue in root.below():
        check_access_of_load(queue.submit, problems)
        check_access_of_load(queue.admin, problems)
        template = queue.template
        # YuniKorn makes every root a parent; templates of leaves are read in updates only.
        if template is not None and (queue is root or not queue.is_leaf):
            for stated in (template.maximum, template.guaranteed):
                amounts.read(stated, before=_LOAD_FAILED, stage=Stage.LOAD)
        elif template is not None:
            for stated in (template.maximum, template.guaranteed):
                amounts.read(stated, stage=Stage.UPDATE)
