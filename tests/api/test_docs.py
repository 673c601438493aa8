"""The documentation of the API lists every code that the API may answer."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "api.md").read_text()
#: The page with the codes that only the public client's protocol answers.
CLIENT_PAGE = (ROOT / "docs" / "anyscale.md").read_text()

#: Matches codes in the source: the second argument of a field error, the first of a conflict.
CODES = re.compile(
    r"""(?:FieldError\(|refuse\()\s*[^"]*?(?:f?"[^"]*",\s*)?"([a-z]+_[a-z_]+|blank|required)"
    |(?:Conflict|__init__)\(\s*"([a-z_]+)"
    |:\s*\("([a-z_]+)",\s*"[A-Z]
    |"(invalid_[a-z]+)",""",
    re.VERBOSE,
)
FOLDERS = ("api", "capacity", "configs", "orgs", "reading", "webhooks", "workloads")


def codes() -> set[str]:
    files = [ROOT / "console" / f"{name}.py" for name in ("errors", "expensive", "paging")]
    for folder in FOLDERS:
        files += (ROOT / "console" / folder).rglob("*.py")
    found = set()
    for file in files:
        if "migrations" not in file.parts:
            found |= {code for groups in CODES.findall(file.read_text()) for code in groups}
    # Only pages edit drafts, accept invitations, create organizations and confirm addresses.
    on_pages = {"stale_draft", "draft_locked", "too_many_drafts", "languages_differ"}
    joining = {"other_address", "weak_password", "user_exists", "org_exists", "invalid_slug"}
    joining |= {"existing_account", "several_accounts", "switched_off"}
    own = {"too_many_orgs", "other_account"}
    own |= {"address_confirmed", "address_not_confirmed", "confirmation_sent"}
    return found - on_pages - joining - own - {""}


def test_every_code_is_in_the_catalogue():
    found = codes()
    assert {
        "stale_version",
        "reserved_key",
        "invalid_token",
        "wrong_type",
        "invalid_cursor",
    } <= found
    assert {code for code in found if f"`{code}`" not in PAGE + CLIENT_PAGE} == set()


def test_the_catalogue_holds_nothing_else():
    tables = PAGE[PAGE.index("## Errors") :]
    rows = [line.split("|") for line in tables.splitlines() if line.startswith("|")]
    cells = [row[2] if row[1].strip().isdigit() else row[1] for row in rows]
    named = {code for cell in cells for code in re.findall(r"`([a-z_]+)`", cell)} - {"code"}
    assert named - codes() == set()
