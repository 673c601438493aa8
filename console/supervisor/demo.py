"""The demo: two organizations with example configs, people, a simulated week, and traffic."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from console.configs.services.apply_config import apply_config
from console.dialects import dialects
from console.orgs.models import Organization, Role, User
from console.orgs.permissions import Actor
from console.orgs.services.add_member import add_member
from console.orgs.services.create_org import create_org
from console.orgs.services.create_user import create_user
from console.policies.queries import active_number
from console.supervisor.demo_week import Cast, Week, begin_of_week
from console.supervisor.simulated_clock import clock_at
from console.workloads.services.hold_queue import hold_queue, resume_queue


@dataclass(frozen=True, slots=True)
class Revision:
    """A version of the config that was applied during the simulated week."""

    #: Time since the beginning of the week.
    after: timedelta
    message: str
    #: Parts of its text, and what the previous version has instead; each occurs once.
    previous: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Hold:
    """A hold of a queue during the simulated week."""

    queue: str
    #: Times since the beginning of the week.
    after: timedelta
    until: timedelta
    reason: str


@dataclass(frozen=True, slots=True)
class Demo:
    """A demo organization: its names, the sample of which its config is made, and its traffic."""

    slug: str
    name: str
    dialect: str
    sample: str
    #: The kinds of workloads of its traffic.
    mix: str
    #: Mean number of workloads per hour by day in the simulated week.
    hourly: float
    #: The versions after version 1, in order, and the holds of the simulated week.
    revisions: tuple[Revision, ...]
    holds: tuple[Hold, ...]
    #: A part of the sample, and what replaces it.
    replaced: tuple[str, str] = ("", "")

    @property
    def text(self) -> str:
        """The text of the active config."""
        return dialects()[self.dialect].samples()[self.sample].replace(*self.replaced)

    def texts(self) -> list[str]:
        """Return the texts of all versions, the first one first."""
        texts = [self.text]
        for revision in reversed(self.revisions):
            text = texts[0]
            for new, old in revision.previous:
                text = text.replace(new, old)
            texts.insert(0, text)
        return texts


#: Quota that a team shares by priority.
PRIORITY_DEMO: Final = Demo(
    slug="demo",
    name="Demo",
    dialect="native",
    sample="Share research GPUs by priority",
    mix="priority",
    hourly=5.5,
    revisions=(
        Revision(
            after=timedelta(days=2, hours=3),
            message="Allow priorities up to 100 for research",
            previous=(("max: 100", "max: 80"), ("above 100", "above 80")),
        ),
        Revision(
            after=timedelta(days=5, hours=2),
            message="Run research workloads without a priority at 50",
            previous=(("default: 50", "default: 30"),),
        ),
    ),
    holds=(
        Hold(
            queue="ml_training",
            after=timedelta(days=3, hours=6),
            until=timedelta(days=3, hours=8),
            reason="Network maintenance in two racks",
        ),
    ),
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
    hourly=3.5,
    revisions=(
        Revision(
            after=timedelta(days=2, hours=4),
            message="Four more GPUs for vision",
            previous=(
                ("{ name: cpu, nominalQuota: 192 }", "{ name: cpu, nominalQuota: 144 }"),
                (
                    "{ name: memory, nominalQuota: 1536Gi }",
                    "{ name: memory, nominalQuota: 1152Gi }",
                ),
                ("nominalQuota: 16, borrowingLimit: 8", "nominalQuota: 12, borrowingLimit: 8"),
            ),
        ),
        Revision(
            after=timedelta(days=5, hours=1),
            message="Keep four GPUs of vision that are never lent",
            previous=(
                (", lendingLimit: 12", ""),
                (", and 4 of its own are never lent.", "."),
            ),
        ),
    ),
    holds=(
        Hold(
            queue="speech",
            after=timedelta(days=4, hours=5),
            until=timedelta(days=4, hours=6),
            reason="Upgrade of the storage",
        ),
    ),
)
DEMOS: Final = (PRIORITY_DEMO, COHORT_DEMO)

#: The member that runs workloads in the simulated week.
OPERATOR: Final = "operator@localhost"

#: E-mail addresses of the members besides the owner, and their roles.
PEOPLE: Final = {
    "researcher@localhost": Role.SUBMITTER,
    "engineer@localhost": Role.SUBMITTER,
    OPERATOR: Role.OPERATOR,
}
#: The users of the traffic, and the weights of their submissions in the simulated week.
USERS: Final = {"researcher@localhost": 2, "engineer@localhost": 1}


def create(owner: User, now: datetime, say: Callable[[str], object]) -> None:
    """
    Create the demo organizations, each with three more members and the simulated week until *now*.

    These members have no password, so they cannot sign in. *say* is called with the progress. Only
    for a process without other threads, because the week is simulated with another clock.
    """
    people = {create_user(email, None): role for email, role in PEOPLE.items()}
    for demo in DEMOS:
        create_with_history(owner, people, demo, now, say)


def create_with_history(
    owner: User,
    people: Mapping[User, Role],
    demo: Demo,
    now: datetime,
    say: Callable[[str], object],
) -> Organization:
    """Create one demo organization with the members *people*, as `create` does."""
    with clock_at(begin_of_week(now)) as clock:
        org = create_example(owner, demo, demo.texts()[0])
        actors = {}
        for user, role in people.items():
            add_member(org, user, role)
            actors[user.email] = Actor.from_user(org, user, role)
        submitters = {actors[user]: weight for user, weight in USERS.items()}
        cast = Cast(actors[OPERATOR], submitters)
        week = Week(org, clock, cast, demo.mix, demo.hourly)
        acts = dict(_acts(demo, Actor.from_user(org, owner, Role.OWNER), cast, clock.now))
        week.run(now, acts, partial(_say_day, say, demo, clock.now))
    org.simulated_until = now
    org.save(update_fields=["simulated_until"])
    return org


def _acts(
    demo: Demo, owner: Actor, cast: Cast, begin: datetime
) -> Iterator[tuple[datetime, Callable[[], object]]]:
    """Yield the times of changes and holds of the week, and what happens then."""
    for revision, text in zip(demo.revisions, demo.texts()[1:], strict=True):
        yield begin + revision.after, partial(_apply, owner, demo, text, revision.message)
    for hold in demo.holds:
        yield begin + hold.after, partial(hold_queue, cast.operator, hold.queue, hold.reason)
        yield begin + hold.until, partial(resume_queue, cast.operator, hold.queue)


def _say_day(say: Callable[[str], object], demo: Demo, begin: datetime, now: datetime) -> None:
    say(f"Simulating a week of {demo.name}: day {(now - begin).days + 1}")


def create_example(owner: User, demo: Demo, text: str = "") -> Organization:
    """Create a demo organization with *text*, by default its active text, as version 1."""
    org = create_org(demo.slug, demo.name, owner)
    _apply(Actor.from_user(org, owner, Role.OWNER), demo, text or demo.text, demo.sample)
    return org


def _apply(owner: Actor, demo: Demo, text: str, message: str) -> None:
    apply_config(owner, demo.dialect, text, message, active_number(owner.org))


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
