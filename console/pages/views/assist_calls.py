"""Requests of the editor's script for completions, help, context at the cursor, and hits."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from console.capacity.queries.inventory import load_clusters
from console.configs.services.check_config import find_dialect
from console.configs.services.count_hits import count_hits
from console.configs.services.lint_config import lint_config
from console.dialects.assist import Assistant, assist
from console.dialects.objects import vocabulary_of
from console.errors import NotFound
from console.expensive import Kind, expensive
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page
from console.pages.json_body import read_json, read_place, text_of
from console.pages.presenters.configs.assist import (
    completion_json,
    fact_lines,
    help_json,
    object_at,
)
from console.pages.presenters.configs.outline import outline_json, outline_of
from console.pages.presenters.queues.queue import QueueRow, queue_row
from console.reading import is_storable
from console.workloads.queries import queue_view


@org_page
@require_POST
def complete(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Return completions at the cursor as JSON."""
    body, assistant = _read(request, actor)
    line, column = read_place(body)
    live_schema = find_dialect(text_of(body, "dialect")).live_schema
    schema = live_schema(load_clusters(actor.org.pk)) if live_schema is not None else None
    found = assistant.complete(line, column, schema)
    return JsonResponse({"seq": body.get("seq"), "completions": [*map(completion_json, found)]})


@org_page
@require_POST
def explain(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Return help about the key or word at a position as JSON; null if there is none."""
    body, assistant = _read(request, actor)
    found = assistant.explain(*read_place(body))
    return JsonResponse({"seq": body.get("seq"), "help": help_json(found) if found else None})


@org_page
@require_POST
def context(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Return the panel about the object at the cursor: description, usage and references."""
    body, assistant = _read(request, actor)
    line, column = read_place(body)
    found = assistant.explain(line, column)
    object_ = object_at(assistant.names, found, line)
    return render(
        request,
        "configs/_context.html",
        {
            "org": actor.org,
            "help": found,
            "help_lines": fact_lines(found.facts) if found else (),
            "object": object_,
            "queue": _queue(actor, object_.name) if object_ and object_.kind == "queue" else None,
        },
    )


@org_page
@require_POST
def hits(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Return the outline with recorded workloads by rule and queue; no counts with errors."""
    body, assistant = _read(request, actor)
    dialect, text = text_of(body, "dialect"), text_of(body, "text")
    with expensive(Kind.CHECK, actor.org.pk, actor.key, size=len(text)):
        checked = lint_config(actor, dialect, text)
        policy = checked.reading.policy
        counted = count_hits(actor, policy) if policy else None
    return JsonResponse(
        {
            "seq": body.get("seq"),
            "outline": outline_json(
                outline_of(assistant.names, vocabulary_of(dialect), checked.findings, counted)
            ),
            "runs": counted.runs if counted else None,
            "nowhere": counted.nowhere if counted else None,
            "days": counted.window_days if counted else None,
            "is_complete": counted.is_complete if counted else None,
        }
    )


def _read(request: HttpRequest, actor: Actor) -> tuple[dict[str, Any], Assistant]:
    actor.require(Permission.READ)
    body = read_json(request)
    return body, assist(find_dialect(text_of(body, "dialect")), _shown(text_of(body, "text")))


def _shown(text: str) -> str:
    """Return *text* with unstorable characters replaced one by one, so that positions stay."""
    if is_storable(text):
        return text
    return "".join(char if is_storable(char) else "\N{REPLACEMENT CHARACTER}" for char in text)


def _queue(actor: Actor, name: str) -> QueueRow | None:
    """Return the row of the queue *name*; None if the active version does not have it."""
    try:
        return queue_row(queue_view(actor.org, name))
    except NotFound:
        return None
