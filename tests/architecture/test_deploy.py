"""The files in deploy/ start the documented processes with the commands of the supervisor."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from console.celery import app
from console.server import gunicorn_config

ROOT = Path(__file__).resolve().parent.parent.parent
DEPLOY = ROOT / "deploy"

#: Options whose values differ between deployments: names and addresses.
_PLACES = ("--hostname", "--bind", "--schedule")


def _meaning(words: list[str]) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """Return the program of a command and its options in sorted order."""
    words = words[3:] if words[0] == "nice" else words
    program, *rest = words
    options: list[list[str]] = []
    for word in rest:
        if word.startswith("--"):
            options.append([word])
        elif options:
            options[-1].append(word)
        else:
            program += f" {word}"
    kept = (tuple(option) for option in options if option[0] not in _PLACES)
    return Path(program).name, tuple(sorted(kept))


def _documented_commands() -> dict[str, Any]:
    table = (ROOT / "docs/operations.md").read_text()
    rows = re.findall(
        r"^\| (web|worker|impact|webhooks|beat) \| [^|]+ \| `([^`]+)` \|", table, re.MULTILINE
    )
    return {name: _meaning(shlex.split(command)) for name, command in rows}


def _units() -> dict[str, str]:
    found = {}
    for unit in sorted((DEPLOY / "systemd").glob("*.service")):
        commands = re.findall(r"^ExecStart=(.+)$", unit.read_text(), re.MULTILINE)
        if len(commands) == 1:
            found[unit.stem.removeprefix("sluice-").rstrip("@")] = commands[0]
    return found


def test_units_start_the_documented_commands() -> None:
    started = {name: _meaning(shlex.split(command)) for name, command in _units().items()}
    assert started == _documented_commands()
    assert len(started) == 5


def test_containers_start_the_documented_commands() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    image = re.search(r"^CMD (.+)$", (DEPLOY / "Containerfile").read_text(), re.MULTILINE)
    assert image is not None
    default = json.loads(image[1])
    started = {
        name: _meaning(service.get("command", default))
        for name, service in services.items()
        if service["image"] == "sluice" and name != "migrate"
    }
    # The nice value of impact matters on a single machine; containers have CPU shares.
    assert started == _documented_commands()


def test_every_queue_has_a_worker() -> None:
    queues = {queue.name for queue in app.conf.task_queues}
    served: set[str] = set()
    for command in _units().values():
        only = re.search(r" --queues (\S+)", command)
        but = re.search(r" --exclude-queues (\S+)", command)
        if only:
            served |= set(only[1].split(","))
        elif but:
            assert set(but[1].split(",")) <= queues
            served |= queues - set(but[1].split(","))
    assert served == queues


def test_settings_of_the_example_exist() -> None:
    named = re.findall(r"^(\w+)=", (DEPLOY / "sluice.env.example").read_text(), re.MULTILINE)
    table = (ROOT / "docs/operations.md").read_text()
    documented = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    assert set(named) <= set(documented)
    assert len(named) == len(set(named))


def test_image_contains_files_that_the_product_reads() -> None:
    copied = re.findall(r"^COPY (?:--\S+ )?(\S+) ", (DEPLOY / "Containerfile").read_text(), re.M)
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    for name in ("manage.py", "console", "templates", "static", "docs", "requirements.lock"):
        assert name in copied
        assert name not in ignored
        assert (ROOT / name).exists()


def test_documented_restarts_name_existing_units_and_services() -> None:
    units = {path.name for path in (DEPLOY / "systemd").iterdir()}
    services = set(yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"])
    named_units: set[str] = set()
    named_services: set[str] = set()
    for documentation in ("deploy.md", "operations.md"):
        text = (ROOT / "docs" / documentation).read_text()
        for command in re.findall(r"^systemctl (?:restart|enable)(.+?)(?:#.*)?$", text, re.M):
            named_units |= {
                re.sub(r"@\d+", "@", word) for word in re.findall(r"sluice\S+", command)
            }
        for command in re.findall(r"^docker compose .+ (?:--no-deps|--rm) (.+)$", text, re.M):
            named_services |= set(re.split(r" python ", command)[0].split())
    assert {name if "." in name else f"{name}.service" for name in named_units} <= units
    assert named_services <= services
    assert {"sluice-web", "sluice-worker@", "sluice.target"} <= named_units
    assert {"migrate", "worker", "impact", "webhooks", "web", "beat"} <= named_services


def test_stop_timeouts_exceed_time_limits() -> None:
    """A task ends at its time limit, a request at the timeout of the web server."""
    takes = {
        "web": gunicorn_config.graceful_timeout,
        **dict.fromkeys(("worker", "impact", "webhooks"), app.conf.task_time_limit),
    }
    started = [
        (DEPLOY / name).read_text() for name in ("Containerfile", "systemd/sluice-web.service")
    ]
    assert all("python:console.server.gunicorn_config" in text for text in started)
    assert not any("--graceful-timeout" in text for text in started)
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    in_containers = {
        name: int(services[name]["stop_grace_period"].removesuffix("s")) for name in takes
    }
    units = {
        unit.stem.removeprefix("sluice-").rstrip("@"): unit.read_text()
        for unit in (DEPLOY / "systemd").glob("*.service")
    }
    under_systemd = {
        name: int(re.findall(r"^TimeoutStopSec=(\d+)$", units[name], re.M)[0]) for name in takes
    }
    assert in_containers == under_systemd
    assert all(under_systemd[name] > seconds for name, seconds in takes.items())
    # The main process passes the signal on to its children.
    assert all("\nKillMode=mixed\n" in units[name] for name in takes)


def test_image_is_unprivileged_and_installs_only_locked_packages() -> None:
    text = (DEPLOY / "Containerfile").read_text()
    assert re.findall(r"pip install (.+)$", text, re.M) == [
        '--no-cache-dir --require-hashes --no-deps -r "/build/$LOCK"'
    ]
    # The last USER before the command counts; the files are created by another user.
    user = re.findall(r"^USER (.+)$", text, re.M)
    assert user == ["10001"]
    assert text.index("manage.py collectstatic") < text.index("\nUSER ") < text.index("\nCMD ")
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    ours = [service for service in services.values() if service["image"] == "sluice"]
    assert len(ours) == 6
    for service in ours:
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert service["env_file"] == "sluice.env"


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd here")
def test_systemd_understands_the_units(tmp_path: Path) -> None:
    names = []
    for unit in sorted((DEPLOY / "systemd").iterdir()):
        # Sluice itself may be installed elsewhere, or not at all.
        text = re.sub(
            r"^(ExecStart=)\S+", rf"\1{shutil.which('true')}", unit.read_text(), flags=re.M
        )
        (tmp_path / unit.name).write_text(text)
        names.append(unit.name.replace("@.", "@1."))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *(f"./{name}" for name in names)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(names) == 8
