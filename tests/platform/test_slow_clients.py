"""Slow clients of the web server: they hold no thread, and their connections are limited."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.prepared import fill
from tests.product import PATIENCE, ROOT, environment_of, submitter_tokens, web_command

KEY = "for this test alone"

#: Slow connections of each kind; there are only six threads, in two processes.
SLOW = 200

#: Program that answers 40 MB, more than sockets and buffers hold, with deadlines that are short
#: enough for a test.
_PROGRAM = """
import sys
import console.server.connections as connections
connections.HEAD_SECONDS, connections.BODY_SECONDS, connections.BODY_RATE = 1, 1, 10**9
connections.READER_SECONDS = 1
from console.wsgi import application as console
def application(environ, start_response):
    if environ["PATH_INFO"] not in ("/large", "/seen"):
        return console(environ, start_response)
    start_response("200 OK", [("Content-Type", "text/plain")])
    if environ["PATH_INFO"] == "/seen":
        names = ("wsgi.url_scheme", "REMOTE_ADDR", "HTTP_X_FORWARDED_FOR", "wsgi.multiprocess")
        return [" ".join(str(environ[name]) for name in names).encode()]
    return (b"x" * 65536 for _ in range(640))
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder with a database and static files."""
    folder = tmp_path_factory.mktemp("slow")
    fill(folder, with_database=True)
    return folder


@pytest.fixture(scope="module")
def token(home: Path) -> str:
    """A token of a submitter."""
    return submitter_tokens(home, "main", SECRET_KEY=KEY)["main"]


@contextmanager
def serving(
    home: Path, module: str = "console.wsgi", *more: socket.socket, **settings: str
) -> Iterator[int]:
    """Run two web processes with three threads each; yield their port, one of their sockets."""
    environment = environment_of(
        home,
        SECRET_KEY=KEY,
        WEB_PROCESSES="2",
        PYTHONPATH=os.pathsep.join([str(home), str(ROOT)]),
        **settings,
    )
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listener:
        descriptors = [each.fileno() for each in (listener, *more)]
        process = subprocess.Popen(
            web_command(*descriptors, application=f"{module}:application", grace=3),
            cwd=ROOT,
            env=environment,
            pass_fds=descriptors,
            stderr=subprocess.DEVNULL,
        )
        try:
            port: int = listener.getsockname()[1]
            answers(port, "/healthz")
            yield port
        finally:
            process.terminate()
            process.wait(PATIENCE)


@pytest.fixture(scope="module")
def port(home: Path) -> Iterator[int]:
    """The port of a server with the shipped settings, except for the connections per address."""
    with serving(home, CONNECTIONS_PER_ADDRESS="0") as port:
        yield port


@pytest.fixture(scope="module")
def socket_path() -> Iterator[Path]:
    """The path of a unix socket; the temporary folder of a test has a path that is too long."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name) / "s"


@pytest.fixture(scope="module")
def impatient(home: Path, socket_path: Path) -> Iterator[int]:
    """The port of a server with deadlines of one second and a large answer, also at a socket."""
    (home / "impatient.py").write_text(_PROGRAM)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(socket_path))
        listener.listen()
        with serving(home, "impatient", listener) as port:
            yield port


#: Addresses of clients of `limited`.
PROXY, DIRECT = "127.0.0.1", "127.0.0.2"


@pytest.fixture(scope="module")
def limited(home: Path) -> Iterator[int]:
    """The port of a server with a limit of 16 connections per address, except for PROXY."""
    with serving(home, CONNECTIONS_PER_ADDRESS="16", TRUSTED_PROXIES=PROXY) as port:
        yield port


def answers(port: int, path: str, source: str = "127.0.0.1") -> bytes:
    """Request a page from the address *source* and return its body."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE, source_address=(source, 0))
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert answer.status == 200, answer.status
    return body


def hold(
    stack: ExitStack, port: int, sent: bytes, count: int = SLOW, source: str = "127.0.0.1"
) -> list[socket.socket]:
    """Open *count* connections from *source* that send *sent* and then neither send nor read."""
    held = []
    for _ in range(count):
        client = stack.enter_context(
            socket.create_connection(("127.0.0.1", port), PATIENCE, (source, 0))
        )
        client.sendall(sent)
        held.append(client)
    return held


def closes(client: socket.socket) -> bytes:
    """Return the data until the server closes the connection; fail when it does not."""
    found = bytearray()
    try:
        while data := client.recv(65536):
            found += data
    except ConnectionResetError:
        return bytes(found)
    return bytes(found)


HEAD = b"GET /login HTTP/1.1\r\nHost: localhost\r\nX-Never: ends"


def body_that_never_comes(port: int) -> bytes:
    """Return the head of a sign-in request with a valid CSRF token, without its body."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", "/login")
    answer = connection.getresponse()
    cookie = re.search(r"sluice_csrf=[^;]+", answer.getheader("Set-Cookie", ""))
    answer.read()
    connection.close()
    assert cookie is not None
    return (
        "POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
        f"Content-Type: application/x-www-form-urlencoded\r\nCookie: {cookie[0]}\r\n\r\nemail="
    ).encode()


