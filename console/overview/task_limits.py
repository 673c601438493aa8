"""Maximum number of organizations that one periodic task enqueues."""

from __future__ import annotations

from typing import Final

#: Tasks that have not started within an interval are due again in the next one, the oldest first.
MAX_ORGS_PER_RUN: Final = 500
