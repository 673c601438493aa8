"""Give an account the permission to create organizations, or take it away, for commands."""

from __future__ import annotations

from django.db import transaction

from console.errors import NotFound
from console.orgs.audit import record_person
from console.orgs.models import User
from console.orgs.people import accounts_of
from console.orgs.services.choose_account import AccountChoice, choose_account


def permit_org_creation(email: str, wanted: AccountChoice) -> tuple[User, str | None]:
    """
    Permit the account of *email* that `choose_account` selects to create organizations.

    Returns the account, which counts in every organization, and its password if it was created.
    Raises BadRequest and Conflict as `choose_account`.
    """
    with transaction.atomic():
        account, password = choose_account(email, wanted)
        _set(account, may=True)
    return account, password


def forbid_org_creation(email: str) -> list[User]:
    """Take the permission from all accounts of *email*; return them, or raise NotFound."""
    with transaction.atomic():
        accounts = accounts_of(email)
        if not accounts:
            raise NotFound(f"There is no account of {email}.")
        for account in accounts:
            _set(account, may=False)
    return accounts


def _set(account: User, *, may: bool) -> None:
    if account.can_create_orgs != may:
        account.can_create_orgs = may
        account.save(update_fields=["can_create_orgs"])
        facts = {"may_create_organizations": may, "by": "command line"}
        record_person(account, "account.org_creation", after=facts)
