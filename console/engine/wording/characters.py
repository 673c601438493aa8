"""
Characters that show nothing and do something, as parts of classes of regular expressions.

Logs, terminals, Markdown and generated YAML each write them in a way of their own, and differ in
what else they cannot take.
"""

from __future__ import annotations

from typing import Final

#: What a terminal obeys, without the end of line that all readers agree on.
CONTROLS: Final = "\x00-\x09\x0b-\x1f\x7f-\x9f"

#: What ends a line to some readers and not to others.
LINE_ENDS: Final = "\u2028\u2029"

#: What turns the direction of the text behind it, so that it shows in another order.
DIRECTIONS: Final = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
