"""Texts of the SkyShift dialect that several tests share."""

from __future__ import annotations

import textwrap

HEAD = "kind: PlacementTemplate\nmetadata: { name: t }\nspec:\n"


def template(placement: str) -> str:
    """Return a PlacementTemplate with the filters and preferences in *placement*."""
    return HEAD + textwrap.indent(placement, "  ")


def job(resources: str = "{}", **spec: str) -> str:
    """Return a Job with *resources* and other fields of its spec, all in flow style."""
    fields = "".join(
        f"  {key}: {value}\n" for key, value in {"resources": resources, **spec}.items()
    )
    return f"kind: Job\nmetadata: {{ name: j }}\nspec:\n{fields}"
