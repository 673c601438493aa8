"""The command `traffic`: submits synthetic workloads over HTTP and acts as their executor."""

from __future__ import annotations

import signal
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError
from django.utils import timezone

from console.database_command import DatabaseCommand
from console.orgs.models import Organization, Role
from console.orgs.services.issue_token import issue_token
from console.orgs.services.revoke_token import revoke_secret
from console.supervisor.listener import url_of
from console.traffic.client import Client, Refused, Unavailable
from console.traffic.executor import Executor
from console.traffic.mix import MIXES

#: Seconds between two steps; a high rate is sent in larger batches.
_TICK = 0.25


class Command(DatabaseCommand):
    """Send synthetic workloads."""

    help = (
        "Submit synthetic workloads over the HTTP API, simulate their runs, and report them "
        "finished."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options for organization, rate and duration."""
        parser.add_argument("--org", required=True, help="slug of the organization")
        parser.add_argument(
            "--rate", type=_positive, required=True, help="workloads per second, on average"
        )
        parser.add_argument(
            "--seconds", type=_not_negative, required=True, help="duration; 0 until stopped"
        )
        parser.add_argument("--url", default=url_of(settings.HOST, settings.PORT))
        parser.add_argument(
            "--token", help="API token of an operator (default: a token created for this run)"
        )
        parser.add_argument(
            "--user",
            action="append",
            help="user of the workloads, can be repeated (default: traffic); a run continues with "
            "the workloads of an earlier one",
        )
        parser.add_argument(
            "--mix",
            choices=MIXES,
            default="priority",
            help="kinds of workloads: for quota shared by priority, or for a cohort of two teams",
        )
        parser.add_argument(
            "--burst",
            type=_count,
            default=0,
            help="workloads to submit at the start, unless an earlier run left some (default: 0)",
        )
        parser.add_argument("--seed", type=int, default=1, help="seed of the random workloads")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until the end of the duration or until stopped, and print a summary."""
        org, seconds = options["org"], options["seconds"]
        with _token(org, options["token"], seconds) as token:
            client = Client(options["url"], org, token)
            users = options["user"] or ["traffic"]
            executor = Executor(
                client, users, options["rate"], options["seed"], self._say, options["mix"]
            )
            begun = time.monotonic()
            try:
                _run(executor, begun, seconds, options["burst"])
            except Refused as refusal:
                raise CommandError(f"The API returned an error: {refusal}") from refusal
            finally:
                took = time.monotonic() - begun
                counts = ", ".join(f"{n} {what}" for what, n in sorted(executor.counts.items()))
                self.stdout.write(f"{counts or 'nothing'} in {took:.1f} s")

    def _say(self, sentence: str) -> None:
        self.stderr.write(sentence)


def _run(executor: Executor, begun: float, seconds: float, burst: int) -> None:
    """Run to the end and finish the remaining workloads; if stopped, leave them to a later run."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        _adopt(executor, burst)
        while not seconds or time.monotonic() - begun < seconds:
            executor.step(time.monotonic(), submitting=True)
            time.sleep(_TICK)
        executor.wind_down(time.monotonic())
    except KeyboardInterrupt:
        return
    except Unavailable:
        return


def _adopt(executor: Executor, burst: int) -> None:
    while True:
        try:
            return executor.restore(time.monotonic(), burst)
        except Unavailable:
            time.sleep(1)


@contextmanager
def _token(slug: str, given: str | None, seconds: float) -> Iterator[str]:
    """Yield the given token, or a new one of an operator that is revoked after this run."""
    if given:
        yield given
        return
    org = Organization.objects.filter(slug=slug).first()
    if org is None:
        raise CommandError(f"There is no organization {slug!r}; create it with create_org.")
    expires = timezone.now() + timedelta(seconds=seconds, hours=1) if seconds else None
    secret = issue_token(org, Role.OPERATOR, "traffic", expires_at=expires)
    try:
        yield secret
    finally:
        revoke_secret(secret)


def _count(text: str) -> int:
    value = int(text)
    if not 0 <= value <= 1000:
        raise ArgumentTypeError("must be from 0 to 1000")
    return value


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value <= 10_000:
        raise ArgumentTypeError("must be more than 0 and at most 10000")
    return value


def _not_negative(text: str) -> float:
    value = float(text)
    if not 0 <= value < float("inf"):
        raise ArgumentTypeError("must be 0 or more")
    return value
