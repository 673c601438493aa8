"""The review form: message, accepted consequences, and the time of the automatic rollback."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import timedelta

from django.http import HttpRequest

from console.configs.services.set_timer import LONGEST
from console.engine.model.consequences import CONFIRMATION_LEVELS, ConfirmationLevel
from console.pages.draft_address import read_number

#: Consequence codes that require a typed version number in addition to the check box.
TYPED = frozenset(
    code.value
    for code, gravity in CONFIRMATION_LEVELS.items()
    if gravity is ConfirmationLevel.TYPED
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewForm:
    """The fields of a review form: the sent values, or the initial ones."""

    message: str = ""
    expected_version: int = 0
    #: The save of the draft that was reviewed; empty for a rollback.
    revision: str = ""
    ticked: frozenset[str] = frozenset()
    typed: str = ""
    revert_after: timedelta | None = None
    #: The time of a scheduled apply as typed; empty: the apply is made at once.
    apply_at: str = ""

    @property
    def minutes(self) -> str:
        """The time to confirm, as the value of the field."""
        return str(int(self.revert_after.total_seconds()) // 60) if self.revert_after else ""

    def without_confirmations(self) -> ReviewForm:
        """Return the form without confirmations: another text or base has other consequences."""
        return replace(self, ticked=frozenset(), typed="")

    def accepted(self, version: int) -> Collection[str]:
        """Return the accepted codes; those in `TYPED` only if *version*'s number was typed."""
        if self.typed.strip().removeprefix("v") == str(version):
            return self.ticked
        return self.ticked - TYPED


def read_review(request: HttpRequest) -> ReviewForm:
    """Return the sent form; raise BadRequest if a number field is not a number."""
    sent = request.POST
    minutes = sent.get("revert_after_minutes", "").strip()
    return ReviewForm(
        message=sent.get("message", ""),
        expected_version=read_number(sent.get("expected_version", ""), "expected_version"),
        revision=sent.get("revision", ""),
        ticked=frozenset(sent.getlist("accept")),
        typed=sent.get("typed", ""),
        revert_after=_minutes(minutes) if minutes else None,
        apply_at=sent.get("apply_at", "").strip(),
    )


def _minutes(text: str) -> timedelta:
    # The maximum is more than the service accepts, so that the service rejects it with its message.
    most = int(LONGEST.total_seconds()) // 60 + 1
    return timedelta(minutes=min(read_number(text, "revert_after_minutes"), most))
