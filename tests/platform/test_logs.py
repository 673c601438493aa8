"""Log lines: one per request, with its id, for a person or as JSON."""

from __future__ import annotations

import json
import subprocess
import sys

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


def lines(log_format: str) -> list[str]:
    """Return what a small program logs."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, log_format], capture_output=True, text=True, check=True
    )
    return done.stderr.splitlines()


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


def test_a_console_hears_of_requests_that_went_wrong_only() -> None:
    text = lines("console")
    assert [line for line in text if "console.requests" in line or "Not Found" in line] == []
    assert "hello" in text[0]
    assert "number=1" in text[0]
    assert text[-1].startswith("ZeroDivisionError")
