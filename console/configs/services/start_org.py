"""Create an organization in the browser together with the draft of its first config."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from console.configs.models import Draft
from console.configs.services.begin_draft import begin_draft
from console.dialects import dialects
from console.errors import BadRequest, FieldError
from console.orgs.models import User
from console.orgs.permissions import Actor
from console.orgs.services.create_own_org import create_own_org


@dataclass(frozen=True, slots=True)
class StartedOrg:
    """The owner in a new organization, and the draft of its first config, if one was chosen."""

    owner: Actor
    draft: Draft | None


def start_org(user: User, name: str, slug: str, start: str) -> StartedOrg:
    """
    Create an organization of *user*, with a draft by *start*, in one transaction.

    *start* is a language and the title of one of its samples, separated by a slash. Without a title
    the draft is empty, and an empty *start* creates none. Raises BadRequest at ``start``, and the
    errors of `create_own_org`.
    """
    text = _text_of(start)
    with transaction.atomic():
        owner = create_own_org(user, name, slug)
        if text is None:
            return StartedOrg(owner, None)
        language, _, title = start.partition("/")
        return StartedOrg(owner, begin_draft(owner, language, text, 0, title))


def _text_of(start: str) -> str | None:
    """Return the text of the first draft; None for no draft."""
    if not start:
        return None
    language, _, title = start.partition("/")
    dialect = dialects().get(language)
    text = None
    if dialect is not None:
        text = dialect.samples().get(title) if title else ""
    if text is None:
        message = "This language or example does not exist; choose one of the list."
        raise BadRequest([FieldError("start", "invalid_choice", message)], message)
    return text
