"""Expensive requests are handed on to a low-priority process, with the same answer."""

from __future__ import annotations

import ast
import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from django.urls import resolve

from console.expensive import CHEAP_TEXT, Kind, TooManyQuestions, take_place
from console.server.offload import UNANSWERED, Offload, is_offloaded
from tests.product import PATIENCE, ROOT, environment_of, web_command

#: The niceness of the test itself, to which that of low priority is added.
OWN = os.nice(0)

_API, _PAGES, _CLIENT = "/api/v1/orgs/here", "/o/here", "/api/v2/scheduler/config"
_LARGE = CHEAP_TEXT + 1

#: Requests that may take a place of `console.expensive`, by the file that takes it: method, path,
#: query and length.
_GATED: dict[str, list[tuple[str, str, str, int]]] = {
    "api/compat/configs.py": [("POST", f"{_CLIENT}/validate", "", _LARGE)],
    "api/compat/preview.py": [("POST", f"{_CLIENT}/preview", "", 5)],
    "api/yunikorn/config.py": [("POST", "/ws/v1/validate-conf", "", _LARGE)],
    "accounting/queries/accounts.py": [
        ("GET", f"{_API}/accounts", "by=user", 0),
        ("GET", f"{_PAGES}/usage", "range=30d&by=user", 0),
    ],
    "api/views/accounts.py": [("GET", f"{_API}/accounts", "by=user&as=csv", 0)],
    "api/views/audit.py": [("GET", f"{_API}/audit", "as=csv", 0)],
    "api/views/configs.py": [
        ("POST", f"{_API}/config/check", "", _LARGE),
        ("POST", f"{_API}/config/versions", "", _LARGE),
        ("GET", f"{_API}/config/versions/1/diff", "to=2", 0),
    ],
    "api/views/feeds.py": [("GET", f"{_API}/events", "type=A&as=ndjson", 0)],
    "api/views/impact.py": [("POST", f"{_API}/config/impact", "", 5)],
    "api/views/quota.py": [
        ("POST", f"{_API}/queues/ml%2Ftraining/quota", "", 5),
        ("POST", f"{_API}/cohorts/ml/quota", "", 5),
    ],
    "api/views/new_queue.py": [("POST", f"{_API}/config/queues", "", 5)],
    "pages/views/new_queue.py": [("POST", f"{_PAGES}/config/queues/new", "", 5)],
    "api/views/rule_moves.py": [("POST", f"{_API}/config/rules/move", "", 5)],
    "api/views/scheduled_changes.py": [
        ("POST", f"{_API}/config/scheduled", "", _LARGE),
        ("POST", f"{_API}/config/scheduled/4/carry-out", "", 0),
    ],
    "pages/views/scheduled_changes.py": [
        ("GET", f"{_PAGES}/config/scheduled/4", "", 0),
        ("POST", f"{_PAGES}/config/scheduled/4", "", 5),
    ],
    "pages/views/rule_moves.py": [("POST", f"{_PAGES}/config/rules/move", "", 5)],
    "api/views/routing.py": [
        ("POST", f"{_API}/config/route", "", 5),
        ("POST", f"{_API}/config/expectations/check", "", 5),
    ],
    "api/views/workloads.py": [("GET", f"{_API}/workloads", "as=csv&state=pending", 0)],
    "pages/exports.py": [("GET", f"{_PAGES}/events", "as=csv", 0)],
    "pages/views/assist_calls.py": [("POST", f"{_PAGES}/config/edit/hits", "", _LARGE)],
    "pages/views/comparisons.py": [
        ("GET", f"{_PAGES}/config/compare/1...2", "", 0),
        ("GET", f"{_PAGES}/config/compare", "draft=1", 0),
    ],
    "pages/views/configs.py": [
        ("GET", f"{_PAGES}/config", "", 0),
        ("GET", f"{_PAGES}/config/v/3", "", 0),
    ],
    "pages/views/conflicts.py": [("POST", f"{_PAGES}/config/conflict", "draft=1", 5)],
    "pages/views/draft_calls.py": [("POST", f"{_PAGES}/config/edit/check", "", _LARGE)],
    "pages/views/drafts.py": [("POST", f"{_PAGES}/config/drafts/4", "", 5)],
    "pages/views/impact.py": [
        ("POST", f"{_PAGES}/config/impact", "", 5),
        ("POST", f"{_PAGES}/config/impact/again", "", 5),
    ],
    "pages/views/quota.py": [
        ("POST", f"{_PAGES}/queues/training/quota", "", 5),
        ("POST", f"{_PAGES}/cohorts/ml/quota", "", 5),
    ],
    "api/views/reviews.py": [("POST", f"{_API}/config/reviews", "", _LARGE)],
    "pages/views/review_requests.py": [("GET", f"{_PAGES}/config/reviews/7", "", 0)],
    "pages/views/reviews.py": [
        ("GET", f"{_PAGES}/config/review", "draft=1", 0),
        ("POST", f"{_PAGES}/config/review/fix", "", 5),
    ],
    "pages/views/placements.py": [("GET", f"{_PAGES}/tools/placements", "", 0)],
    "pages/views/route_batches.py": [("POST", f"{_PAGES}/tools/route/many", "", 5)],
    "workloads/services/search_changes.py": [
        ("GET", f"{_API}/workloads/5b/explanation", "", 0),
        ("GET", f"{_PAGES}/workloads/5b/changes", "", 0),
    ],
}

