"""Organizations for tests, each with two signed-in owners and an API token."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, Page

from tests.product import PATIENCE, Api, Product

#: Number of organizations; each test uses one of its own.
COUNT = 120
PEOPLE = ("first@example.com", "second@example.com")
PASSWORD = "a long password for tests"

_MAKE = """
import json
from django.db import transaction
from console.orgs.models import Membership, User
from console.orgs.services.create_org import create_org
from console.orgs.services.issue_token import issue_token
people = [User.objects.create_user(email, {password!r}) for email in {people!r}]
tokens = {{}}
with transaction.atomic():
    for number in range({count}):
        org = create_org(f"place-{{number}}", f"Place {{number}}", None)
        for person in people:
            Membership.objects.create(org=org, user=person, role="owner")
        tokens[org.slug] = issue_token(org, "owner", "test")
print(json.dumps(tokens))
"""


@dataclass(frozen=True, slots=True)
class Place:
    """An organization with its people and its API."""

    slug: str
    base: str
    api: Api
    #: Cookies of its owners.
    sessions: tuple[Any, ...]

    def url(self, path: str = "") -> str:
        """Return the URL of one of its pages."""
        return f"{self.base}/o/{self.slug}/{path}"

    def apply(self, text: str, message: str = "") -> int:
        """Make *text* the active config and return its number."""
        active = self.api.request("GET", "/config")
        base = active.body["version"] if active.status == 200 else 0
        body = {"dialect": "native", "text": text, "message": message, "expected_version": base}
        number: int = self.api.post("/config/versions", body, expect=201)["version"]
        return number

    def submit(self, *workloads: dict[str, Any]) -> list[str]:
        """Submit workloads, wait until the engine has evaluated them, and return their ids."""
        ids: list[str] = self.api.post("/workloads", {"workloads": list(workloads)})["ids"]
        wait_until(lambda: self.reason(ids[-1]) != "not_evaluated")
        return ids

    def state(self, uid: str) -> str:
        """Return the state of a workload."""
        return str(self.api.get(f"/workloads/{uid}")["state"])

    def reason(self, uid: str) -> str:
        """Return the reason code of a workload."""
        return str(self.api.get(f"/workloads/{uid}")["reason"]["code"])


def furnish(browser: Browser, product: Product, count: int = COUNT) -> list[Place]:
    """Create *count* organizations in a running product and sign their owners in."""
    script = _MAKE.format(password=PASSWORD, people=PEOPLE, count=count)
    tokens = json.loads(product.manage("shell", "-c", script).splitlines()[-1])
    base = f"http://127.0.0.1:{product.port}"
    sessions = tuple(_session(browser, base, person) for person in PEOPLE)
    return [
        Place(slug, base, Api(product.port, slug, token), sessions)
        for slug, token in tokens.items()
    ]


def sign_in(page: Page, base: str, email: str, password: str) -> None:
    """Sign in through the form."""
    page.goto(f"{base}/login")
    page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def wait_until(condition: Callable[[], bool], pause: float = 0.1) -> None:
    """Wait until *condition*, which queries the product every *pause* seconds, is true."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"not within {PATIENCE} s"
        time.sleep(pause)


def _session(browser: Browser, base: str, person: str) -> Any:
    context = browser.new_context()
    page = context.new_page()
    sign_in(page, base, person, PASSWORD)
    page.wait_for_url("**/o/**")
    state = context.storage_state()
    context.close()
    return state