LARGE = b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"
STATIC = b"GET /static/django_ace/ace/ace.js HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.mark.parametrize(
    "sent",
    [lambda port: HEAD, body_that_never_comes, lambda port: b"", lambda port: STATIC],
    ids=["head", "body", "nothing", "reader"],
)
def test_two_hundred_slow_connections_leave_pages_alone(
    port: int, sent: Callable[[int], bytes]
) -> None:
    with ExitStack() as stack:
        held = hold(stack, port, sent(port))
        for _ in range(20):
            assert answers(port, "/healthz")
            assert b"Sign in" in answers(port, "/login")
        assert len(held) == SLOW


def test_large_answers_that_are_read_slowly_hold_no_thread_for_long(impatient: int) -> None:
    with ExitStack() as stack:
        held = hold(stack, impatient, LARGE, 12)
        for _ in range(5):
            assert answers(impatient, "/healthz")
        # The connections that held the threads were closed; otherwise the page could not have been
        # answered.
        cut = [client for client in held if len(closes(client)) < 40 * 1024 * 1024]
        assert len(cut) >= 4


@pytest.mark.parametrize("kind", ["head", "body", "nothing"])
def test_missing_data_is_awaited_until_its_deadline(impatient: int, kind: str) -> None:
    sent = {"head": HEAD, "body": body_that_never_comes(impatient), "nothing": b""}[kind]
    with ExitStack() as stack:
        for client in hold(stack, impatient, sent, 5):
            assert closes(client) == b""


def test_longest_waiting_connection_is_closed_for_a_new_one_of_its_address(limited: int) -> None:
    with ExitStack() as stack:
        # Each process keeps eight connections, so at least the others are closed.
        held = hold(stack, limited, HEAD, 40, DIRECT)
        assert answers(limited, "/healthz", DIRECT)
        deadline = time.monotonic() + PATIENCE
        open_ones = held
        while len(open_ones) > 16:
            assert time.monotonic() < deadline
            open_ones = [each for each in held if is_open(each)]
        assert held[-1] in open_ones
        # A connection that continues is answered as usual.
        held[-1].sendall(b"\r\n\r\n")
        assert held[-1].recv(12) == b"HTTP/1.1 200"


def test_trusted_proxy_has_no_connection_limit(limited: int) -> None:
    with ExitStack() as stack:
        held = hold(stack, limited, HEAD, 40, PROXY)
        assert answers(limited, "/healthz", PROXY)
        assert all(map(is_open, held))


def is_open(client: socket.socket) -> bool:
    """Return whether the server has not closed a connection."""
    client.setblocking(False)
    try:
        return client.recv(1, socket.MSG_PEEK) != b""
    except BlockingIOError:
        return True
    except ConnectionResetError:
        return False
    finally:
        client.settimeout(PATIENCE)


@pytest.mark.parametrize("form", ["length", "chunks"])
def test_a_body_that_is_too_large_is_refused_in_the_form_of_the_api(
    token: str, port: int, form: str
) -> None:
    head = (
        "POST /api/v1/orgs/main/workloads HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
    ).encode()
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as client:
        if form == "length":
            client.sendall(head + b"Content-Length: 9000000\r\nExpect: 100-continue\r\n\r\n")
        else:
            chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
            client.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 127)
            # The last chunk within the limit, and one byte more.
            client.sendall(b"10001\r\n" + b"x" * 65537 + b"\r\n")
        answer = closes(client)
    assert answer.startswith(b"HTTP/1.1 413 ")
    body = json.loads(answer.partition(b"\r\n\r\n")[2])
    assert (body["status"], body["code"]) == (413, "payload_too_large")


def test_connections_persist_and_head_responses_have_no_body(port: int) -> None:
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    lengths = {}
    for method in ("GET", "HEAD", "GET"):
        connection.request(method, "/login")
        answer = connection.getresponse()
        assert (answer.status, answer.getheader("Connection")) == (200, None)
        lengths[method] = int(answer.getheader("Content-Length", "0"))
        assert len(answer.read()) == (0 if method == "HEAD" else lengths["GET"])
    assert lengths["HEAD"] == lengths["GET"] > 0
    connection.close()


def test_local_proxy_may_report_the_scheme(impatient: int) -> None:
    connection = HTTPConnection("127.0.0.1", impatient, timeout=PATIENCE)
    found = []
    for headers in ({"X-Forwarded-Proto": "https"}, {"X-Forwarded-Proto": "http"}, {}):
        connection.request("GET", "/seen", headers={**headers, "X-Forwarded-For": "192.0.2.7"})
        found.append(connection.getresponse().read().decode())
    connection.close()
    # The application decides which addresses to trust, so it gets all of them.
    assert found == [f"{scheme} 127.0.0.1 192.0.2.7 True" for scheme in ("https", "http", "http")]


@pytest.mark.usefixtures("impatient")
def test_a_unix_socket_has_no_addresses(socket_path: Path) -> None:
    with ExitStack() as stack:
        held = [stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(30)]
        for client in held:
            client.settimeout(PATIENCE)
            client.connect(str(socket_path))
        held[-1].sendall(
            b"GET /seen HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-Proto: https\r\n"
            b"X-Forwarded-For: 192.0.2.7\r\nConnection: close\r\n\r\n"
        )
        assert closes(held[-1]).endswith(b"\r\n\r\nhttps  192.0.2.7 True")
