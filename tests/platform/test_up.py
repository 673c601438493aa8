"""The command up: one command starts all processes on a machine, and one Ctrl-C stops them."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.prepared import fill
from tests.product import PATIENCE, ROOT, Product, running

pytestmark = pytest.mark.skipif(
    not Path("/proc").is_dir(), reason="looks for leftover processes in /proc"
)


def processes_of(home: Path) -> list[int]:
    """Return the ids of all processes with *home* as their state folder."""
    marker = f"SLUICE_HOME={home}\0".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                environment = (entry / "environ").read_bytes()
            except OSError:
                continue
            if marker in environment + b"\0":
                found.append(int(entry.name))
    return found


def wait_until_gone(home: Path) -> None:
    """Wait until all processes of *home* have ended; fail otherwise."""
    deadline = time.monotonic() + PATIENCE
    while processes_of(home):
        assert time.monotonic() < deadline, processes_of(home)
        time.sleep(0.05)


def status_of(port: int, path: str) -> int:
    """Return the HTTP status of a path of the product."""
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", path)
    status = connection.getresponse().status
    connection.close()
    return status


def refused(home: Path, **environment: str) -> str:
    """Run the command where it must refuse to start, and return its message of one sentence."""
    clean = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "manage.py", "up"],
        cwd=ROOT,
        env={**clean, "SLUICE_HOME": str(home), "PORT": "0", **environment},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, ""), done
    [sentence] = done.stderr.splitlines()
    assert sentence.startswith("sluice: ")
    return sentence.removeprefix("sluice: ")


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    """A state folder."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def product(home: Path) -> Iterator[Product]:
    """A product after its first start, without the demo."""
    with running(home, first=True) as product:
        yield product


def test_product_answers_after_it_reports_ready(product: Product) -> None:
    assert status_of(product.port, "/healthz") == 200
    assert status_of(product.port, "/readyz") == 200


def test_the_first_start_prints_how_to_sign_in(product: Product) -> None:
    text = product.output()
    assert re.search(r"Sign in as  owner@localhost\n  Password    \S{16}\n", text)
    assert product.api("main").get("/config/versions")["results"] == []


def test_state_folder_is_private(product: Product) -> None:
    private = {name: product.home / name for name in ("secret_key", "lock")}
    assert {name: path.stat().st_mode & 0o077 for name, path in private.items()} == {
        "secret_key": 0,
        "lock": 0,
    }
    assert (product.home / "broker").stat().st_mode & 0o077 == 0


def test_a_second_start_on_the_same_folder_is_refused(product: Product) -> None:
    assert refused(product.home) == (
        f"Sluice already runs on {product.home} as process {product.process.pid}; stop this "
        "process first, or set SLUICE_HOME to another folder."
    )


def test_a_taken_port_is_refused_before_anything_starts(product: Product, tmp_path: Path) -> None:
    port = str(product.port)
    assert refused(tmp_path / "other", PORT=port) == (
        f"Port {port} on 127.0.0.1 is in use by another program; choose a free one with --port "
        "or PORT."
    )
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["lock"]


def test_killed_process_is_restarted(product: Product) -> None:
    [beat] = product.children("beat")
    os.kill(beat, signal.SIGKILL)
    deadline = time.monotonic() + PATIENCE
    said = "The beat process ended (status -9) and was restarted."
    while product.children("beat") in ([], [beat]) or said not in product.output():
        assert time.monotonic() < deadline, product.output()
        time.sleep(0.05)


def test_ctrl_c_stops_all_processes_and_a_restart_keeps_the_data(product: Product) -> None:
    """The last test of this product: Ctrl-C stops it."""
    product.manage("create_org", "research")
    tokens = product.tokens
    api = product.api("research")
    # Its process has the state folder, too.
    product.management.close()
    assert len(processes_of(product.home)) > 4
    api.get("/decisions?after=0")
    product.process.send_signal(signal.SIGINT)
    # The server continues to answer open connections.
    time.sleep(0.5)
    assert api.get("/decisions?after=0&wait=2") == {"results": [], "next": 0}
    assert product.process.wait(timeout=PATIENCE) == 0
    wait_until_gone(product.home)
    with running(product.home) as second:
        assert "Password" not in second.output()
        second.tokens = tokens
        assert second.api("research").get("/workloads")["results"] == []
        second.process.send_signal(signal.SIGTERM)
        assert second.process.wait(timeout=PATIENCE) == 0
        wait_until_gone(product.home)


