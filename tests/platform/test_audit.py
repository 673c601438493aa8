"""The audit of locked packages (`tests.audit`) against a local advisory service."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from tests import audit
from tests.audit import Package, ask, read_ignored, read_lock
from tests.loopback import answering
from tests.product import ROOT

HASH = "--hash=sha256:" + "0" * 64

LOCK = f"""\
alpha==1.0 \\
    {HASH}
beta[extra]==2.5 ; sys_platform == 'linux' \\
    {HASH}
    # via alpha
"""

ADVISORY = {
    "id": "GHSA-aaaa-bbbb-cccc",
    "aliases": ["CVE-2026-1"],
    "summary": "Reads too much",
    "affected": [
        {
            "package": {"name": "Beta", "ecosystem": "PyPI"},
            "ranges": [
                {"type": "GIT", "events": [{"introduced": "0"}, {"fixed": "0123abc"}]},
                {"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": "2.6"}]},
            ],
        },
        {
            "package": {"name": "other", "ecosystem": "PyPI"},
            "ranges": [{"type": "ECOSYSTEM", "events": [{"fixed": "9"}]}],
        },
    ],
}
#: The same vulnerability from another database, and a withdrawn advisory.
AGAIN = {"id": "PYSEC-2026-7", "aliases": ["CVE-2026-1"]}
WITHDRAWN = {"id": "PYSEC-2026-8", "withdrawn": "2026-01-01T00:00:00Z"}


class Service:
    """An advisory service: the vulnerabilities by package, and the requests that it received."""

    def __init__(self, known: dict[str, list[dict[str, Any]]], status: int = 200) -> None:
        self.known = known
        self.status = status
        self.asked: list[Any] = []
        self.url = ""


@contextmanager
def serving(service: Service) -> Iterator[Service]:
    """Run *service* on loopback and yield its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            service.asked.append((self.path, json.loads(self.rfile.read(length))))
            queries = service.asked[-1][1]["queries"]
            found = [service.known.get(query["package"]["name"], []) for query in queries]
            self._answer(
                {"results": [{"vulns": [{"id": e["id"]} for e in each]} if each else {}
                             for each in found]}
            )  # fmt: skip

        def do_GET(self) -> None:
            service.asked.append((self.path, None))
            [details] = [
                each
                for advisories in service.known.values()
                for each in advisories
                if self.path == f"/v1/vulns/{each['id']}"
            ]
            self._answer(details)

        def _answer(self, body: Any) -> None:
            self.send_response(service.status)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, *_: object) -> None:
            """Keep the test's output clean."""

    with answering(Handler) as service.url:
        yield service


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a lock and an empty file of ignored advisories, used by the audit."""
    (tmp_path / "requirements.lock").write_text(LOCK)
    (tmp_path / "ignored-advisories.toml").write_text("")
    monkeypatch.setattr(audit, "LOCKS", (tmp_path / "requirements.lock",))
    monkeypatch.setattr(audit, "IGNORED", tmp_path / "ignored-advisories.toml")
    monkeypatch.delenv("AUDIT", raising=False)
    return tmp_path


def audited(service: Service, monkeypatch, capsys) -> tuple[int, str, list[str]]:
    """Audit against *service*; return the exit status, the output and the errors."""
    with serving(service):
        monkeypatch.setenv("AUDIT_URL", service.url)
        status = audit.main()
    said = capsys.readouterr()
    return status, said.out, said.err.splitlines()


FOUND = (
    "beta 2.5: GHSA-aaaa-bbbb-cccc (CVE-2026-1). Reads too much. Fixed in 2.6. Lock a version that "
    "has the fix (docs/dependencies.md says how), or say in tests/ignored-advisories.toml why it "
    "does not concern Sluice."
)


def test_audit_without_vulnerabilities_passes(files: Path, monkeypatch, capsys) -> None:
    service = Service({"gamma": [ADVISORY]})
    assert audited(service, monkeypatch, capsys) == (
        0,
        "2 locked packages have no known vulnerability.\n",
        [],
    )
    asked = [
        {"package": {"name": "alpha", "ecosystem": "PyPI"}, "version": "1.0"},
        {"package": {"name": "beta", "ecosystem": "PyPI"}, "version": "2.5"},
    ]
    assert service.asked == [("/v1/querybatch", {"queries": asked})]


def test_vulnerability_is_reported_once_with_an_action(files: Path, monkeypatch, capsys) -> None:
    service = Service({"beta": [ADVISORY, AGAIN, WITHDRAWN]})
    assert audited(service, monkeypatch, capsys) == (1, "", [FOUND])


def test_advisory_without_details_is_reported(files: Path, monkeypatch, capsys) -> None:
    service = Service({"alpha": [{"id": "PYSEC-2026-9"}]})
    status, _, [sentence] = audited(service, monkeypatch, capsys)
    assert status == 1
    assert sentence.startswith("alpha 1.0: PYSEC-2026-9. No fix is known. Lock a version")


def ignoring(files: Path, **changed: str) -> None:
    """Ignore the advisory by its alias."""
    entry = {"package": '"beta"', "reason": '"Never called."', "look_again": "2999-01-01"}
    lines = [f"{name} = {value}" for name, value in {**entry, **changed}.items() if value]
    (files / "ignored-advisories.toml").write_text("\n".join(["[CVE-2026-1]", *lines]))


def test_ignored_advisory_passes(files: Path, monkeypatch, capsys) -> None:
    ignoring(files)
    status, _, problems = audited(Service({"beta": [ADVISORY]}), monkeypatch, capsys)
    assert (status, problems) == (0, [])


def test_ignore_entry_applies_to_its_package_only(files: Path, monkeypatch, capsys) -> None:
    ignoring(files, package='"alpha"')
    status, _, problems = audited(Service({"beta": [ADVISORY]}), monkeypatch, capsys)
    nothing = (
        "ignored-advisories.toml: nothing that is locked has CVE-2026-1 any more; take it out."
    )
    assert (status, problems) == (1, [FOUND, nothing])


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (
            {"look_again": "2026-05-01"},
            (
                "ignored-advisories.toml: it was said of CVE-2026-1 to look again on 2026-05-01. "
                "Is it fixed, and does the reason still hold? Take it out, or give another day."
            ),
        ),
        (
            {"reason": ""},
            "ignored-advisories.toml: CVE-2026-1 needs package, reason and look_again.",
        ),
    ],
)
def test_ignore_entry_needs_reason_and_expiry(files: Path, changed, sentence: str) -> None:
    ignoring(files, **changed)
    _, problems = read_ignored(files / "ignored-advisories.toml", date(2026, 5, 1))
    assert problems == [sentence]


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        (
            f"alpha>=1.0 \\\n    {HASH}\n",
            "requirements.lock: 'alpha>=1.0' names no exact version; lock again.",
        ),
        ("alpha==1.0\n", "requirements.lock: 'alpha==1.0' has no hash; lock again."),
    ],
)
def test_unpinned_package_fails_without_a_request(
    files: Path, monkeypatch, capsys, entry: str, sentence: str
) -> None:
    (files / "requirements.lock").write_text(LOCK + entry)
    status, _, problems = audited(Service({}), monkeypatch, capsys)
    assert (status, problems) == (1, [sentence])


def test_the_locks_of_the_product_are_pinned() -> None:
    for lock in audit.LOCKS:
        packages, problems = read_lock(lock)
        assert problems == []
        assert len(packages) > 20


def unused_address() -> str:
    """Return an address without a server."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return f"127.0.0.1:{listener.getsockname()[1]}"


