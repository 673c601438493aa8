"""`World`: an organization with its members and an example of everything that has a URL."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from django.test import Client

    from console.orgs.models import Organization, User
    from console.orgs.permissions import Actor

#: Password of all users.
PASSWORD: Final = "correct horse battery"


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """
    Names and ids of example objects; all but the owner may be missing, as in the empty world.

    The fields are texts and numbers, so that a world can be stored as JSON beside its database.
    """

    #: Name of the world, and slug of its organization.
    name: str
    org: str
    #: E-mail address of a member with each role; their password is `PASSWORD`.
    people: Mapping[str, str]
    #: Secret of an API token with each role.
    secrets: Mapping[str, str]
    #: Slug of another organization, and address and token of its owner, who is not a member here.
    other_org: str
    outsider: str
    outsider_secret: str
    #: Secret in the link of an open invitation.
    join: str = ""

    queues: tuple[str, ...] = ()
    cohorts: tuple[str, ...] = ()
    #: Id of a workload in each state; "never" is a pending workload that can never be admitted.
    workloads: Mapping[str, str] = field(default_factory=dict)
    #: Id of a workload for each reason of the engine; pending ones by the reason of their class.
    reasons: Mapping[str, str] = field(default_factory=dict)
    #: (id of the workload, id of the decision).
    decision: tuple[str, int] | None = None
    #: (id of the victim, id of the preemption), and id of the preemptor.
    preemption: tuple[str, int] | None = None
    beneficiary: str = ""

    #: Numbers of some config versions, oldest first; the last is active.
    versions: tuple[int, ...] = ()
    #: Primary key of an example of each; 0 if there is none.
    draft: int = 0
    review: int = 0
    change: int = 0
    impact: int = 0
    expectation: int = 0
    view: int = 0
    member: int = 0
    invitation: int = 0
    token: int = 0
    webhook: int = 0
    #: Name of a cluster.
    cluster: str = ""
    #: Id of a delivery of the webhook.
    delivery: str = ""

    @property
    def queue(self) -> str:
        """Return the name of an example queue, or ""."""
        return self.queues[0] if self.queues else ""

    @property
    def cohort(self) -> str:
        """Return the name of an example cohort, or ""."""
        return self.cohorts[0] if self.cohorts else ""

    def organization(self) -> Organization:
        """Return the organization."""
        from console.orgs.models import Organization

        return Organization.objects.get(slug=self.org)

    def user(self, role: str) -> User:
        """Return the user of the member with *role*."""
        from console.orgs.models import User

        return User.objects.get(email=self.people[role])

    def actor(self, role: str) -> Actor:
        """Return the member with *role* as an actor."""
        from console.orgs.permissions import Actor

        return Actor.from_user(self.organization(), self.user(role), role)

    def browser(self, role: str) -> Client:
        """Return a test client that is signed in as the member with *role*."""
        from django.test import Client

        client = Client()
        client.force_login(self.user(role))
        return client

    def program(self, role: str) -> Client:
        """Return a test client that sends the API token of *role*."""
        from django.test import Client

        return Client(headers={"authorization": f"Bearer {self.secrets[role]}"})

    def as_json(self) -> str:
        """Return the world as JSON."""
        return json.dumps(asdict(self), indent=1)

    @classmethod
    def from_json(cls, text: str) -> World:
        """Return the world from JSON that `as_json` wrote."""
        fields = json.loads(text)
        for name, value in fields.items():
            if isinstance(value, list):
                fields[name] = tuple(value)
        return cls(**fields)
