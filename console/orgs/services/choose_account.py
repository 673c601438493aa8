"""Select the account of an e-mail address for a command, or create one."""

from __future__ import annotations

from enum import Enum, auto

from console.errors import Conflict
from console.orgs.models import Membership, Proof, User
from console.orgs.people import accounts_of
from console.orgs.services.create_user import create_user, generate_password


class AccountChoice(Enum):
    """Which account of an address to use."""

    #: The proven account, or a new one for an address without accounts.
    PROVEN = auto()
    #: The existing account, which the operator knows to be the person's.
    EXISTING = auto()
    #: A new account beside those created by invitations.
    NEW = auto()


def choose_account(
    email: str, wanted: AccountChoice, org_slug: str | None = None
) -> tuple[User, str | None]:
    """
    Return the selected account of *email*, and its password if it was created.

    A member of the organization *org_slug* is preferred to other accounts of the address. An
    account that is selected as EXISTING becomes valid in every organization. Raises Conflict
    (``existing_account``) if an unproven account would be used without EXISTING,
    (``several_accounts``) if EXISTING is ambiguous, and BadRequest and Conflict as `create_user`.
    """
    accounts = accounts_of(email)
    members = Membership.objects.filter(org__slug=org_slug, user__in=accounts)
    member = members.select_related("user").first()
    if member is not None and wanted is not AccountChoice.NEW:
        return member.user, None
    first = accounts[0] if accounts else None
    if first is None or (wanted is AccountChoice.NEW and first.proof == Proof.INVITATION):
        password = generate_password()
        return create_user(email, password), password
    if first.proof in (Proof.OPERATOR, Proof.PROVIDER) and wanted is not AccountChoice.NEW:
        return first, None
    if wanted is not AccountChoice.EXISTING:
        raise Conflict("existing_account", _refusal(first, len(accounts), wanted))
    if first.proof == Proof.INVITATION and len(accounts) > 1:
        raise Conflict(
            "several_accounts",
            f"{email} has {len(accounts)} accounts, each created by an invitation of another "
            "organization; add --new to create one that is valid in every organization.",
        )
    first.proof, first.proven_in = Proof.OPERATOR, None
    first.save(update_fields=["proof", "proven_in"])
    return first, None


def _refusal(account: User, count: int, wanted: AccountChoice) -> str:
    if wanted is AccountChoice.NEW:
        return (
            f"{account.email} is an existing account that is valid in every organization, and an "
            "address has one such account; reset_password sets a new password."
        )
    if account.proof == Proof.UNKNOWN:
        return (
            f"{account.email} is an existing account whose owner is not verified: an earlier "
            "version created it. Add --existing if it belongs to that person; otherwise "
            "reset_password sets a new password and ends its sessions."
        )
    inviting = account.proven_in.slug if account.proven_in else "one that was deleted"
    more = f" It is one of {count} accounts of this address." if count > 1 else ""
    return (
        f"{account.email} is an existing account. Its password was chosen through the link of an "
        f"invitation from the organization {inviting}, so its owner is not verified.{more} Add "
        "--existing if it belongs to that person, or --new for a separate account with its own "
        "password."
    )
