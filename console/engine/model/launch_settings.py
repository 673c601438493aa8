"""Launch settings: what the flavors of an admitted pod set add to its pods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from console.engine.model.nodes import FlavorToleration
from console.engine.model.policy import Flavor


@dataclass(frozen=True, slots=True, kw_only=True)
class PodAdditions:
    """Node selector and tolerations that an executor adds to the template of a pod set."""

    node_selector: Mapping[str, str] = field(default_factory=dict)
    tolerations: tuple[FlavorToleration, ...] = ()


def pod_additions(flavors: Mapping[str, Flavor], assigned: Mapping[str, str]) -> PodAdditions:
    """
    Return what the flavors in *assigned*, by resource, add to each pod of a pod set.

    Every flavor counts once. Where two of them disagree on a node label, that of the resource
    whose name is first counts, so the answer does not depend on how rows order an assignment;
    tolerations that are alike come once. A flavor that *flavors* does not describe adds nothing.
    The rule is that of Kueue (pkg/podset), which leaves the order of flavors open.
    """
    named = dict.fromkeys(name for _, name in sorted(assigned.items()))
    used = [flavors[name] for name in named if name in flavors]
    selector: dict[str, str] = {}
    for flavor in used:
        for key, value in flavor.node_labels.items():
            selector.setdefault(key, value)
    tolerations = dict.fromkeys(each for flavor in used for each in flavor.tolerations)
    return PodAdditions(node_selector=selector, tolerations=tuple(tolerations))
