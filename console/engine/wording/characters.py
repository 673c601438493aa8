"""
Invisible control characters, as parts of character classes of regular expressions.

Logs, terminals, Markdown and generated YAML each escape them in another way, and escape different
further characters.
"""

from __future__ import annotations

from typing import Final

#: Control characters that terminals interpret, except for the line feed.
CONTROLS: Final = "\x00-\x09\x0b-\x1f\x7f-\x9f"

#: Characters that only some programs treat as line ends.
LINE_ENDS: Final = "\u2028\u2029"

#: Characters that change the direction of the following text, so that it shows in another order.
DIRECTIONS: Final = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
