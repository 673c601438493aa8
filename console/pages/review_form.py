"""What is sent with a review: the message, what was accepted, and whether to keep a way back."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import timedelta

from django.http import HttpRequest

from console.configs.services.set_timer import LONGEST
from console.engine.model.consequences import CONFIRMATION_LEVELS, ConfirmationLevel
from console.pages.draft_address import read_number

#: Codes that take a typed version number beside their tick.
TYPED = frozenset(
    code.value
    for code, gravity in CONFIRMATION_LEVELS.items()
    if gravity is ConfirmationLevel.TYPED
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewForm:
    """The fields of a review that was sent, or of one that is opened."""

    message: str = ""
    expected_version: int = 0
    #: The save of the draft that was reviewed; empty for a rollback.
    revision: str = ""
    ticked: frozenset[str] = frozenset()
    typed: str = ""
    revert_after: timedelta | None = None

    @property
    def minutes(self) -> str:
        """The time to confirm, as the value of the field."""
        return str(int(self.revert_after.total_seconds()) // 60) if self.revert_after else ""

    def afresh(self) -> ReviewForm:
        """Return it for another text or another base: what follows from that is to be agreed to."""
        return replace(self, ticked=frozenset(), typed="")

    def accepted(self, version: int) -> Collection[str]:
        """Return the codes accepted: the grave ones only with the number of *version* typed."""
        if self.typed.strip().removeprefix("v") == str(version):
            return self.ticked
        return self.ticked - TYPED


def read_review(request: HttpRequest) -> ReviewForm:
    """Return what was sent; raises BadRequest when a number is none."""
    sent = request.POST
    minutes = sent.get("revert_after_minutes", "").strip()
    return ReviewForm(
        message=sent.get("message", ""),
        expected_version=read_number(sent.get("expected_version", ""), "expected_version"),
        revision=sent.get("revision", ""),
        ticked=frozenset(sent.getlist("accept")),
        typed=sent.get("typed", ""),
        revert_after=_minutes(minutes) if minutes else None,
    )


def _minutes(text: str) -> timedelta:
    # More than any timer takes, so that the service refuses it with its own sentence.
    most = int(LONGEST.total_seconds()) // 60 + 1
    return timedelta(minutes=min(read_number(text, "revert_after_minutes"), most))
