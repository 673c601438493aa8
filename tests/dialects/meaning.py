"""Comparison of policies without their origins in the text."""

from __future__ import annotations

from typing import Any


def plain(value: Any) -> Any:
    """Return a policy as dicts, without origins."""
    if hasattr(value, "__dataclass_fields__"):
        return {
            name: plain(getattr(value, name))
            for name in value.__dataclass_fields__
            if name != "origin"
        }
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value
