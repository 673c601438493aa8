"""Create an organization with all rows that it needs."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import transaction

from console.errors import BadRequest, Conflict, FieldError
from console.orgs.audit import record
from console.orgs.models import Membership, Organization, Role, User
from console.orgs.org_slugs import LONGEST_SLUG
from console.orgs.permissions import Actor
from console.orgs.signals import org_created


def create_org(
    slug: str, name: str, owner: User | None, *, creator: User | None = None
) -> Organization:
    """
    Create and return an organization without a config, owned by *owner* if there is one.

    *creator* is the person who creates it in the browser; None for commands. Raises BadRequest for
    a slug that is not valid in a URL, and Conflict for one that is taken.
    """
    _check_slug(slug)
    with transaction.atomic():
        org, created = Organization.objects.get_or_create(
            slug=slug, defaults={"name": name, "created_by": creator}
        )
        if not created:
            raise Conflict("org_exists", f"There is already an organization {slug!r}.")
        org_created.send(Organization, org=org)
        if owner is not None:
            Membership.objects.create(org=org, user=owner, role=Role.OWNER)
        record(
            Actor.from_user(org, creator, Role.OWNER) if creator else Actor.from_command(org),
            "org.create",
            kind="org",
            subject=slug,
            after={"name": name, "owner": owner.email if owner else None},
        )
    return org


def _check_slug(slug: str) -> None:
    try:
        validate_slug(slug)
    except ValidationError:
        wrong = True
    else:
        wrong = len(slug) > LONGEST_SLUG
    if wrong:
        message = (
            f"{slug!r} is not a valid slug; use 1 to {LONGEST_SLUG} letters, digits, hyphens or "
            "underscores."
        )
        raise BadRequest([FieldError("slug", "invalid_slug", message)], message)
