"""Scalars: which texts YAML readers take for something else, and how to write one safely."""

from __future__ import annotations

import json
import re

from console.engine.wording.characters import DIRECTIONS, LINE_ENDS

#: What YAML 1.1 or 1.2 reads as null, a boolean, a number, a date or a special word.
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
#: Plain texts that need no quotes anywhere, in a list in brackets either.
_PLAIN = re.compile(r"[A-Za-z0-9_./](?:[A-Za-z0-9_./@+-]|:(?=[A-Za-z0-9]))*")
#: What readers disagree about, and what would show the line in another order than it is read.
_UNSAFE = re.compile(f"[\x7f-\x9f{LINE_ENDS}{DIRECTIONS}\ufeff]")


def is_guessed(text: str) -> bool:
    """
    Say whether YAML readers may take the plain *text* for something other than text.

    >>> [word for word in ("no", "12:30", "1_000", "a100", "m5.2xlarge", "y") if is_guessed(word)]
    ['no', '12:30', '1_000']
    """
    return _GUESSED.fullmatch(text) is not None


def write_text(text: str, *, plain: bool = True) -> str:
    """
    Write *text* as a YAML scalar on one line, in double quotes unless it may be plain.

    >>> write_text("team-a:v2"), write_text("true"), write_text("a b")
    ('team-a:v2', '"true"', '"a b"')
    """
    if plain and _PLAIN.fullmatch(text) and not is_guessed(text):
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", quoted)
