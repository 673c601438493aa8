"""Log lines: one per request, with the request id, as text or JSON."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable

import pytest
import structlog
from django.test import Client

from console.celery import bind_task
from console.logs import workload_fields
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.workloads.models import Workload
from console.workloads.services import run_engine
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import Submission
from console.workloads.tasks import sweep

_PROGRAM = """
import logging.config, sys
from console import logs
logging.config.dictConfig(logs.configure(sys.argv[1]))
import structlog
structlog.contextvars.bind_contextvars(request_id="abc")
structlog.get_logger("console.x").info("hello", number=1)
structlog.get_logger("console.requests").info("request", status=200)
logging.getLogger("other").warning("from %s", "elsewhere")
logging.getLogger("django.request").error("Not Found: /x")
try:
    1 / 0
except ZeroDivisionError:
    logging.getLogger("django.request").exception("failed")
"""


_INJECTED = """
import logging.config, sys
from console import logs
logging.config.dictConfig(logs.configure(sys.argv[1]))
import structlog
bad = "a\\n2026-01-01 [error] forged\\r\\x1b[2J\\u202e\\x85\\u2028\\x07"
structlog.get_logger("console.x").warning("hello", path=bad, short="b\\x1b[2J", many=[bad])
structlog.get_logger("console.x").warning(bad)
logging.getLogger("other").warning("from %s", bad)
try:
    raise ValueError(bad)
except ValueError:
    logging.getLogger("django.request").exception("failed")
"""


def written(program: str, log_format: str) -> str:
    """Return the log output of a small program."""
    done = subprocess.run(
        [sys.executable, "-c", program, log_format], capture_output=True, check=True
    )
    return done.stderr.decode()


def lines(log_format: str) -> list[str]:
    """Return the log lines of a small program."""
    return written(_PROGRAM, log_format).splitlines()


@pytest.mark.parametrize("log_format", ["console", "json"])
def test_text_cannot_forge_lines_or_control_the_terminal(log_format: str) -> None:
    text = written(_INJECTED, log_format)
    assert text.endswith("\n")
    begun = [line for line in text[:-1].split("\n") if not line.startswith("  ")]
    assert len(begun) == 4
    assert "forged" in text
    assert re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e]", text) is None


def test_json_has_one_object_per_line() -> None:
    rows = [json.loads(line) for line in lines("json")]
    assert [(row["event"], row["level"], row["logger"], row["request_id"]) for row in rows] == [
        ("hello", "info", "console.x", "abc"),
        ("request", "info", "console.requests", "abc"),
        ("from elsewhere", "warning", "other", "abc"),
        ("failed", "error", "django.request", "abc"),
    ]
    assert rows[0]["number"] == 1
    assert "ZeroDivisionError" in rows[3]["exception"]


_INVITED = """
import logging.config, sys
from console import logs
logging.config.dictConfig(logs.configure(sys.argv[1]))
import structlog
path = "/join/s3cret-of-an-invitation"
structlog.get_logger("console.requests").warning("request", path=path, status=404)
logging.getLogger("django.security.csrf").warning("Forbidden (%s): %s", "no cookie", path)
logging.getLogger("gunicorn.error").error("cannot read GET %s?a=b HTTP/9", path)
try:
    raise ValueError(path)
except ValueError:
    logging.getLogger("django.request").exception("failed")
