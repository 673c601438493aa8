"""Environment variables: an error names the variable and the accepted values."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from console import env
from console.home import Home


@pytest.mark.parametrize(
    ("read", "value", "message"),
    [
        (lambda: env.flag("X", default=True), "maybe", "X is 'maybe'; it must be 1 or 0."),
        (
            lambda: env.port("X", 1),
            "80000",
            "X is '80000'; it must be a port from 1 to 65535, or 0 for any free one.",
        ),
        (
            lambda: env.port("X", 1),
            "-1",
            "X is '-1'; it must be a port from 1 to 65535, or 0 for any free one.",
        ),
        (
            lambda: env.port("X", 1),
            "٨٠",
            "X is '٨٠'; it must be a port from 1 to 65535, or 0 for any free one.",
        ),
        (
            lambda: env.choice("X", ("console", "json"), "json"),
            "xml",
            "X is 'xml'; it must be console or json.",
        ),
        (
            lambda: env.origins("X"),
            "https://a.example, b.example",
            "X is 'b.example'; it must be origins such as https://console.example.org.",
        ),
        (
            lambda: env.origins("X"),
            "https://a.example/path",
            (
                "X is 'https://a.example/path'; it must be origins such as "
                "https://console.example.org."
            ),
        ),
        (
            lambda: env.origin("X", "https://a.example"),
            "https://a.example,https://b.example/",
            (
                "X is 'https://a.example,https://b.example/'; it must be an origin such as "
                "https://console.example.org."
            ),
        ),
        (
            lambda: env.networks("X"),
            "10.0.0.0/8, 10.0.0.5/8",
            (
                "X is '10.0.0.0/8, 10.0.0.5/8'; it must be addresses or networks such as "
                "10.0.0.5,192.168.0.0/16."
            ),
        ),
        *(
            (
                lambda: env.issuer("X"),
                value,
                (
                    f"X is '{value}'; it must be an issuer such as "
                    "https://login.example.org/realms/main."
                ),
            )
            for value in (
                "login.example.org",
                "http://login.example.org",
                "https://",
                "https://login.example.org?realm=main",
            )
        ),
        (
            lambda: env.number("X", 90, 0, 3650),
            "3651",
            "X is '3651'; it must be a whole number from 0 to 3650.",
        ),
        (
            lambda: env.number("X", 90, 0, 3650),
            "-1",
            "X is '-1'; it must be a whole number from 0 to 3650.",
        ),
        *(
            (
                lambda: env.number_or_zero("X", 10, 20),
                value,
                f"X is '{value}'; it must be 0, or a whole number from 10 to 20.",
            )
            for value in ("9", "21", "x", "100")
        ),
        (
            lambda: env.database("X", Path("/x")),
            "mysql://me:secret@host/db",
            (
                "X is 'mysql://…@host/db'; it must be postgresql://USER:PASSWORD@HOST/NAME "
                "or sqlite:////PATH."
            ),
        ),
        (
            lambda: env.broker("X", Path("/x")),
            "amqp://me:secret@host",
            (
                "X is 'amqp://…@host'; it must be redis://HOST:PORT/DB, rediss://HOST:PORT/DB "
                "or unix:///PATH."
            ),
        ),
        *(
            (
                lambda: env.database("X", Path("/x")),
                mistyped,
                (
                    "X is '…@host/db'; it must be postgresql://USER:PASSWORD@HOST/NAME "
                    "or sqlite:////PATH."
                ),
            )
            for mistyped in ("me:secret@host/db", "postgresql:/me:secret@host/db")
        ),
    ],
)
def test_a_bad_value_is_refused(monkeypatch, read, value: str, message: str) -> None:
    """The message never contains a password."""
    monkeypatch.setenv("X", value)
    with pytest.raises(ImproperlyConfigured) as caught:
        read()
    assert str(caught.value) == message


@pytest.mark.parametrize("value", [None, "", "  "])
def test_an_empty_variable_counts_as_unset(monkeypatch, value: str | None) -> None:
    if value is None:
        monkeypatch.delenv("X", raising=False)
    else:
        monkeypatch.setenv("X", value)
    assert env.text("X", "default") == "default"
    assert env.flag("X", default=True) is True
    assert env.port("X", 8000) == 8000
    assert env.number_or_zero("X", 10, 20) == 0
    assert env.words("X", ["a"]) == ["a"]
    assert env.origins("X") == []
    assert env.origin("X", "https://a.example") == "https://a.example"
    assert env.broker("X", Path("/run/broker.sock")) == "unix:///run/broker.sock"
    assert env.database("X", Path("/state/db.sqlite3"))["NAME"] == "/state/db.sqlite3"


def test_values_are_read(monkeypatch) -> None:
    monkeypatch.setenv("X", " Off ")
    assert env.flag("X", default=True) is False
    monkeypatch.setenv("X", "a.example,, b.example ")
    assert env.words("X", []) == ["a.example", "b.example"]
    monkeypatch.setenv("X", "postgresql://me@host:5433/db")
    found = env.database("X", Path("/x"))
    assert (found["ENGINE"], found["HOST"], found["PORT"], found["NAME"]) == (
        "django.db.backends.postgresql",
        "host",
        5433,
        "db",
    )


def test_a_state_folder_with_a_long_path_has_its_socket_elsewhere(monkeypatch) -> None:
    """The path of a unix socket has at most 107 bytes."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1000")
    assert Home(Path("/var/lib/sluice")).broker_socket == Path("/var/lib/sluice/broker/broker.sock")
    long = Home(Path("/var/lib") / ("x" * 100)).broker_socket
    other = Home(Path("/var/lib") / ("y" * 100)).broker_socket
    assert long != other
    assert long.parent.parent == Path("/run/user/1000")
    assert long == Home(Path("/var/lib") / ("x" * 100)).broker_socket


def test_loopback_issuer_may_use_http(monkeypatch: pytest.MonkeyPatch) -> None:
    assert env.issuer("X") == ""
    for value in ("http://localhost:8080/realms/main", "https://login.example.org"):
        monkeypatch.setenv("X", value)
        assert env.issuer("X") == value


def test_related_variables_are_set_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    env.together("X", "Y", "Z")
    monkeypatch.setenv("X", "1")
    monkeypatch.setenv("Y", "1")
    with pytest.raises(ImproperlyConfigured, match="X, Y needs Z beside it"):
        env.together("X", "Y", "Z")
    monkeypatch.setenv("Z", "1")
    env.together("X", "Y", "Z")
