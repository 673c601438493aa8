"""Options of commands by which the operator says which account of an address is meant."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from console.orgs.services.choose_account import Wanted


def add_account_options(parser: ArgumentParser) -> None:
    """Read whether an account that nothing proves is meant, or a new one."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--existing",
        action="store_true",
        help="use the account that the address has, although only an invitation began it: you "
        "know that it belongs to the person",
    )
    which.add_argument(
        "--new",
        action="store_true",
        help="make a new account although invitations of other organizations began one",
    )


def wanted_account(options: Mapping[str, Any]) -> Wanted:
    """Return what the options of a command say."""
    if options["existing"]:
        return Wanted.EXISTING
    return Wanted.NEW if options["new"] else Wanted.PROVEN
