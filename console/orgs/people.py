"""Who belongs to an organization, who was invited, and who could still be found."""

from __future__ import annotations

from django.db.models import Q, QuerySet
from django.utils import timezone

from console.errors import Conflict, NotFound
from console.orgs.models import BrowserSession, Invitation, Membership, Organization, Role, User
from console.paging import Page, newest_first, oldest_first
from console.reading import is_storable


def search_members(
    org: Organization, text: str, role: str, limit: int, cursor: str | None
) -> Page[Membership]:
    """Return members of *org* in the order they joined: those with *text* in their address."""
    driven = Membership.objects.filter(org=org).select_related("user")
    if text and not is_storable(text):
        return Page([])
    wanted = Q(user__email__icontains=text) if text else Q()
    if role:
        wanted &= Q(role=role)
    return oldest_first(driven, wanted or None, limit, cursor)


def get_member(org: Organization, number: int) -> Membership:
    """Return one membership with its person; raises NotFound."""
    found = Membership.objects.select_related("user").filter(org=org, pk=number).first()
    if found is None:
        raise NotFound(f"There is no member {number} in {org.slug}; they may have left.")
    return found


def keep_an_owner(membership: Membership) -> None:
    """
    Raise Conflict (``last_owner``) when *membership* is that of the only owner.

    Only after `lock_org`: two owners who step down at once would pass it both.
    """
    owners = Membership.objects.filter(org_id=membership.org_id, role=Role.OWNER)
    if membership.role == Role.OWNER and not owners.exclude(pk=membership.pk).exists():
        raise Conflict(
            "last_owner",
            f"{membership.user.email} is the last owner; make somebody else an owner first.",
        )


def open_invitations(org: Organization) -> QuerySet[Invitation]:
    """Return the invitations of *org* that nobody accepted or took back; some may be too old."""
    return Invitation.objects.filter(org=org, accepted_at=None, revoked_at=None)


def list_invitations(org: Organization, limit: int, cursor: str | None) -> Page[Invitation]:
    """Return open invitations, newest first."""
    return newest_first(open_invitations(org), None, limit, cursor)


def invitation_by(digest: str) -> Invitation | None:
    """Return the invitation whose secret has *digest*, if it can still be accepted."""
    acceptable = Invitation.objects.filter(
        accepted_at=None, revoked_at=None, expires_at__gt=timezone.now()
    )
    return acceptable.select_related("org").filter(digest=digest).first()


def person_by(email: str) -> User | None:
    """Return the person with an address, in whatever case."""
    try:
        return User.objects.get_by_natural_key(email)
    except User.DoesNotExist:
        return None


def sessions_of(user: User, most: int) -> list[BrowserSession]:
    """Return up to *most* sessions in which *user* is signed in, the last seen first."""
    going_on = BrowserSession.objects.filter(user=user, expire_date__gt=timezone.now())
    return list(going_on.defer("session_data").order_by("-last_seen_at")[:most])
