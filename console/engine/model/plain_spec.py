"""The part of a spec that is the same wherever labels select no capacity."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self

from console.engine.model.launch_settings import PodAdditions
from console.engine.model.policy import Queue
from console.engine.model.selectors import Selector


class PlainSpec:
    """Base class of specs whose capacity has neither selectors nor settings for pods."""

    __slots__ = ()

    @property
    def creates_queues(self) -> bool:
        """False: all queues are in the text."""
        return False

    def created_queue(self, name: str) -> Queue | None:
        """Return None: all queues are in the text."""
        return None

    def selectors(self) -> Mapping[str, Selector]:
        """Return nothing: labels of a workload select no capacity."""
        return {}

    def selectors_of(self, queue: str) -> Mapping[str, Selector]:
        """Return nothing."""
        return {}

    def with_selectors(self, change: Callable[[Selector], Selector]) -> Self:
        """Return the spec unchanged."""
        return self

    def unsupported_of(self, name: str) -> tuple[()]:
        """Return nothing: capacity has no settings."""
        return ()

    def launch_config_of(self, name: str) -> Mapping[str, Any] | None:
        """Return None: there is no launch config."""
        return None

    def pod_additions(self, assigned: Mapping[str, str]) -> PodAdditions:
        """Return no additions to pods."""
        return PodAdditions()
