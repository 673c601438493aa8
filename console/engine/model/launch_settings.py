"""Launch settings: the node selector and tolerations that assigned flavors add to pods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from console.engine.model.nodes import FlavorToleration


@dataclass(frozen=True, slots=True, kw_only=True)
class PodAdditions:
    """Node selector and tolerations that an executor adds to the template of a pod set."""

    node_selector: Mapping[str, str] = field(default_factory=dict)
    tolerations: tuple[FlavorToleration, ...] = ()
