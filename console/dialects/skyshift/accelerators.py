"""Well-known accelerator models, in the spelling that nodes report."""

from __future__ import annotations

from typing import Final

MODELS: Final = (
    *("A10", "A10G", "A30", "A40", "A100", "A100-80GB", "A6000"),
    *("B100", "B200", "GB200", "GH200", "H100", "H200"),
    *("K80", "L4", "L40", "L40S", "M60", "P4", "P40", "P100", "T4", "V100", "V100-32GB"),
    *("MI100", "MI210", "MI250", "MI250X", "MI300A", "MI300X"),
)

_BY_FOLDED: Final = {model.casefold(): model for model in MODELS}


def usual_spelling(name: str) -> str | None:
    """
    Return the usual spelling of an accelerator model; None for an unknown one.

    >>> usual_spelling("a100"), usual_spelling("foo")
    ('A100', None)
    """
    return _BY_FOLDED.get(name.casefold())