_CHEAP = (
    ("GET", f"{_API}/workloads/5b/explanation", "as=markdown", 0),
    ("GET", f"{_API}/workloads", "state=pending", 0),
    ("GET", f"{_PAGES}/workloads/5b", "", 0),
    ("GET", f"{_PAGES}/queues", "", 0),
    ("GET", f"{_PAGES}/usage", "range=30d", 0),
    ("POST", f"{_API}/workloads", "", 500),
    ("PUT", f"{_API}/capacity/clusters/east", "", CHEAP_TEXT),
    ("POST", f"{_API}/capacity/clusters/east/heartbeat", "", 0),
    ("POST", f"{_API}/config/check", "", CHEAP_TEXT),
    ("POST", "/login", "", _LARGE),
    ("GET", "/healthz", "", 0),
    # This text is refused because of its length alone.
    ("POST", f"{_API}/config/check", "", 9_000_000),
)


#: Requests without a place that take long: whole clusters, with thousands of nodes,
#: and the pods of thousands of workloads.
_LONG = (
    ("PUT", f"{_API}/capacity/clusters/east", "", _LARGE),
    ("GET", f"{_API}/capacity", "", 0),
    ("GET", "/ws/v1/partition/default/nodes", "", 0),
    ("GET", "/ws/v1/partition/default/usage/user/ann", "", 0),
)


def _environ(method: str, path: str, query: str, length: int) -> dict[str, Any]:
    return {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "CONTENT_LENGTH": str(length) if length else "",
    }


def test_every_request_that_may_take_long_is_handed_on() -> None:
    console = ROOT / "console"
    files = set()
    for path in console.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            called = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
            if called in ("expensive", "take_place"):
                files.add(str(path.relative_to(console)))
    assert files - {"expensive.py"} == set(_GATED)
    every = [*_LONG, *(each for asked in _GATED.values() for each in asked)]
    # Each path exists in the console.
    assert not {None, "no-such-address"} & {resolve(path).url_name for _, path, _, _ in every}
    assert [each for each in every if not is_offloaded(_environ(*each))] == []


@pytest.mark.parametrize("asked", _CHEAP, ids=lambda asked: f"{asked[1]} {asked[3]}")
def test_other_requests_are_not_handed_on(asked: tuple[str, str, str, int]) -> None:
    assert not is_offloaded(_environ(*asked))


