"""Queries of members, invitations, accounts and sessions."""

from __future__ import annotations

from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Lower
from django.utils import timezone

from console.errors import Conflict, NotFound
from console.orgs.models import (
    BrowserSession,
    Invitation,
    Membership,
    Organization,
    Proof,
    Role,
    User,
)
from console.orgs.permissions import is_above
from console.paging import Page, newest_first, oldest_first
from console.reading import is_storable


def search_members(
    org: Organization, text: str, role: str, limit: int, cursor: str | None
) -> Page[Membership]:
    """Return members of *org* in the order in which they joined, with *text* in their address."""
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


def require_another_owner(membership: Membership) -> None:
    """
    Raise Conflict (``last_owner``) if *membership* is that of the only owner.

    Call it after `lock_org`; otherwise two owners who leave at the same time would both pass.
    """
    owners = Membership.objects.filter(org_id=membership.org_id, role=Role.OWNER)
    if membership.role == Role.OWNER and not owners.exclude(pk=membership.pk).exists():
        raise Conflict(
            "last_owner",
            f"{membership.user.email} is the last owner; give another member the owner role first.",
        )


def refuse_second_account(org: Organization, user: User) -> None:
    """Raise Conflict (``already_member``) if another account of the address is a member."""
    others = User.objects.with_address(user.email).exclude(pk=user.pk)
    if Membership.objects.filter(org=org, user__in=others).exists():
        raise Conflict(
            "already_member",
            f"{user.email} is already a member of {org.slug} with another account; sign in with "
            "the password of that account.",
        )


def open_invitations(org: Organization) -> QuerySet[Invitation]:
    """Return the open invitations of *org*, including expired ones."""
    return Invitation.objects.filter(org=org, accepted_at=None, revoked_at=None)


def list_invitations(org: Organization, limit: int, cursor: str | None) -> Page[Invitation]:
    """Return open invitations, newest first."""
    return newest_first(open_invitations(org), None, limit, cursor)


def invitations_above(org: Organization, user: User, role: str | None) -> list[Invitation]:
    """
    Return the open invitations by *user* that grant permissions beyond *role*.

    A role of None means no role, so every invitation is returned.
    """
    # Rows of earlier versions have the author's address alone.
    theirs = Q(created_by=user) | Q(created_by=None, author__iexact=user.email)
    found = open_invitations(org).filter(theirs, expires_at__gt=timezone.now()).order_by("pk")
    return [each for each in found if is_above(each.role, role)]


def invitation_by(digest: str) -> Invitation | None:
    """Return the invitation whose secret has *digest*, if it can be accepted."""
    acceptable = Invitation.objects.filter(
        accepted_at=None, revoked_at=None, expires_at__gt=timezone.now()
    )
    return acceptable.select_related("org").filter(digest=digest).first()


#: The proofs with which an account belongs to the person with its address, in any organization.
_PROVEN = (Proof.OPERATOR, Proof.PROVIDER)


def owns_address(user: User) -> bool:
    """
    Return whether *user* is known to belong to the person with its address.

    Either the account counts in every organization, or its owner has confirmed the address.
    """
    return user.proof in _PROVEN or user.address_confirmed_at is not None


def waiting_invitations(user: User, most: int) -> list[Invitation]:
    """
    Return up to *most* invitations that *user* can accept without their links, newest first.

    Only an account that counts in every organization has any: of another one, it is not known
    whether it belongs to the person with the address. Invitations of organizations in which the
    address is a member are left out.
    """
    if user.proof not in _PROVEN:
        return []
    joined = Membership.objects.filter(user__in=User.objects.with_address(user.email))
    found = _of_address(user).exclude(org__in=joined.values("org"))
    return list(found.select_related("org").order_by("-pk")[:most])


def waiting_invitation(user: User, number: int) -> Invitation | None:
    """Return invitation *number* if *user* can accept it without its link, otherwise None."""
    if user.proof not in _PROVEN:
        return None
    return _of_address(user).filter(pk=number).first()


def _of_address(user: User) -> QuerySet[Invitation]:
    # The expression of the index.
    rows = Invitation.objects.alias(folded=Lower("email")).filter(folded=Lower(Value(user.email)))
    return rows.filter(accepted_at=None, revoked_at=None, expires_at__gt=timezone.now())


def accounts_of(email: str) -> list[User]:
    """Return the accounts of an address, ignoring case, the one valid everywhere first."""
    found = User.objects.with_address(email).order_by("pk")
    return sorted(found, key=lambda account: account.proof == Proof.INVITATION)


def account_with_password(email: str, password: str) -> User | None:
    """Return the active account of an address with *password*, or None."""
    accounts = accounts_of(email)
    if not accounts:
        # As expensive as a comparison, so that the response time does not reveal whether the
        # address has an account.
        User().set_password(password)
    return next(
        (each for each in accounts if each.is_active and each.check_password(password)), None
    )


def sessions_of(user: User, most: int) -> list[BrowserSession]:
    """Return up to *most* sessions of *user*, the most recently used first."""
    going_on = BrowserSession.objects.filter(user=user, expire_date__gt=timezone.now())
    return list(going_on.defer("session_data").order_by("-last_seen_at")[:most])
