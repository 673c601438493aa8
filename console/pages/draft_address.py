"""Which draft a request is about: the one that it names, else the person's latest."""

from __future__ import annotations

from django.http import HttpRequest

from console.configs.models import Draft
from console.configs.queries import get_draft, latest_draft
from console.errors import BadRequest, FieldError
from console.orgs.permissions import Actor
from console.pages.access import signed_in_user


def draft_of_request(request: HttpRequest, actor: Actor) -> Draft | None:
    """Return the draft that the address or the form names, else the person's latest."""
    number = request.POST.get("draft") or request.GET.get("draft", "")
    if not number:
        return latest_draft(actor.org, signed_in_user(request))
    return get_draft(actor.org, read_number(number, "draft"))


def read_number(text: str, field: str) -> int:
    """Return a number of an address or form; raises BadRequest when it is none."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise BadRequest([FieldError(field, "invalid_number", f"{text!r} is not a number.")])
    return int(text)