@pytest.fixture(scope="module")
def runtime() -> Iterator[Path]:
    """The folder for sockets of this user."""
    # Not below tmp_path, whose path is long itself when several processes share the tests.
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, runtime: Path) -> Iterator[Product]:
    """A product with the demo, in a state folder with a long path."""
    home = tmp_path_factory.mktemp("demo") / ("x" * 100)
    with running(home, SLUICE_DEMO="1", XDG_RUNTIME_DIR=str(runtime)) as product:
        yield product


def test_demo_has_traffic_from_the_first_minute(demo: Product) -> None:
    api = demo.api("demo")
    assert [row["version"] for row in api.get("/config/versions")["results"]] == [3, 2, 1]
    assert api.get("")["simulated_until"]
    deadline = time.monotonic() + PATIENCE
    while not api.get("/workloads?user=demo&state=admitted")["results"]:
        assert time.monotonic() < deadline, demo.output()
        time.sleep(0.2)


def test_demo_has_two_organizations_with_people(demo: Product) -> None:
    languages, members = {}, set()
    for slug in ("demo", "demo-kueue"):
        api = demo.api(slug)
        languages[slug] = api.get("/config")["dialect"]
        rows = api.get("/members")["results"]
        members.add(tuple(sorted((row["email"], row["role"]) for row in rows)))
        deadline = time.monotonic() + PATIENCE
        while not api.get("/workloads?user=engineer@localhost")["results"]:
            assert time.monotonic() < deadline, demo.output()
            time.sleep(0.2)
    assert languages == {"demo": "native", "demo-kueue": "kueue"}
    assert members == {
        (
            ("engineer@localhost", "submitter"),
            ("operator@localhost", "operator"),
            ("owner@localhost", "owner"),
            ("researcher@localhost", "submitter"),
        )
    }


def test_a_long_path_moves_the_broker_s_socket(demo: Product, runtime: Path) -> None:
    assert status_of(demo.port, "/readyz") == 200
    [folder] = runtime.iterdir()
    assert folder.stat().st_mode & 0o077 == 0


def test_nothing_outlives_a_killed_supervisor(demo: Product) -> None:
    """The last test of this product."""
    demo.management.close()
    demo.process.kill()
    demo.process.wait()
    wait_until_gone(demo.home)


@pytest.mark.parametrize("where", ["file", "file/below"])
def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path, where: str) -> None:
    (tmp_path / "file").write_text("in the way")
    home = tmp_path / where
    sentence = refused(home)
    assert re.fullmatch(
        rf"The state folder {re.escape(str(home))} cannot be written \([A-Z][a-z ]+\); "
        r"set SLUICE_HOME to a writable folder\.",
        sentence,
    )


def test_an_address_of_another_machine_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, HOST="no-such-host.invalid") == (
        "HOST is 'no-such-host.invalid', which is not an address of this machine."
    )


def test_a_broker_elsewhere_that_is_down_is_refused(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        fill(tmp_path, with_database=True)
        sentence = refused(tmp_path, REDIS_URL=f"redis://127.0.0.1:{port}/0")
    assert sentence.startswith("The broker does not answer (")
    assert sentence.endswith("); check REDIS_URL.")
    assert processes_of(tmp_path) == []


def test_a_database_that_is_down_is_refused(tmp_path: Path) -> None:
    sentence = refused(tmp_path, DATABASE_URL="postgresql://nobody@127.0.0.1:1/none")
    assert sentence.startswith("The database cannot be reached (")
    assert sentence.endswith("that the server runs and accepts connections from this machine.")
    assert processes_of(tmp_path) == []
