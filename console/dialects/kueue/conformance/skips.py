"""Cases that are skipped: they need a feature gate or a value that this product does not have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from console.dialects.conformance.parts import part


def reason_to_skip(case: Mapping[str, Any]) -> str | None:
    """
    Return the reason why *case* is skipped, as a sentence, or None if it is not.

    ``gates`` has the feature gates of Kueue that a case sets to another value than the default;
    ``undefaulted`` marks a policy value that the defaults of the API never produce.
    """
    gates = part(case, "gates", dict, {})
    if gates:
        switches = ", ".join(f"{name} {'on' if is_on else 'off'}" for name, is_on in gates.items())
        return f"it needs {switches}, and there is no such switch."
    if part(case, "undefaulted", bool, False):
        return "it sets a policy to a value that the defaults of the API never produce."
    return None
