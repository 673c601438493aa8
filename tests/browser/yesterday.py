"""
The organization of the pictures: a day of demo traffic, decided with a settable clock.

`python -m tests.browser.yesterday FILE` writes it to a new SQLite file: through the services and
the engine as over the API, sampled once a minute, so that charts show data. The file also has the
demo, as after a first start.
"""

from __future__ import annotations

import os
import sys
import tempfile
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from console.orgs.models import Organization
    from console.orgs.permissions import Actor
    from console.supervisor.simulated_clock import Clock

#: The owner of both organizations, with the email address of a first start.
OWNER, PASSWORD = "owner@localhost", "a long password for pictures"
SLUG = "lab"

_CONFIG = Path(__file__).parent / "lab.yaml"

#: Duration of the simulation, and interval of submissions and ends.
_DAY, _BEAT = timedelta(hours=26), timedelta(minutes=10)
_TEAMS = ("vision", "speech", "ranking", "robotics")


def play(now: datetime) -> None:
    """Create both organizations and simulate the day until *now*."""
    from console.orgs.models import Role
    from console.orgs.permissions import Actor
    from console.orgs.services.create_org import create_org
    from console.orgs.services.create_user import create_user
    from console.supervisor import demo
    from console.supervisor.simulated_clock import clock_at
    from tests.browser.yesterdays_people import (
        add_passwords,
        add_people,
        add_webhook,
    )

    owner = create_user(OWNER, PASSWORD)
    demo.create_example(owner, demo.PRIORITY_DEMO)
    with clock_at(now - _DAY) as clock:
        org = create_org(SLUG, "Research lab", owner)
        actor = Actor.from_user(org, owner, Role.OWNER)
        add_people(actor)
        _apply(actor, "Quota for the lab")
        add_webhook(actor)
        _work(actor, clock, now)
    add_passwords()


def _now() -> datetime:
    """Return the time of the settable clock."""
    from django.utils import timezone

    return timezone.now()


def _apply(actor: Actor, message: str, *changes: tuple[str, str]) -> None:
    """Apply the lab's config, or the active text with *changes*, which concern rules only."""
    from console.configs.services.apply_config import apply_config
    from console.policies.queries import active_number, active_version

    active = active_version(actor.org)
    text = active.text if active else _CONFIG.read_text("utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    apply_config(actor, "native", text, message, active_number(actor.org))


def _work(actor: Actor, clock: Clock, end: datetime) -> None:
    """Simulate the day in intervals, with the actions of its people."""
    from console.series.coverage import floor_minute
    from console.series.services.roll_up import roll_up_org
    from console.workloads.services.hold_queue import hold_queue, resume_queue
    from tests.browser.yesterdays_people import deliver, use_token

    org, draw = actor.org, Random(11)
    begin, number, beat = floor_minute(clock.now), 0, 0
    acts: dict[int, Any] = {
        60: lambda: _apply(actor, "Urgent research up to 120", ("max: 100", "max: 120")),
        84: lambda: hold_queue(actor, "ml_training", "Moving two racks"),
        89: lambda: resume_queue(actor, "ml_training", "The racks are back"),
        118: lambda: _apply(actor, "Unmarked work comes later", ("default: 50", "default: 40")),
    }
    while begin + beat * _BEAT < end:
        clock.now = begin + beat * _BEAT + timedelta(seconds=20)
        if beat in acts:
            acts[beat]()
        _end_some(actor, draw)
        if beat % 18 == 9:
            _give_up(actor)
        # More submissions by day than by night.
        hour = (clock.now.hour + clock.now.minute / 60 - 4) / 24
        count = draw.randrange(1, 3) + round(5 * max(0.0, 1 - abs(2 * hour - 1.1)))
        _submit(actor, draw, number, count)
        number += count
        for minute in range(10):
            clock.now = begin + beat * _BEAT + timedelta(minutes=minute, seconds=30)
            if minute in (2, 5):
                _release(actor)
            if clock.now < end:
                _sample(org)
        deliver(org)
        if beat % 6 == 5:
            roll_up_org(org.pk, clock.now)
        beat += 1
    clock.now = end
    use_token(org, end)
    roll_up_org(org.pk, end)
    _look(org, end)


def _submit(actor: Actor, draw: Random, number: int, count: int) -> None:
    from console.traffic.mix import workload
    from console.workloads.services.submit_workloads import submit_workloads
    from console.workloads.submissions import read_submissions

    bodies = [workload(draw, number + n, f"{draw.choice(_TEAMS)}-ci") for n in range(count)]
    submit_workloads(actor, read_submissions(bodies))
    _settle(actor.org)


def _end_some(actor: Actor, draw: Random) -> None:
    """Finish random running workloads."""
    from console.workloads.models import State
    from console.workloads.services.end_workloads import finish_workloads
    from tests.worlds.work import in_state

    running = in_state(actor.org, State.ADMITTED)
    ended = [uid for uid in running if draw.random() < 0.24]
    if ended:
        finish_workloads(actor, ended)
        _settle(actor.org)


def _give_up(actor: Actor) -> None:
    """Withdraw pending workloads that can never run, as their users would."""
    from console.workloads.models import State, Workload
    from console.workloads.services.end_workloads import withdraw_workloads

    hopeless = Workload.objects.filter(
        org=actor.org, state=State.PENDING, name__startswith="pretrain"
    )
    withdraw_workloads(actor, list(hopeless.values_list("uid", flat=True)))
    _settle(actor.org)


def _release(actor: Actor) -> None:
    """Release preempted workloads, as an executor does a little later."""
    from console.workloads.models import State
    from console.workloads.services.end_workloads import release_workloads
    from tests.worlds.work import in_state

    stopping = in_state(actor.org, State.PREEMPTING)
    if stopping:
        release_workloads(actor, stopping)
        _settle(actor.org)


def _settle(org: Organization) -> None:
    from console.workloads.lease import read_engine_row
    from console.workloads.services.run_engine import run_engine

    while read_engine_row(org.pk).has_work:
        run_engine(org.pk, seconds=60)


def _sample(org: Organization) -> None:
    from console.series.services.sample_org import sample_org
    from console.series.services.sample_orgs import sample_orgs

    now = _now()
    if org.pk in sample_orgs(now):
        sample_org(org.pk, now)


def _look(org: Organization, now: datetime) -> None:
    """Run the other periodic tasks once."""
    from console.orgs.services.seal_audit import seal_audit
    from console.overview.services.check_up import check_up
    from console.overview.services.count_attention import count_attention
    from console.overview.services.measure_consumers import measure_consumers

    for each in (check_up, measure_consumers, count_attention):
        each(org.pk, now)
    while seal_audit():
        pass


def main(database: Path) -> None:
    """Simulate the day in memory, and write the database to a file."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    os.environ.pop("TEST_DATABASE_URL", None)

    import logging

    import django

    django.setup()
    # Without this, every request and the missing broker would be logged.
    logging.disable(logging.CRITICAL)
    from django.core.management import call_command
    from django.db import connection
    from django.utils import timezone

    call_command("migrate", verbosity=0)
    play(timezone.now())
    with connection.cursor() as cursor, tempfile.TemporaryDirectory(dir=database.parent) as folder:
        complete = Path(folder) / database.name
        cursor.execute("VACUUM INTO %s", [str(complete)])
        complete.replace(database)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
