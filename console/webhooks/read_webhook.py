"""Validation of the fields of a webhook from a form or request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.conf import settings

from console.errors import BadRequest, FieldError
from console.reading import Reader
from console.webhooks.models import CHOSEN_KINDS, Format
from console.webhooks.target import (
    LONGEST_URL,
    NotAllowedError,
    NotResolvedError,
    TargetError,
    read_target,
    resolve,
)
from console.webhooks.waits import STEP

LONGEST_NAME: Final = 100
MOST_QUEUES: Final = 100
_LONGEST_QUEUE: Final = 500

#: Fields that can be changed.
_FIELDS: Final = ("name", "url", "kinds", "queues", "paused")
_REQUIRED: Final = ("name", "url", "kinds")


def read_webhook(given: Any, *, is_new: bool) -> dict[str, Any]:
    """
    Return the validated fields of *given*; the host of the URL is resolved.

    A new webhook can have a ``format``.

    Raises BadRequest with every invalid field.
    """
    reader = Reader()
    allowed = (*_FIELDS, "format") if is_new else _FIELDS
    fields = reader.mapping(given, "", allowed, _REQUIRED if is_new else ())
    found: dict[str, Any] = {}
    if "name" in fields:
        found["name"] = reader.text(fields["name"], "name", LONGEST_NAME, blank=False).strip()
    if "url" in fields:
        found["url"] = reader.text(fields["url"], "url", LONGEST_URL, blank=False).strip()
    if "format" in fields:
        found["format"] = reader.choice(fields["format"], "format", Format.values)
    if "kinds" in fields:
        found["kinds"] = _kinds(reader, fields)
    if "queues" in fields:
        found["queues"] = _queues(reader, fields)
    if "paused" in fields:
        found["paused"] = reader.flag(fields["paused"], "paused")
    reader.finish()
    if "url" in found:
        check_url(found["url"])
    return found


def check_url(url: str) -> None:
    """Raise BadRequest unless *url* is allowed for webhooks, according to its current addresses."""
    try:
        resolve(read_target(url), settings.WEBHOOK_ALLOWED_NETWORKS, STEP)
    except NotAllowedError as error:
        raise BadRequest([FieldError("url", "address_not_allowed", str(error))]) from error
    except NotResolvedError as error:
        raise BadRequest([FieldError("url", "unknown_host", str(error))]) from error
    except TargetError as error:
        raise BadRequest([FieldError("url", "invalid_url", str(error))]) from error


def _kinds(reader: Reader, fields: Mapping[str, Any]) -> list[str]:
    items = reader.items(fields["kinds"], "kinds", 1, len(CHOSEN_KINDS))
    known = [kind.value for kind in CHOSEN_KINDS]
    chosen = {reader.choice(item, f"kinds[{place}]", known) for place, item in enumerate(items)}
    return [kind for kind in known if kind in chosen]


def _queues(reader: Reader, fields: Mapping[str, Any]) -> list[str]:
    given = fields["queues"]
    items = [] if given is None else reader.items(given, "queues", 0, MOST_QUEUES)
    names = [
        reader.text(item, f"queues[{place}]", _LONGEST_QUEUE, blank=False).strip()
        for place, item in enumerate(items)
    ]
    return list(dict.fromkeys(names))