"""


@pytest.mark.parametrize("log_format", ["console", "json"])
def test_invitation_secrets_are_not_logged(log_format: str) -> None:
    text = written(_INVITED, log_format)
    assert "s3cret" not in text
    # Four lines, and the text of the exception in a traceback, which contains no line of the
    # program.
    assert text.count("/join/") == 4
    assert "?a=b HTTP/9" in text


def test_terminal_shows_only_failed_requests() -> None:
    text = lines("console")
    assert [line for line in text if "console.requests" in line or "Not Found" in line] == []
    assert "hello" in text[0]
    assert "number=1" in text[0]
    assert text[-1].startswith("  ZeroDivisionError")


_WEB_SERVER = """
import logging.config, sys
from gunicorn.config import Config
from gunicorn.glogging import Logger
config = Config()
config.set("loglevel", "warning")
web = Logger(config)
from console import logs
logging.config.dictConfig(logs.configure(sys.argv[1]))
web.warning("Invalid request from ip=%s: %s", "192.0.2.1", "a\\n2026-01-01 [error] forged")
web.info("nobody wants to know")
"""


def test_web_server_messages_use_the_log_format() -> None:
    (line,) = written(_WEB_SERVER, "json").splitlines()
    row = json.loads(line)
    assert (row["logger"], row["level"]) == ("gunicorn.error", "warning")
    assert row["event"] == "Invalid request from ip=192.0.2.1: a\n2026-01-01 [error] forged"
    (line,) = written(_WEB_SERVER, "console").splitlines()
    assert "Invalid request from ip=192.0.2.1: a\\n2026-01-01 [error] forged" in line
    assert "gunicorn.error" in line


def bound() -> dict[str, object]:
    """Return the fields bound to every log line, without those that differ each time."""
    return {
        name: value
        for name, value in structlog.contextvars.get_contextvars().items()
        if name != "request_id"
    }


def test_request_lines_have_the_fields_of_the_path(
    owner: Actor, api_for: Callable[[Actor], Client]
) -> None:
    client = api_for(owner)
    client.get("/api/v1/orgs/here/workloads/nothing/explanation")
    assert bound() == {"org": "here", "workload": "nothing"}
    client.get("/api/v1/orgs/here/queues")
    assert bound() == {"org": "here"}
    client.get("/api/v2/scheduler/overview")
    assert bound() == {"org": "here"}
    client.get("/healthz")
    assert bound() == {}


def test_task_lines_have_its_name_and_no_earlier_fields() -> None:
    structlog.contextvars.bind_contextvars(org="before")
    bind_task("7f3a", sweep)
    assert bound() == {"task": "console.workloads.tasks.sweep", "task_id": "7f3a"}
    structlog.contextvars.clear_contextvars()


def test_each_batch_is_one_line(
    org: Organization, owner: Actor, settle: Callable[[Organization], int], monkeypatch
) -> None:
    class Recorder:
        lines: list[dict[str, object]] = []

        def info(self, event: str, **facts: object) -> None:
            self.lines.append({"event": event, **bound(), **facts})

    recorder = Recorder()
    monkeypatch.setattr(run_engine, "log", recorder)
    made = submit_workloads(owner, [Submission(name="one"), Submission(name="two")])
    settle(org)
    (line,) = recorder.lines
    assert line.pop("milliseconds") > 0
    assert line == {
        "event": "batch decided",
        "org": "here",
        "version": 1,
        "config_version": 0,
        "intake": 1,
        "decisions": 2,
        "workloads": [workload.uid for workload in made],
        "more_workloads": 0,
    }
    assert bound() == {}


def test_a_line_names_the_first_twenty_workloads_each_once() -> None:
    uids = [f"w{number}" for number in range(23)]
    assert workload_fields(uids[:20]) == {"workloads": uids[:20], "more_workloads": 0}
    assert workload_fields(["w3", *uids, "w3"]) == {
        "workloads": ["w3", *(uid for uid in uids[:20] if uid != "w3")],
        "more_workloads": 3,
    }
    assert workload_fields([]) == {"workloads": [], "more_workloads": 0}


def test_the_line_of_a_request_names_what_it_submits_and_ends(
    owner: Actor, api_for: Callable[[Actor], Client]
) -> None:
    client = api_for(owner)
    address = "/api/v1/orgs/here/workloads"

    def send(path: str, body: object, **headers: str) -> list[str]:
        content = "application/json"
        answer = client.post(f"{address}{path}", body, content_type=content, headers=headers)
        return answer.json().get("ids", [])

    many = {"workloads": [{"name": f"w{number}"} for number in range(22)]}
    ids = send("", many, **{"Idempotency-Key": "once"})
    told = {"org": "here", "workloads": ids[:20], "more_workloads": 2}
    assert (len(ids), bound()) == (22, told)
    assert (send("", many, **{"Idempotency-Key": "once"}), bound()) == (ids, told)
    [one] = send("", {"workloads": [{"name": "one"}]})
    assert bound() == {"org": "here", "workloads": [one], "more_workloads": 0}
    send("/withdraw", {"ids": [one, ids[0]]})
    assert bound() == {"org": "here", "workloads": [one, ids[0]], "more_workloads": 0}
    # A refused request names no workload: its ids may be anything.
    send("/withdraw", {"ids": ["made up"]})
    assert bound() == {"org": "here"}
    send("", {"workloads": [{"name": ""}]})
    assert bound() == {"org": "here"}


def test_the_line_of_a_submitted_form_names_its_workload(
    owner: Actor, client_for: Callable[[Actor], Client]
) -> None:
    pasted = json.dumps([{"name": "one"}, {"name": "two"}])
    client_for(owner).post("/o/here/workloads/new", {"json": pasted})
    made = list(Workload.objects.order_by("pk").values_list("uid", flat=True))
    assert len(made) == 2
    assert bound() == {"org": "here", "workloads": made, "more_workloads": 0}
