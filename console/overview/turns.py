"""Limits on the number of organizations in one interval."""

from __future__ import annotations

from typing import Final

#: Tasks that have not started in an interval are due again in the next one, the oldest first.
MOST_DUE: Final = 500
