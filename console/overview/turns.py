"""How many organizations are looked at in one turn of the clock."""

from __future__ import annotations

from typing import Final

#: What is not begun within a turn is due again in the next, where those that came late go first.
MOST_DUE: Final = 500