#: Program that returns the environ of a request; it never answers /o/x/config/compare/wait.
_PROGRAM = """
import hashlib, json, os
from console.settings import *
def application(environ, start_response):
    if environ["PATH_INFO"].endswith("/compare/wait"):
        import pathlib, time
        pathlib.Path(__file__).with_name("waiting").touch()
        time.sleep(300)
    names = ("REQUEST_METHOD", "PATH_INFO", "QUERY_STRING", "CONTENT_TYPE", "CONTENT_LENGTH",
        "REMOTE_ADDR", "SERVER_PORT", "wsgi.url_scheme", "HTTP_HOST", "HTTP_X_ONE",
        "HTTP_SLUICE_CONNECTION", "HTTP_X_FORWARDED_FOR")
    body = environ["wsgi.input"].read()
    seen = {name: environ.get(name) for name in names}
    seen |= {"body": hashlib.sha256(body).hexdigest(), "nice": os.nice(0), "pid": os.getpid()}
    text = json.dumps(seen).encode()
    if environ["QUERY_STRING"] == "as=csv":
        # Of unknown length, in blocks.
        start_response("200 OK", [("Content-Type", "text/csv")])
        return (b"x" * 50000 for _ in range(40))
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(text)))]
    start_response("207 Multi-Status", [*headers, ("X-Two", "a"), ("X-Two", "b")])
    return [text]
"""