@pytest.mark.parametrize(("demanded", "status"), [("", 0), ("required", 1)])
def test_unreachable_service_is_reported(
    files: Path, monkeypatch, capsys, demanded: str, status: int
) -> None:
    host = unused_address()
    monkeypatch.setenv("AUDIT_URL", f"http://{host}")
    monkeypatch.setenv("AUDIT", demanded)
    assert audit.main() == status
    first, *rest = capsys.readouterr().err.splitlines()
    away = (
        "The locked packages were not checked for vulnerabilities: "
        f"{host} cannot be reached ([Errno 111] Connection refused)."
    )
    if demanded:
        assert [first, *rest] == [away, f"AUDIT=required, and {host} could not be asked."]
    else:
        assert [first, *rest] == [f"{away} Set AUDIT=required to make this an error."]


def test_failing_service_is_reported(files: Path, monkeypatch, capsys) -> None:
    status, _, [sentence] = audited(Service({}, status=503), monkeypatch, capsys)
    assert status == 0
    assert sentence.endswith("answered with status 503. Set AUDIT=required to make this an error.")


def test_silent_service_times_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(audit.Unreachable) as caught:
            ask(url, [Package("alpha", "1.0")], 0.2)
    assert str(caught.value) in {
        "did not answer within 0.2 seconds",
        "cannot be reached (timed out)",
    }


def test_audit_is_part_of_make_check() -> None:
    done = subprocess.run(
        ["make", "--dry-run", "--assume-old=.venv/.development", "check"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ".venv/bin/python -m tests.audit" in done.stdout.splitlines()
