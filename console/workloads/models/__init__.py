"""Models of workloads, decisions, events, intake, searches, saved views and engine state."""

from console.workloads.models.engine import (
    Engine,
    NodeUsage,
    OverQuota,
    PendingClass,
    QueueCount,
    Usage,
    UsageHistory,
)
from console.workloads.models.events import Event, EventType, Level
from console.workloads.models.requests import IdempotentAnswer, Intake, QueueHold
from console.workloads.models.searches import SearchRun
from console.workloads.models.views import SavedView
from console.workloads.models.workloads import (
    ENDED,
    LIVE,
    Decision,
    LabelSet,
    RecordedShape,
    State,
    Workload,
    new_uid,
)

__all__ = [
    "ENDED",
    "LIVE",
    "Decision",
    "Engine",
    "Event",
    "EventType",
    "IdempotentAnswer",
    "Intake",
    "LabelSet",
    "Level",
    "NodeUsage",
    "OverQuota",
    "PendingClass",
    "QueueCount",
    "QueueHold",
    "RecordedShape",
    "SavedView",
    "SearchRun",
    "State",
    "Usage",
    "UsageHistory",
    "Workload",
    "new_uid",
]
