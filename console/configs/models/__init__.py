"""Models of configs: versions, drafts, reviews, timers, schedules, impact runs, expectations."""

from console.configs.models.drafts import Draft, DraftEditor, DraftVisit
from console.configs.models.expectations import Expectation
from console.configs.models.impact import ImpactRun
from console.configs.models.reviews import ReviewComment, ReviewRequest
from console.configs.models.schedule import ScheduledChange
from console.configs.models.versions import QueueSpec, RevertTimer
from console.policies.models import ActiveConfig, ConfigVersion, VersionChange

__all__ = [
    "ActiveConfig",
    "ConfigVersion",
    "Draft",
    "DraftEditor",
    "DraftVisit",
    "Expectation",
    "ImpactRun",
    "QueueSpec",
    "RevertTimer",
    "ReviewComment",
    "ReviewRequest",
    "ScheduledChange",
    "VersionChange",
]
