"""Reset the password of an account, for commands, and end its sessions."""

from __future__ import annotations

from django.db import transaction

from console.errors import Conflict, NotFound
from console.orgs.audit import record_person
from console.orgs.models import BrowserSession, Proof, User
from console.orgs.people import accounts_of
from console.orgs.services.create_user import generate_password


def reset_password(email: str, org_slug: str | None) -> tuple[User, str]:
    """
    Set a new password, end all sessions, and return the account of *email* and the password.

    If the address has several accounts, *org_slug* selects the member of that organization. The
    operator gives the password to the person, so the account becomes valid in every organization,
    unless another account of the address already is. Raises NotFound, and Conflict
    (``several_accounts``).
    """
    found = accounts_of(email)
    where = ""
    if org_slug is not None:
        found = [each for each in found if each.memberships.filter(org__slug=org_slug).exists()]
        where = f" that is a member of {org_slug}"
    if not found:
        raise NotFound(f"There is no account of {email}{where}.")
    if len(found) > 1:
        slugs = User.objects.with_address(email).values_list("memberships__org__slug", flat=True)
        raise Conflict(
            "several_accounts",
            f"{email} has {len(found)} accounts; choose one by --org, which is one of: "
            f"{', '.join(sorted(filter(None, slugs)))}.",
        )
    [account] = found
    password = generate_password()
    with transaction.atomic():
        account.set_password(password)
        others = User.objects.with_address(email).exclude(pk=account.pk)
        is_only = not others.exclude(proof=Proof.INVITATION).exists()
        if account.proof != Proof.PROVIDER and is_only:
            account.proof, account.proven_in = Proof.OPERATOR, None
        account.save(update_fields=["password", "proof", "proven_in"])
        BrowserSession.objects.filter(user=account).delete()
        record_person(account, "account.password", after={"by": "command line"})
    return account, password
