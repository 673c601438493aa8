"""Formats of a trace: plain sentences, technical with codes and numbers, or JSON."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from console.engine.model.stored_trace import trace_to_json
from console.engine.model.trace import Trace
from console.pages.presenters.lists.addresses import with_query

#: Query parameter of the format.
PARAMETER = "trace"

FORMATS = {"plain": "Plain", "technical": "Technical", "json": "JSON"}


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceFormat:
    """The link to one format."""

    title: str
    url: str
    is_chosen: bool


def chosen_format(query: QueryDict) -> str:
    """Return the format in *query*, or "plain" if it is missing or unknown."""
    name = query.get(PARAMETER, "")
    return name if name in FORMATS else "plain"


def trace_formats(path: str, query: QueryDict) -> tuple[TraceFormat, ...]:
    """Return the links to all formats."""
    chosen = chosen_format(query)
    return tuple(
        TraceFormat(
            title=title,
            url=with_query(path, query, **{PARAMETER: None if form == "plain" else form}),
            is_chosen=form == chosen,
        )
        for form, title in FORMATS.items()
    )


def trace_text(trace: Trace, hidden: Collection[str]) -> str:
    """Return *trace* as indented JSON, without the ids of *hidden* workloads."""
    return json.dumps(_without(trace_to_json(trace), hidden), indent=2, ensure_ascii=False)


def _without(value: Any, hidden: Collection[str]) -> Any:
    if isinstance(value, str):
        return "(not shown)" if value in hidden else value
    if isinstance(value, list):
        return [_without(each, hidden) for each in value]
    if isinstance(value, dict):
        return {name: _without(each, hidden) for name, each in value.items()}
    return value
