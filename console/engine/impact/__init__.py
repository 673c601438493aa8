"""
Impact: what another policy would do to what runs and waits, and to what ran before.

Live work is asked of the engine itself: a state at rest is given the new policy and
settles, and every workload is compared with where it stood. Recorded shapes are
routed and tried alone in an empty world, before and after. Both count what is
alike once, and both call back now and then, so that somebody can show progress or
stop them by raising.
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
