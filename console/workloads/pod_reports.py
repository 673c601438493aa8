"""Reports about single pods of a running workload, as requests to the engine store them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from console.engine.live.pod_changes import PodGroup


@dataclass(frozen=True, slots=True, kw_only=True)
class PodReport:
    """Pods that have finished, or that have stopped otherwise and are released."""

    FINISH: ClassVar[str] = "finish"
    RELEASE: ClassVar[str] = "release"

    #: FINISH or RELEASE.
    kind: str
    pod_set: str
    count: int
    #: Only pods on this cluster and node; None: on any.
    cluster: str | None = None
    node: str | None = None

    @property
    def pods(self) -> PodGroup:
        """The pods for the engine."""
        return PodGroup(
            pod_set=self.pod_set, count=self.count, cluster=self.cluster, node=self.node
        )

    def stored(self) -> dict[str, Any]:
        """Return the fields of the report, from which it can be created again."""
        return asdict(self)

    def facts(self, count: int) -> dict[str, Any]:
        """Return the data of the event that *count* of the pods have ended."""
        place = {"cluster": self.cluster, "node": self.node}
        return {
            "pod_set": self.pod_set,
            "count": count,
            **{name: value for name, value in place.items() if value is not None},
        }
