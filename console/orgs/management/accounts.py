"""Command options that select an account of an e-mail address."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from console.orgs.services.choose_account import AccountChoice


def add_account_options(parser: ArgumentParser) -> None:
    """Add the options for an unproven account and for a new account."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--existing",
        action="store_true",
        help="use the existing account of the address, although it was created by an invitation "
        "and its owner is not verified",
    )
    which.add_argument(
        "--new",
        action="store_true",
        help="create a new account, although the address has accounts created by invitations of "
        "other organizations",
    )


def account_choice(options: Mapping[str, Any]) -> AccountChoice:
    """Return the selection in the options of a command."""
    if options["existing"]:
        return AccountChoice.EXISTING
    return AccountChoice.NEW if options["new"] else AccountChoice.PROVEN
