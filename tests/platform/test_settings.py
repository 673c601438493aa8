"""Settings of the product, read in separate processes."""

from __future__ import annotations

import json
import os
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from redis import Redis

from tests.brokers import serving_broker

ROOT = Path(__file__).resolve().parent.parent.parent

ReadSettings = Callable[..., dict[str, object]]

_OWN = ("PATH", "HOME", "LANG")


def clean_environment(**more: str) -> dict[str, str]:
    """Return the environment of a process without variables of the developer."""
    clean = {name: os.environ[name] for name in _OWN if name in os.environ}
    return {**clean, "DJANGO_SETTINGS_MODULE": "console.settings", **more}


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the repository with a clean environment."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=clean_environment(**environment),
        capture_output=True,
        text=True,
        check=False,
    )


#: Program that answers each line of names and environment variables with the values of these
#: settings, from a forked process that reads the settings anew. Modules that settings import take
#: most of the time of a start, so they are loaded before.
_READER = """
import json, os, sys
import django.http, structlog
for line in sys.stdin:
    names, environment = json.loads(line)
    child = os.fork()
    if not child:
        os.environ.update(environment)
        from django.conf import settings
        print(json.dumps({name: getattr(settings, name) for name in names}), flush=True)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        print("null", flush=True)
"""


@pytest.fixture(scope="module")
def read_settings() -> Iterator[ReadSettings]:
    """A function that returns the settings *names* of the product under *environment*."""
    with subprocess.Popen(
        [sys.executable, "-c", _READER],
        cwd=ROOT,
        env=clean_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:

        def read(names: list[str], **environment: str) -> dict[str, object]:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(json.dumps([names, environment]) + "\n")
            process.stdin.flush()
            found: dict[str, object] | None = json.loads(process.stdout.readline())
            assert found is not None, "the settings were refused"
            return found

        yield read


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


#: Runs the checks, which load all pages, and prints whether the library of providers is loaded.
_CHECK = """
import sys
from django.core.management import execute_from_command_line
execute_from_command_line(["manage.py", "check"])
print("allauth" in sys.modules)
"""


def test_without_a_provider_the_checks_create_no_files_and_do_not_load_its_library(
    read_settings: ReadSettings, tmp_path: Path
) -> None:
    found = read_settings(["INSTALLED_APPS", "MIDDLEWARE"])
    assert "allauth" not in str(found)
    home = tmp_path / "home"
    done = run("-c", _CHECK, SLUICE_HOME=str(home))
    assert done.returncode == 0, done.stderr
    assert not home.exists()
    assert done.stdout.splitlines()[-1] == "False"


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
def test_idle_transactions_are_ended(read_settings: ReadSettings, query: str, options: str) -> None:
    url = f"postgresql://console:secret@127.0.0.1/console{query}"
    databases = read_settings(["DATABASES"], DATABASE_URL=url)["DATABASES"]
    assert isinstance(databases, dict)
    assert databases["default"]["OPTIONS"]["options"] == options


def test_silent_server_is_detected_within_seconds(read_settings: ReadSettings) -> None:
    url = "postgresql://console:secret@127.0.0.1/console?connect_timeout=30"
    databases = read_settings(["DATABASES"], DATABASE_URL=url)["DATABASES"]
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


def test_an_https_origin_makes_the_cookies_secure(read_settings: ReadSettings) -> None:
    names = ["SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE"]
    assert read_settings(names) == dict.fromkeys(names, False)
    both = "https://a.example,https://b.example"
    assert read_settings(names, CSRF_TRUSTED_ORIGINS=both) == dict.fromkeys(names, True)
    mixed = "https://a.example,http://b.example"
    assert read_settings(names, CSRF_TRUSTED_ORIGINS=mixed) == dict.fromkeys(names, False)


def test_local_host_names_are_always_allowed(read_settings: ReadSettings) -> None:
    assert read_settings(["ALLOWED_HOSTS"], ALLOWED_HOSTS="console.example.org") == {
        "ALLOWED_HOSTS": ["console.example.org", "localhost", "127.0.0.1", "[::1]"]
    }


def test_public_url_is_the_trusted_origin_or_the_listen_address(
    read_settings: ReadSettings,
) -> None:
    found = [
        read_settings(["PUBLIC_URL"], **given)["PUBLIC_URL"]
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


def test_the_broker_is_the_embedded_one_unless_told_otherwise(read_settings: ReadSettings) -> None:
    names = ["REDIS_URL", "CELERY_BROKER_URL", "REDIS_IS_EMBEDDED"]
    assert read_settings(names, SLUICE_HOME="/state") == {
        "REDIS_URL": "unix:///state/broker/broker.sock",
        "CELERY_BROKER_URL": "redis+socket:///state/broker/broker.sock",
        "REDIS_IS_EMBEDDED": True,
    }
    url = "redis://broker.example.org:6379/1"
    assert read_settings(names, REDIS_URL=url) == {
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


def test_key_of_the_state_folder_is_shared(read_settings: ReadSettings, tmp_path: Path) -> None:
    home = {"SLUICE_HOME": str(tmp_path)}
    (tmp_path / "secret_key").write_text("x" * 60)
    assert run("-c", "import console.wsgi", **home).returncode == 0
    assert read_settings(["SECRET_KEY"], **home) == {"SECRET_KEY": "x" * 60}


def test_only_postgresql_has_partitions(read_settings: ReadSettings) -> None:
    refused = run("manage.py", "check", PARTITION_ROWS="1000000")
    assert (refused.returncode, refused.stderr) == (
        1,
        (
            "sluice: PARTITION_ROWS needs PostgreSQL, and DATABASE_URL names none: "
            "SQLite has no partitions.\n"
        ),
    )
    found = read_settings(
        ["PARTITION_ROWS"], PARTITION_ROWS="1000000", DATABASE_URL="postgresql://x@localhost/x"
    )
    assert found == {"PARTITION_ROWS": 1_000_000}


def test_passwords_are_disabled_only_with_a_provider(read_settings: ReadSettings) -> None:
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
    apps = read_settings(["INSTALLED_APPS"], **provider)["INSTALLED_APPS"]
    assert isinstance(apps, list)
    assert "allauth" in apps


def test_schedulers_of_an_additional_folder_are_found() -> None:
    code = (
        "from django.conf import settings; settings.SCHEDULERS; "
        "from console.dialects import dialects; "
        "print(*(f'{name} {each.discipline}' for name, each in dialects().items()), sep=', ')"
    )
    done = run("-c", code, SLUICE_SCHEDULERS="tests/toy")
    assert (done.stdout, done.stderr) == (
        (
            "fifo slots, kai fairshare, kueue quota, native quota, skyshift placement, "
            "yunikorn hierarchy\n"
        ),
        "",
    )
