"""The draft of a request: the number in the address or form, else the user's latest draft."""

from __future__ import annotations

from django.http import HttpRequest

from console.configs.models import Draft
from console.configs.queries import get_draft, latest_draft
from console.errors import BadRequest, FieldError
from console.orgs.permissions import Actor
from console.pages.access import signed_in_user


def draft_of_request(request: HttpRequest, actor: Actor) -> Draft | None:
    """Return the draft with the number in the form or address, else the user's latest draft."""
    number = request.POST.get("draft") or request.GET.get("draft", "")
    if not number:
        return latest_draft(actor.org, signed_in_user(request))
    return get_draft(actor.org, read_number(number, "draft"))


def read_number(text: str, field: str) -> int:
    """Return the number in *text*; raise BadRequest at *field* if it is not one."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise BadRequest([FieldError(field, "invalid_number", f"{text!r} is not a number.")])
    return int(text)
