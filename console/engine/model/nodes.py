"""Taints, tolerations and required node affinity, as Kubernetes and Kueue match them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,63}", re.ASCII)


class TaintEffect(StrEnum):
    """What a taint does to pods that do not tolerate it."""

    NO_SCHEDULE = "NoSchedule"
    PREFER_NO_SCHEDULE = "PreferNoSchedule"
    NO_EXECUTE = "NoExecute"


@dataclass(frozen=True, slots=True)
class Taint:
    """A taint of a flavor's nodes, which excludes pods that do not tolerate it."""

    key: str
    value: str = ""
    effect: TaintEffect = TaintEffect.NO_SCHEDULE


@dataclass(frozen=True, slots=True)
class Toleration:
    """
    A toleration of a pod, which lets it run on nodes with a matching taint.

    An empty *key* with ``Exists`` tolerates every taint; an empty *effect*
    matches every effect.
    """

    key: str = ""
    #: ``Equal`` or empty: the value has to match, too; ``Exists``: any value. Other operators
    #: tolerate nothing.
    operator: str = "Equal"
    value: str = ""
    effect: str = ""

    def tolerates(self, taint: Taint) -> bool:
        """Return whether a pod with this toleration may run on nodes with *taint*."""
        if self.effect and self.effect != taint.effect:
            return False
        if self.key and self.key != taint.key:
            return False
        if self.operator == "Exists":
            return True
        if self.operator not in ("", "Equal"):
            return False
        return bool(self.key) and self.value == taint.value


@dataclass(frozen=True, slots=True)
class FlavorToleration(Toleration):
    """A toleration that a flavor adds to every pod that uses it."""

    #: How long such a pod stays on a node that gets the taint; None: without end.
    seconds: int | None = None


class NodeOperator(StrEnum):
    """An operator of node affinity."""

    IN = "In"
    NOT_IN = "NotIn"
    EXISTS = "Exists"
    DOES_NOT_EXIST = "DoesNotExist"
    GT = "Gt"
    LT = "Lt"


@dataclass(frozen=True, slots=True)
class NodeExpression:
    """One requirement on a label of a node or on its name, evaluated as in Kubernetes."""

    key: str
    operator: NodeOperator
    values: tuple[str, ...] = ()
    #: Whether *key* is a field of the node: `NAME_FIELD`, the only one in Kubernetes.
    is_field: bool = False

    def holds(self, labels: Mapping[str, str]) -> bool:
        """Return whether *labels*, or else the fields of a node, meet this requirement."""
        actual = labels.get(self.key)
        match self.operator:
            case NodeOperator.IN:
                return actual is not None and actual in self.values
            case NodeOperator.NOT_IN:
                return actual is None or actual not in self.values
            case NodeOperator.EXISTS:
                return actual is not None
            case NodeOperator.DOES_NOT_EXIST:
                return actual is None
            case NodeOperator.GT | NodeOperator.LT:
                return _compare(self.operator, actual, self.values)


#: A required node selector term: all expressions must hold.
NodeTerm = tuple[NodeExpression, ...]

#: The name of a node, as a field.
NAME_FIELD: Final = "metadata.name"


def required_node(affinity: tuple[NodeTerm, ...]) -> str | None:
    """Return the name of the node that an affinity requires, as pods of a DaemonSet have it."""
    names = {
        next((each.values[0] for each in term if each.is_field and each.operator == "In"), None)
        for term in affinity
    }
    return names.pop() if len(names) == 1 else None


def untolerated(taints: tuple[Taint, ...], tolerations: tuple[Toleration, ...]) -> Taint | None:
    """
    Return the first taint that excludes pods with *tolerations*, or None.

    ``PreferNoSchedule`` excludes no pod (Kueue, spec 6.2).
    """
    for taint in taints:
        if taint.effect is TaintEffect.PREFER_NO_SCHEDULE:
            continue
        if not any(toleration.tolerates(taint) for toleration in tolerations):
            return taint
    return None


def mismatch(
    node_labels: Mapping[str, str], selector: Mapping[str, str], affinity: tuple[NodeTerm, ...]
) -> NodeExpression | None:
    """
    Return the expression of a pod set's *selector* or required *affinity* that is false, or None.

    Only keys that the flavor itself defines are compared, and no names of nodes; a term
    without any such key satisfies the whole affinity (Kueue, spec 6.3). When no term holds,
    the first false expression of the first term is returned.
    """
    for key, value in sorted(selector.items()):
        if key in node_labels and node_labels[key] != value:
            return NodeExpression(key, NodeOperator.IN, (value,))
    unmet = None
    for term in affinity:
        known = [each for each in term if not each.is_field and each.key in node_labels]
        failed = next((each for each in known if not each.holds(node_labels)), None)
        if failed is None:
            return None
        unmet = unmet or failed
    return unmet


def accepts(
    node_labels: Mapping[str, str], selector: Mapping[str, str], affinity: tuple[NodeTerm, ...]
) -> bool:
    """Return whether nodes with *node_labels* meet a pod set's *selector* and *affinity*."""
    return mismatch(node_labels, selector, affinity) is None


def _compare(operator: NodeOperator, actual: str | None, values: tuple[str, ...]) -> bool:
    if actual is None or len(values) != 1:
        return False
    left, right = _whole_number(actual), _whole_number(values[0])
    if left is None or right is None:
        return False
    return left > right if operator is NodeOperator.GT else left < right


def _whole_number(text: str) -> int | None:
    """Parse a signed 64-bit number as Kubernetes does: only ASCII digits and a sign."""
    if not _WHOLE_NUMBER.fullmatch(text):
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None
