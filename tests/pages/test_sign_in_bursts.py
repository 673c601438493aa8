"""Concurrent sign-in attempts: a burst gets no more attempts than sequential requests."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from django.core.cache import cache
from django.test import Client, RequestFactory

from console.orgs.permissions import Actor
from console.pages import throttle
from console.pages.views import sessions
from tests.brokers import serving_broker
from tests.conftest import PASSWORD
from tests.product import ROOT, environment_of

BURST = 60


@pytest.fixture(autouse=True)
def clear_attempts() -> None:
    """Clear the failed attempts of other tests."""
    cache.clear()


def test_a_burst_gets_the_free_attempts_judged_and_no_more(
    owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each request arrives while the password of the previous one is still being checked."""
    monkeypatch.setattr(throttle.time, "time", lambda: 1000.0)
    judged: list[str] = []
    answers: Counter[int] = Counter()
    sent = 0

    def sign_in() -> None:
        nonlocal sent
        if sent < BURST:
            sent += 1
            answer = Client().post("/login", {"email": owner.name, "password": "wrong"})
            answers[answer.status_code] += 1

    def authenticate(request, username: str, password: str) -> None:
        judged.append(username)
        sign_in()

    monkeypatch.setattr(sessions, "authenticate", authenticate)
    while sent < BURST:
        sign_in()
    assert len(judged) == throttle.FREE_TRIES
    assert answers == {422: throttle.FREE_TRIES, 429: BURST - throttle.FREE_TRIES}


#: Each process makes attempts from many threads at once, with a stopped clock.
_ASK = f"""
import django
django.setup()
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from django.test import RequestFactory
from console.pages import throttle
throttle.time.time = lambda: 1000.0
start = Barrier({BURST // 3})
def ask(number):
    request = RequestFactory().post("/login")
    start.wait()
    return throttle.admit_password(request, "person@here.example")
with ThreadPoolExecutor({BURST // 3}) as threads:
    print(*threads.map(ask, range({BURST // 3})))
"""


def test_processes_count_together(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> None:
    with serving_broker(tmp_path_factory.mktemp("b")) as url:
        environment = environment_of(
            tmp_path, REDIS_URL=url, DJANGO_SETTINGS_MODULE="console.settings"
        )
        processes = [
            subprocess.Popen(
                [sys.executable, "-c", _ASK],
                cwd=ROOT,
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
            )
            for _ in range(3)
        ]
        answers = " ".join(each.communicate(timeout=120)[0] for each in processes).split()
    assert [each.returncode for each in processes] == [0, 0, 0]
    assert Counter(answers) == {"0": throttle.FREE_TRIES, "4": BURST - throttle.FREE_TRIES}


def test_right_passwords_behind_one_address_are_not_counted(
    owner: Actor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttle.time, "time", lambda: 1000.0)
    monkeypatch.setattr(throttle, "FREE_TRIES_OF_ADDRESS", 4)

    def sign_in(password: str) -> int:
        return Client().post("/login", {"email": owner.name, "password": password}).status_code

    assert [sign_in(PASSWORD) for _ in range(6)] == [302] * 6
    # Wrong passwords keep counting, regardless of right ones in between.
    wanted = [422, 302, 422, 302, 422, 302, 422, 429]
    assert [sign_in("wrong" if status == 422 else PASSWORD) for status in wanted] == wanted


def test_waits_double_up_to_the_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(throttle.time, "time", lambda: now)
    request = RequestFactory().post("/login")
    for _ in range(throttle.FREE_TRIES):
        assert throttle.admit_password(request, "person@here.example") == 0
    waits = []
    for _ in range(9):
        waits.append(throttle.admit_password(request, "person@here.example"))
        now += waits[-1]
        assert throttle.admit_password(request, "person@here.example") == 0
    assert waits == [4, 8, 16, 32, 64, 128, 256, 300, 300]


def test_typing_a_weak_new_password_is_no_guess(
    owner: Actor, browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttle.time, "time", lambda: 1000.0)
    data = {"old_password": PASSWORD, "new_password1": "1", "new_password2": "1"}
    found = [browser.post("/password", data).status_code for _ in range(9)]
    assert found == [422] * 9
