"""Create an organization in the browser, owned by the person who creates it."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from console.errors import BadRequest, Conflict, FieldError
from console.orgs.models import Organization, Role, User
from console.orgs.org_creation import refuse_too_many_orgs, require_creating_orgs
from console.orgs.org_names import read_org_name
from console.orgs.org_slugs import LONGEST_SLUG, free_slug_of, is_free_slug, is_valid_slug
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.reading import Reader


def create_own_org(user: User, name: str, slug: str) -> Actor:
    """
    Create an organization of *user*, and return *user* as its owner.

    An empty *slug* is derived from the name. Raises NotAllowed if *user* may not create
    organizations, Conflict (``too_many_orgs``), and BadRequest at ``name`` or ``slug``. A slug that
    an organization has and one that is reserved get the same message, which discloses neither the
    name nor the members of that organization.
    """
    require_creating_orgs(user)
    reader = Reader()
    name = read_org_name(reader, name)
    slug = slug.strip()
    if slug and not is_valid_slug(slug):
        message = (
            f"A slug has 1 to {LONGEST_SLUG} lower-case letters a to z, digits and hyphens, and "
            "begins and ends with a letter or digit."
        )
        reader.refuse("slug", "invalid_slug", message)
    reader.finish()
    with transaction.atomic():
        # Of two requests of one person, the second waits, so that the limits hold.
        accounts = User.objects.with_address(user.email).select_for_update(no_key=True)
        locked = list(accounts.order_by("pk"))
        require_creating_orgs(next(each for each in locked if each.pk == user.pk))
        refuse_too_many_orgs(locked, timezone.now())
        org = _create(user, name, slug or _derived_slug(name))
        return Actor.from_user(org, user, Role.OWNER)


def _create(user: User, name: str, slug: str) -> Organization:
    if not is_free_slug(slug):
        raise _not_available(slug)
    try:
        return create_org(slug, name, user, creator=user)
    except Conflict as error:
        # Another request has just created it.
        raise _not_available(slug) from error


def _derived_slug(name: str) -> str:
    slug = free_slug_of(name)
    if slug is None:
        raise _refused("required", "No slug can be derived from this name; enter one.")
    return slug


def _not_available(slug: str) -> BadRequest:
    return _refused("not_available", f"The slug {slug} is not available; choose another one.")


def _refused(code: str, message: str) -> BadRequest:
    return BadRequest([FieldError("slug", code, message)], message)