@contextmanager
def _serving(folder: Path, **settings: str) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """Run web processes with the program; yield their port and the main process."""
    (folder / "program.py").write_text(_PROGRAM)
    path = os.pathsep.join([str(folder), str(ROOT)])
    with socket.create_server(("127.0.0.1", 0)) as listener:
        process = subprocess.Popen(
            web_command(listener.fileno(), application="program:application"),
            cwd=ROOT,
            env=environment_of(folder, SECRET_KEY="of a test", PYTHONPATH=path, **settings),
            pass_fds=[listener.fileno()],
            stderr=subprocess.DEVNULL,
        )
        try:
            yield listener.getsockname()[1], process
        finally:
            process.terminate()
            assert process.wait(PATIENCE) == 0


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of two web processes and a low-priority one."""
    with _serving(tmp_path_factory.mktemp("o"), WEB_PROCESSES="2") as (port, _):
        yield port


def _ask(
    port: int, method: str, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, list[tuple[str, str]], bytes]:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request(method, path, body, {k.replace("_", "-"): v for k, v in headers.items()})
        answer = connection.getresponse()
        return answer.status, answer.getheaders(), answer.read()
    finally:
        connection.close()


def _seen(port: int, *asked: Any, **headers: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_ask(port, *asked, **headers)[2])
    return found


def test_handed_on_request_has_the_same_environ(port: int) -> None:
    body = os.urandom(300_000)
    headers = {
        "Content_Type": "application/octet-stream",
        "X_One": "k\u00f6ln",
        "Sluice_Connection": "{}",
        "X_Forwarded_For": "192.0.2.7",
        "X_Forwarded_Proto": "https",
    }
    cheap = _seen(port, "POST", "/other/%C3%A9%2F?a=%26", body, **headers)
    handed_on = _seen(port, "POST", "/o/%C3%A9%2F/config?a=%26", body, **headers)
    assert (cheap.pop("nice"), handed_on.pop("nice")) == (OWN, OWN + 10)
    assert cheap.pop("pid") != handed_on.pop("pid")
    assert handed_on.pop("PATH_INFO").startswith("/o/")
    assert cheap.pop("PATH_INFO").startswith("/other/")
    # A header of that name from the client stays with the process that does not hand the request
    # on.
    assert (cheap.pop("HTTP_SLUICE_CONNECTION"), handed_on.pop("HTTP_SLUICE_CONNECTION")) == (
        "{}",
        None,
    )
    assert handed_on == cheap
    assert (cheap["REMOTE_ADDR"], cheap["wsgi.url_scheme"]) == ("127.0.0.1", "https")


def test_handed_on_response_is_unchanged(port: int) -> None:
    status, headers, body = _ask(port, "GET", "/o/here/config")
    length = str(len(body))
    assert status == 207
    kept = [each for each in headers if each[0].lower() != "date"]
    assert kept == [
        ("Content-Length", length),
        ("Content-Type", "application/json"),
        ("X-Two", "a"),
        ("X-Two", "b"),
    ]
    status, headers, nothing = _ask(port, "HEAD", "/o/here/config")
    # The program returns the method, which is one letter longer.
    assert (status, dict(headers)["Content-Length"], nothing) == (207, str(int(length) + 1), b"")
    assert _ask(port, "GET", "/o/here/events?as=csv")[2] == b"x" * 2_000_000


def test_ended_low_priority_process_is_replaced(tmp_path: Path) -> None:
    with _serving(tmp_path, WEB_PROCESSES="1") as (port, _):
        before = _seen(port, "GET", "/o/here/config")
        answers: list[tuple[int, bytes]] = []

        def wait() -> None:
            status, _, body = _ask(port, "GET", "/o/here/config/compare/wait")
            answers.append((status, body))

        thread = threading.Thread(target=wait)
        thread.start()
        _wait_until((tmp_path / "waiting").exists)
        os.kill(before["pid"], signal.SIGKILL)
        thread.join(PATIENCE)
        assert answers == [(502, UNANSWERED)]
        after = _seen(port, "GET", "/o/here/config")
        assert (before["nice"], after["nice"]) == (OWN + 10, OWN + 10)
        assert before["pid"] != after["pid"]


def test_replaced_processes_receive_requests(tmp_path: Path) -> None:
    with _serving(tmp_path, WEB_PROCESSES="1") as (port, process):
        before = _seen(port, "GET", "/o/here/config")["pid"]
        process.send_signal(signal.SIGHUP)
        _wait_until(lambda: _seen(port, "GET", "/o/here/config")["pid"] != before)
        assert _seen(port, "GET", "/o/here/config")["nice"] == OWN + 10
        assert _seen(port, "GET", "/other")["nice"] == OWN


def test_request_is_not_handed_on_without_low_priority_processes(tmp_path: Path) -> None:
    with _serving(tmp_path, WEB_PROCESSES="1", OFFLOAD_PROCESSES="0") as (port, _):
        assert _seen(port, "GET", "/o/here/config")["nice"] == OWN


def test_request_is_answered_locally_when_handing_on_fails(tmp_path: Path) -> None:
    offload = Offload(lambda environ, start_response: [b"here"], str(tmp_path / "absent"))
    for _ in range(5):
        assert offload(_environ("GET", "/o/here/config", "", 0), None) == [b"here"]


def test_a_process_keeps_a_thread_for_cheap_requests(tmp_path: Path) -> None:
    def application(environ: Any, start_response: Any) -> list[bytes]:
        with pytest.raises(TooManyQuestions) as refused:
            take_place(Kind.COMPARE, 1, "user:1")
        return [str(refused.value).encode()]

    with socket.socket(socket.AF_UNIX) as listener:
        path = os.path.relpath(tmp_path / "s")
        listener.bind(path)
        listener.listen()
        offload = Offload(application, path)
        asked = [
            threading.Thread(
                target=offload,
                args=(_environ("GET", "/o/here/config", "", 0), lambda *_: None),
                daemon=True,
            )
            for _ in range(2)
        ]
        for each in asked:
            each.start()
        taken = [listener.accept()[0] for _ in asked]
        (text,) = offload(_environ("GET", "/o/here/config", "", 0), None)
        assert b"reached its limit of such expensive requests" in text
        for each in taken:
            each.close()
        for thread in asked:
            thread.join(PATIENCE)
        assert not any(thread.is_alive() for thread in asked)


def _wait_until(is_so: Any) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)
