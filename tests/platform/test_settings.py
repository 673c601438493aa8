"""Settings of the product, read in separate processes."""

from __future__ import annotations

import json
import os
import ssl
import subprocess
import sys
from pathlib import Path

import pytest
from redis import Redis

from tests.brokers import serving_broker

ROOT = Path(__file__).resolve().parent.parent.parent

_OWN = ("PATH", "HOME", "LANG")


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the repository with a clean environment."""
    clean = {name: os.environ[name] for name in _OWN if name in os.environ}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**clean, "DJANGO_SETTINGS_MODULE": "console.settings", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def settings(names: list[str], **environment: str) -> dict[str, object]:
    """Return the settings *names* of the product under *environment*."""
    code = (
        "import json; from django.conf import settings; "
        f"print(json.dumps({{name: getattr(settings, name) for name in {names!r}}}))"
    )
    done = run("-c", code, **environment)
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("name", "value", "accepts"),
    [
        ("PORT", "http", "a port from 1 to 65535, or 0 for any free one"),
        ("SLUICE_DEMO", "yes please", "1 or 0"),
        ("DEBUG", "2", "1 or 0"),
        ("LOG_FORMAT", "xml", "console or json"),
        ("DATABASE_URL", "oracle://x", "postgresql://USER:PASSWORD@HOST/NAME or sqlite:////PATH"),
        (
            "REDIS_URL",
            "localhost",
            "redis://HOST:PORT/DB, rediss://HOST:PORT/DB or unix:///PATH",
        ),
        ("PUBLIC_URL", "x", "an origin such as https://console.example.org"),
        (
            "WEBHOOK_ALLOWED_NETWORKS",
            "10.0.0.1/8",
            "addresses or networks such as 10.0.0.5,192.168.0.0/16",
        ),
        ("PARTITION_ROWS", "999", "0, or a whole number from 1000000 to 20000000"),
        ("CSRF_TRUSTED_ORIGINS", "x", "origins such as https://console.example.org"),
        ("SLUICE_SCHEDULERS", "/nowhere", "a folder that exists"),
    ],
)
def test_a_bad_value_stops_every_command_with_one_sentence(
    name: str, value: str, accepts: str
) -> None:
    done = run("manage.py", "up", **{name: value})
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"sluice: {name} is {value!r}; it must be {accepts}.\n"


def test_reading_the_settings_creates_no_files(tmp_path: Path) -> None:
    home = tmp_path / "home"
    done = run("manage.py", "check", SLUICE_HOME=str(home))
    assert done.returncode == 0, done.stderr
    assert not home.exists()


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("", "-c idle_in_transaction_session_timeout=10s"),
        (
            "?currentSchema=console",
            "-c search_path=console -c idle_in_transaction_session_timeout=10s",
        ),
        (
            "?options=-c%20idle_in_transaction_session_timeout%3D60s",
            "-c idle_in_transaction_session_timeout=60s",
        ),
    ],
)
def test_idle_transactions_are_ended(query: str, options: str) -> None:
    url = f"postgresql://console:secret@127.0.0.1/console{query}"
    databases = settings(["DATABASES"], DATABASE_URL=url)["DATABASES"]
    assert isinstance(databases, dict)
    assert databases["default"]["OPTIONS"]["options"] == options


def test_silent_server_is_detected_within_seconds() -> None:
    url = "postgresql://console:secret@127.0.0.1/console?connect_timeout=30"
    databases = settings(["DATABASES"], DATABASE_URL=url)["DATABASES"]
    assert isinstance(databases, dict)
    assert databases["default"]["OPTIONS"] == {
        "connect_timeout": 30,
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "tcp_user_timeout": 10_000,
        "options": "-c idle_in_transaction_session_timeout=10s",
        "prepare_threshold": 5,
    }


def test_an_https_origin_makes_the_cookies_secure() -> None:
    names = ["SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE"]
    assert settings(names) == dict.fromkeys(names, False)
    both = "https://a.example,https://b.example"
    assert settings(names, CSRF_TRUSTED_ORIGINS=both) == dict.fromkeys(names, True)
    mixed = "https://a.example,http://b.example"
    assert settings(names, CSRF_TRUSTED_ORIGINS=mixed) == dict.fromkeys(names, False)


def test_local_host_names_are_always_allowed() -> None:
    assert settings(["ALLOWED_HOSTS"], ALLOWED_HOSTS="console.example.org") == {
        "ALLOWED_HOSTS": ["console.example.org", "localhost", "127.0.0.1", "[::1]"]
    }


def test_public_url_is_the_trusted_origin_or_the_listen_address() -> None:
    found = [
        settings(["PUBLIC_URL"], **given)["PUBLIC_URL"]
        for given in (
            {"PORT": "81"},
            {"HOST": "0.0.0.0"},  # noqa: S104
            {"CSRF_TRUSTED_ORIGINS": "https://a.example,http://b.example"},
            {"PUBLIC_URL": "https://c.example", "CSRF_TRUSTED_ORIGINS": "https://a.example"},
        )
    ]
    assert found == [
        "http://127.0.0.1:81",
        "http://localhost:8000",
        "https://a.example",
        "https://c.example",
    ]


def test_the_broker_is_the_embedded_one_unless_told_otherwise() -> None:
    names = ["REDIS_URL", "CELERY_BROKER_URL", "REDIS_IS_EMBEDDED"]
    assert settings(names, SLUICE_HOME="/state") == {
        "REDIS_URL": "unix:///state/broker/broker.sock",
        "CELERY_BROKER_URL": "redis+socket:///state/broker/broker.sock",
        "REDIS_IS_EMBEDDED": True,
    }
    url = "redis://broker.example.org:6379/1"
    assert settings(names, REDIS_URL=url) == {
        "REDIS_URL": url,
        "CELERY_BROKER_URL": url,
        "REDIS_IS_EMBEDDED": False,
    }


@pytest.mark.parametrize(
    ("options", "expected"),
    [("", ssl.CERT_REQUIRED), ("?ssl_cert_reqs=CERT_NONE", ssl.CERT_NONE)],
)
def test_celery_verifies_certificates_by_default(options: str, expected: ssl.VerifyMode) -> None:
    code = "from console.celery import app; print(app.connection().ssl['ssl_cert_reqs'])"
    done = run("-c", code, REDIS_URL=f"rediss://localhost:1/2{options}")
    assert done.stdout == f"{expected}\n", done.stderr


def test_celery_uses_the_same_database_behind_a_socket(tmp_path: Path) -> None:
    code = "from console.celery import app; app.send_task('wake', queue='sluice')"
    with serving_broker(tmp_path) as broker:
        url = f"{broker}?db=3"
        done = run("-c", code, REDIS_URL=url)
        with Redis.from_url(url) as client:
            assert (done.returncode, client.llen("sluice")) == (0, 1), done.stderr


_WEB = ("-c", "import console.wsgi")
_WORKER = ("-m", "celery", "--app", "console.celery", "worker", "--pool", "solo")


@pytest.mark.parametrize("process", [_WEB, _WORKER], ids=["web", "worker"])
def test_process_without_a_secret_key_is_refused(process: tuple[str, ...], tmp_path: Path) -> None:
    refused = run(*process, SLUICE_HOME=str(tmp_path))
    assert "SECRET_KEY is not set" in refused.stderr
    assert refused.returncode == 1


def test_key_of_the_state_folder_is_shared(tmp_path: Path) -> None:
    home = {"SLUICE_HOME": str(tmp_path)}
    (tmp_path / "secret_key").write_text("x" * 60)
    assert run("-c", "import console.wsgi", **home).returncode == 0
    assert settings(["SECRET_KEY"], **home) == {"SECRET_KEY": "x" * 60}


def test_only_postgresql_has_partitions() -> None:
    refused = run("manage.py", "check", PARTITION_ROWS="1000000")
    assert (refused.returncode, refused.stderr) == (
        1,
        (
            "sluice: PARTITION_ROWS needs PostgreSQL, and DATABASE_URL names none: "
            "SQLite has no partitions.\n"
        ),
    )
    found = settings(
        ["PARTITION_ROWS"], PARTITION_ROWS="1000000", DATABASE_URL="postgresql://x@localhost/x"
    )
    assert found == {"PARTITION_ROWS": 1_000_000}


def test_passwords_are_disabled_only_with_a_provider() -> None:
    refused = run("manage.py", "check", LOCAL_SIGN_IN="0")
    assert refused.stderr == (
        "sluice: LOCAL_SIGN_IN is off, and there is no OIDC_ISSUER: no member could sign in.\n"
    )
    provider = {
        "OIDC_ISSUER": "https://login.example.org",
        "OIDC_CLIENT_ID": "sluice",
        "OIDC_CLIENT_SECRET": "s",
    }
    done = run("manage.py", "check", LOCAL_SIGN_IN="0", **provider)
    assert done.returncode == 0, done.stderr
    apps = settings(["INSTALLED_APPS"], **provider)["INSTALLED_APPS"]
    assert isinstance(apps, list)
    assert "allauth" in apps


def test_library_is_not_loaded_without_a_provider() -> None:
    found = settings(["INSTALLED_APPS", "MIDDLEWARE"])
    assert "allauth" not in str(found)
    code = (
        "import sys, django; django.setup(); import console.urls; print('allauth' in sys.modules)"
    )
    assert run("-c", code).stdout.strip() == "False"


def test_schedulers_of_an_additional_folder_are_found() -> None:
    code = (
        "from django.conf import settings; settings.SCHEDULERS; "
        "from console.dialects import dialects; "
        "print(*(f'{name} {each.discipline}' for name, each in dialects().items()), sep=', ')"
    )
    done = run("-c", code, SLUICE_SCHEDULERS="tests/toy")
    assert (done.stdout, done.stderr) == ("fifo slots, kueue quota, native quota\n", "")
