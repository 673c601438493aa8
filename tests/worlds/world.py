"""A world: an organization, who is in it, and an example of everything that has an address."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from django.test import Client

    from console.orgs.models import Organization, User
    from console.orgs.permissions import Actor

#: Everybody's.
PASSWORD: Final = "correct horse battery"


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """
    Where things are; everything but the owner may be missing, as in the empty world.

    It holds texts and numbers alone, so that it can be kept beside the file of its database.
    """

    #: Which of the worlds it is, and the slug of its organization.
    name: str
    org: str
    #: E-mail address of a member with each role; all have `PASSWORD`.
    people: Mapping[str, str]
    #: Secret of an API token with each role.
    secrets: Mapping[str, str]
    #: Slug of another organization, and address and secret of its owner, who is no member here.
    other_org: str
    outsider: str
    outsider_secret: str
    #: Secret of an invitation's link that can still be used.
    join: str = ""

    queues: tuple[str, ...] = ()
    cohorts: tuple[str, ...] = ()
    #: Id of a workload in each state; and "never": one that waits and can never run.
    workloads: Mapping[str, str] = field(default_factory=dict)
    #: Ids by the reason that the engine gave; those that wait have that of their class.
    reasons: Mapping[str, str] = field(default_factory=dict)
    #: (id of the workload, number) of a decision.
    decision: tuple[str, int] | None = None
    #: (id of the victim, number) of a preemption, and id of whom it was for.
    preemption: tuple[str, int] | None = None
    beneficiary: str = ""

    #: Numbers of some versions, oldest first; the last is active.
    versions: tuple[int, ...] = ()
    #: Numbers, each of one example; 0: there is none.
    draft: int = 0
    impact: int = 0
    expectation: int = 0
    view: int = 0
    member: int = 0
    invitation: int = 0
    token: int = 0
    webhook: int = 0
    #: Id of a delivery of that webhook.
    delivery: str = ""

    @property
    def queue(self) -> str:
        """Return the example of a queue, or nothing."""
        return self.queues[0] if self.queues else ""

    @property
    def cohort(self) -> str:
        """Return the example of a cohort, or nothing."""
        return self.cohorts[0] if self.cohorts else ""

    def organization(self) -> Organization:
        """Return the row of the organization."""
        from console.orgs.models import Organization

        return Organization.objects.get(slug=self.org)

    def user(self, role: str) -> User:
        """Return the member with *role*."""
        from console.orgs.models import User

        return User.objects.get(email=self.people[role])

    def actor(self, role: str) -> Actor:
        """Return the member with *role* as actor."""
        from console.orgs.permissions import Actor

        return Actor.from_user(self.organization(), self.user(role), role)

    def browser(self, role: str) -> Client:
        """Return a browser in which the member with *role* is signed in."""
        from django.test import Client

        client = Client()
        client.force_login(self.user(role))
        return client

    def program(self, role: str) -> Client:
        """Return an HTTP client with the token of *role*."""
        from django.test import Client

        return Client(headers={"authorization": f"Bearer {self.secrets[role]}"})

    def as_json(self) -> str:
        """Return it as text."""
        return json.dumps(asdict(self), indent=1)

    @classmethod
    def from_json(cls, text: str) -> World:
        """Return the world that `as_json` wrote."""
        fields = json.loads(text)
        for name, value in fields.items():
            if isinstance(value, list):
                fields[name] = tuple(value)
        return cls(**fields)
