"""Adds a queue to the active config, with what routes workloads to it, as a version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from console.api.base import OrgView
from console.api.number_changes import LONGEST_NAME, read_numbers
from console.api.schemas import configs as schemas
from console.api.schemas.common import example, problems
from console.api.terms import read_terms
from console.api.views.configs import APPLIED, REJECTED, STALE, applied_response
from console.configs.services.create_queue import create_queue
from console.configs.services.lint_config import lint_config
from console.configs.services.propose_queue import QueueInput
from console.expensive import Kind, expensive
from console.orgs.permissions import Permission
from console.policies.queries import active_version
from console.reading import Reader
from console.reading.fields import printable

#: Maximum number of fields of one request, and of values of one field.
_MOST_FIELDS = 100


class CreateQueue(OrgView):
    """Adds a queue to the active config."""

    permissions = {"POST": Permission.APPLY}

    @extend_schema(
        operation_id="create_queue",
        summary="Add a queue",
        description="Writes a new queue, and the rule or local queue that routes workloads to it, "
        "into the text of the active version and applies it; all other lines stay. Which fields "
        "and numbers there are depends on the language. Consequences, confirmation and responses "
        "are those of `POST config/versions`. 404 if the language of the config has no queues that "
        "can be added.",
        request=schemas.NewQueue,
        responses={**APPLIED, **problems(413, 415), **STALE, **REJECTED},
        examples=[example("A queue with its rule", schemas.EXAMPLE_NEW_QUEUE, request=True)],
        tags=["config"],
    )
    def post(self, request: Request, **kwargs: Any) -> Response:
        """Add a queue."""
        reader, fields = self.fields(
            request,
            ("name", "settings", "numbers", "message", "expected_version", "accept"),
            required=("name", "expected_version"),
        )
        queue = QueueInput(
            name=reader.text(fields.get("name", ""), "name", LONGEST_NAME),
            fields=_values(reader, fields.get("settings", {})),
            numbers=read_numbers(reader, fields.get("numbers", []), least=0),
        )
        message = reader.text(fields.get("message"), "message", 500)
        expected = reader.integer(fields.get("expected_version", 0), "expected_version")
        terms = read_terms(reader, fields)
        reader.finish()
        active = active_version(self.actor.org)
        size = len(active.text) if active else 0
        with expensive(Kind.CHECK, self.actor.org.pk, self.actor.key, size=size):
            version, _ = create_queue(self.actor, queue, message, expected, accept=terms.accept)
            checked = lint_config(self.actor, version.dialect, version.text)
            return applied_response(request, version, checked, expected)


def _values(reader: Reader, value: Any) -> dict[str, Sequence[str]]:
    """Return the values of fields by name: one text, or a list of texts."""
    found: dict[str, Sequence[str]] = {}
    for name, values in reader.entries(value, "settings", _MOST_FIELDS):
        path = f"settings.{printable(name)}"
        if isinstance(values, str):
            found[name] = (reader.text(values, path, LONGEST_NAME),)
        else:
            found[name] = tuple(
                reader.text(each, f"{path}[{place}]", LONGEST_NAME)
                for place, each in enumerate(reader.items(values, path, 0, _MOST_FIELDS))
            )
    return found
