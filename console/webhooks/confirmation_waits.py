"""Waits between confirmation e-mails, which limit how many any mailbox gets."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db.models import Max, Sum

from console.orgs.models import User

#: The wait after the first e-mail. It doubles with each further one until the address is confirmed.
_FIRST: Final = timedelta(minutes=1)
_LONGEST: Final = timedelta(days=1)

#: The longest wait is reached with fewer e-mails.
_MOST_DOUBLED: Final = 12


def next_confirmation(email: str) -> datetime | None:
    """
    Return the time from which another confirmation e-mail can be sent to *email*; None if now.

    The e-mails of all accounts of the address count, because each organization can create one.
    """
    rows = User.objects.with_address(email).filter(confirmations_sent__gt=0)
    sent = rows.aggregate(count=Sum("confirmations_sent"), last=Max("confirmation_sent_at"))
    if sent["last"] is None:
        return None
    doubled: int = 2 ** min(sent["count"] - 1, _MOST_DOUBLED)
    last: datetime = sent["last"]
    return last + min(_FIRST * doubled, _LONGEST)
