"""The demo: two organizations with example configs, people, and traffic for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from console.configs.services.apply_config import apply_config
from console.dialects import dialects
from console.orgs.models import Organization, Role, User
from console.orgs.permissions import Actor
from console.orgs.services.add_member import add_member
from console.orgs.services.create_org import create_org
from console.orgs.services.create_user import create_user, generate_password


@dataclass(frozen=True, slots=True)
class Demo:
    """A demo organization: its names, the sample of which its config is made, and its traffic."""

    slug: str
    name: str
    dialect: str
    sample: str
    #: The kinds of workloads of its traffic.
    mix: str
    #: A part of the sample, and what replaces it.
    replaced: tuple[str, str] = ("", "")

    @property
    def text(self) -> str:
        """The text of the config."""
        return dialects()[self.dialect].samples()[self.sample].replace(*self.replaced)


#: Quota that a team shares by priority.
PRIORITY_DEMO: Final = Demo(
    slug="demo",
    name="Demo",
    dialect="native",
    sample="Share research GPUs by priority",
    mix="priority",
    # Without a catch-all rule, workloads with a priority that their rule forbids are rejected.
    replaced=(
        "\n  - resource_queue: default\n",
        """
  - selector:
      - { key: team, operator: not_in, values: [research] }
    resource_queue: default
""",
    ),
)
#: Two teams that borrow from each other, in the language of another scheduler.
COHORT_DEMO: Final = Demo(
    slug="demo-kueue",
    name="Demo of a cohort",
    dialect="kueue",
    sample="Two teams share one cohort",
    mix="cohort",
)
DEMOS: Final = (PRIORITY_DEMO, COHORT_DEMO)

#: E-mail addresses of the members besides the owner, and their roles.  They are the users of the
#: traffic, except for the last one.
PEOPLE: Final = {
    "researcher@localhost": Role.SUBMITTER,
    "engineer@localhost": Role.SUBMITTER,
    "operator@localhost": Role.OPERATOR,
}
USERS: Final = tuple(email for email, role in PEOPLE.items() if role == Role.SUBMITTER)


def create(owner: User) -> None:
    """
    Create the demo organizations, each with version 1 of its config and three more members.

    These members cannot sign in: their passwords are random and not recorded.
    """
    people = {create_user(email, generate_password()): role for email, role in PEOPLE.items()}
    for demo in DEMOS:
        org = create_example(owner, demo)
        for user, role in people.items():
            add_member(org, user, role)


def create_example(owner: User, demo: Demo) -> Organization:
    """Create one demo organization with version 1 of its config, and return it."""
    org = create_org(demo.slug, demo.name, owner)
    actor = Actor.from_user(org, owner, Role.OWNER)
    apply_config(actor, demo.dialect, demo.text, demo.sample, expected_version=0)
    return org


def existing() -> Iterator[Demo]:
    """Yield the demos whose organization this database has."""
    slugs = set(
        Organization.objects.filter(slug__in=[demo.slug for demo in DEMOS]).values_list(
            "slug", flat=True
        )
    )
    for demo in DEMOS:
        if demo.slug in slugs:
            yield demo
