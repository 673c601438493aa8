"""Errors of services that apply configs."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from console.configs.models import ConfigVersion
from console.dialects.base import Reading
from console.engine.explain.consequences import Consequence
from console.errors import Conflict, ConsoleError


class StaleVersion(Conflict):
    """The active version is not *expected*; *newer* lists the later versions, newest first."""

    title = "The active version has changed"

    def __init__(self, expected: int, active: int, newer: Sequence[ConfigVersion]) -> None:
        super().__init__(
            "stale_version",
            f"You started from version {expected}, and version {active} is active now. "
            "Compare your text with it and apply again from there.",
        )
        self.expected = expected
        self.active = active
        self.newer = tuple(newer)


class ApprovalRequired(Conflict):
    """The organization requires an approval of the text, and there is none on this version."""

    title = "The change needs approval"

    def __init__(self, org: str) -> None:
        super().__init__(
            "approval_required",
            f"Changes of {org} need approval by another member, and this text has none for the "
            "active version; nothing was applied. Submit the text for review.",
        )


class ConfigRejected(ConsoleError):
    """The config text has errors; *reading* contains the diagnostics."""

    status = 422
    title = "The config has errors"

    def __init__(self, reading: Reading) -> None:
        count = len(reading.errors)
        super().__init__(
            "config_rejected",
            f"The config has {count} error{'s' if count != 1 else ''}; nothing was applied.",
        )
        self.reading = reading


class ConsequencesNotAccepted(ConsoleError):
    """An apply has *consequences*, and the codes in *missing* were not accepted."""

    status = 422
    title = "The apply has consequences that were not accepted"

    def __init__(self, consequences: Sequence[Consequence], accepted: Collection[str]) -> None:
        missing = [
            each.code
            for each in consequences
            if each.needs_acceptance and each.code not in accepted
        ]
        super().__init__(
            "consequences_not_accepted",
            f"Nothing was applied: review the consequences, and accept {', '.join(missing)} too.",
        )
        self.consequences = tuple(consequences)
        self.missing = tuple(missing)
