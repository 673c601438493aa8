"""Scalars: texts that YAML readers resolve to another type, and how to quote them."""

from __future__ import annotations

import json
import re

from console.engine.wording.characters import DIRECTIONS, LINE_ENDS

#: A text that YAML 1.1 or 1.2 reads as null, a boolean, a number, a date or a special word.
_GUESSED = re.compile(
    r"""
    ~|null|Null|NULL|=|<<
    |yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF
    |[-+]?0b[0-1_]+|[-+]?0o[0-7]+|[-+]?0x[0-9a-fA-F_]+
    |[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?
    |[-+]?\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?
    |[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?
    |[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)
    |[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9].*)?
    """,
    re.VERBOSE,
)
#: A plain text that never needs quotes, not even in a flow list.
_PLAIN = re.compile(r"[A-Za-z0-9_./](?:[A-Za-z0-9_./@+-]|:(?=[A-Za-z0-9]))*")
#: Characters that readers disagree about, or that change the display order of a line.
_UNSAFE = re.compile(f"[\x7f-\x9f{LINE_ENDS}{DIRECTIONS}\ufeff]")


def is_guessed(text: str) -> bool:
    """
    Return whether YAML readers may resolve the plain *text* to another type.

    >>> [word for word in ("no", "12:30", "1_000", "a100", "m5.2xlarge", "y") if is_guessed(word)]
    ['no', '12:30', '1_000']
    """
    return _GUESSED.fullmatch(text) is not None


def write_text(text: str, *, plain: bool = True) -> str:
    """
    Return *text* as a YAML scalar on one line, in double quotes unless it can be plain.

    >>> write_text("team-a:v2"), write_text("true"), write_text("a b")
    ('team-a:v2', '"true"', '"a b"')
    """
    if plain and _PLAIN.fullmatch(text) and not is_guessed(text):
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", quoted)
