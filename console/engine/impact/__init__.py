"""
Impact: the effects of another policy on running, pending and recorded workloads.

For live workloads, a settled state gets the new policy and settles again; every workload is
compared with its former status. Recorded shapes are routed and tried alone in an
empty state under both policies. Both evaluate equal workloads once, and call a function
regularly, which may show progress, or raise to stop.
"""

from console.engine.impact.fit import Fit, Standing
from console.engine.impact.live import live_impact
from console.engine.impact.live_outcomes import (
    Affected,
    Group,
    LiveImpact,
    LiveOutcome,
    OverQuota,
)
from console.engine.impact.recorded import (
    HistoryImpact,
    HistoryOutcome,
    ShapeImpact,
    history_impact,
)
from console.engine.impact.uncertain import Doubt, DoubtKind
from console.engine.model.running_outcomes import Exposure, Loss

__all__ = [
    "Affected",
    "Doubt",
    "DoubtKind",
    "Exposure",
    "Fit",
    "Group",
    "HistoryImpact",
    "HistoryOutcome",
    "LiveImpact",
    "LiveOutcome",
    "Loss",
    "OverQuota",
    "ShapeImpact",
    "Standing",
    "history_impact",
    "live_impact",
]
