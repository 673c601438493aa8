"""
Audit of the locked packages of the product: pins, hashes and known vulnerabilities.

python -m tests.audit

Pins are checked from the files alone. Vulnerabilities are queried from OSV, or from another service
with the same protocol that AUDIT_URL names: one request with the names and versions of the
packages, and one for each advisory. An unreachable service is reported in one line; with
AUDIT=required that is an error.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

ROOT = Path(__file__).resolve().parent.parent

#: Locks of the running product; development packages never leave the machine of a contributor.
LOCKS = (ROOT / "requirements.lock", ROOT / "requirements-tracing.lock")
IGNORED = ROOT / "tests" / "ignored-advisories.toml"

SERVICE = "https://api.osv.dev"

#: Seconds for all requests together, including a name that does not resolve.
PATIENCE = 8

_PIN = re.compile(r"([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?==([^\s;\\]+)")
_HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}\b")


@dataclass(frozen=True, slots=True, order=True)
class Package:
    """A locked package."""

    name: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Advisory:
    """A known vulnerability of a package."""

    package: Package
    #: The identifier of the service first, then its aliases.
    names: tuple[str, ...]
    summary: str = ""
    #: Versions in which the vulnerability is fixed.
    fixed: tuple[str, ...] = ()

    def __str__(self) -> str:
        others = f" ({', '.join(self.names[1:])})" if self.names[1:] else ""
        summary = f" {self.summary.rstrip('.')}." if self.summary else ""
        fixed = f" Fixed in {', '.join(self.fixed)}." if self.fixed else " No fix is known."
        return (
            f"{self.package.name} {self.package.version}: {self.names[0]}{others}.{summary}{fixed}"
        )


class Unreachable(Exception):
    """The service gave no usable answer; the message says why."""


def main() -> int:
    """Audit the locks, print the problems, and return the exit status."""
    problems: list[str] = []
    packages: set[Package] = set()
    for lock in LOCKS:
        found, wrong = read_lock(lock)
        packages |= found
        problems += wrong
    ignored, wrong = read_ignored(IGNORED, datetime.now(UTC).date())
    problems += wrong
    service = os.environ.get("AUDIT_URL") or SERVICE
    try:
        advisories = ask(service, sorted(packages), PATIENCE)
    except Unreachable as failure:
        host = urlsplit(service).netloc
        required = os.environ.get("AUDIT") == "required"
        print(
            f"The locked packages were not checked for vulnerabilities: {host} {failure}."
            + ("" if required else " Set AUDIT=required to make this an error."),
            file=sys.stderr,
        )
        problems += [f"AUDIT=required, and {host} could not be asked."] if required else []
    else:
        problems += judge(advisories, ignored)
        if not problems:
            print(f"{len(packages)} locked packages have no known vulnerability.")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


def read_lock(path: Path) -> tuple[set[Package], list[str]]:
    """Return the packages of a lock, and its problems: a package without version or hash."""
    packages, problems = set(), []
    # Indented lines continue a requirement.
    for entry in re.split(r"\n(?=\S)", path.read_text("utf-8").strip()):
        if entry.startswith("#"):
            continue
        first = entry.split("\n")[0].rstrip(" \\")
        pin = _PIN.match(entry)
        if pin is None:
            problems.append(f"{path.name}: {first!r} names no exact version; lock again.")
        elif not _HASH.search(entry):
            problems.append(f"{path.name}: {first!r} has no hash; lock again.")
        else:
            packages.add(Package(pin[1].lower(), pin[2]))
    return packages, problems


def read_ignored(path: Path, today: date) -> tuple[dict[str, Mapping[str, Any]], list[str]]:
    """Return the ignored advisories by name, and the problems of that file."""
    ignored = tomllib.loads(path.read_text("utf-8"))
    problems = []
    for name, entry in ignored.items():
        if set(entry) != {"package", "reason", "look_again"}:
            problems.append(f"{path.name}: {name} needs package, reason and look_again.")
        elif entry["look_again"] <= today:
            problems.append(
                f"{path.name}: it was said of {name} to look again on {entry['look_again']}. Is it "
                "fixed, and does the reason still hold? Take it out, or give another day."
            )
    return ignored, problems


def judge(
    advisories: Sequence[Advisory], ignored: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    """Yield a problem for each advisory that is not ignored, and for each needless ignore entry."""
    used: set[str] = set()
    for advisory in advisories:
        named = {
            name for name in advisory.names if _applies_to(ignored.get(name), advisory.package)
        }
        used |= named
        if not named:
            yield (
                f"{advisory} Lock a version that has the fix (docs/dependencies.md says how), or "
                f"say in tests/{IGNORED.name} why it does not concern Sluice."
            )
    for name in sorted(ignored.keys() - used):
        yield f"{IGNORED.name}: nothing that is locked has {name} any more; take it out."


def _applies_to(entry: Mapping[str, Any] | None, package: Package) -> bool:
    return entry is not None and entry.get("package") == package.name


def ask(service: str, packages: Sequence[Package], seconds: float) -> list[Advisory]:
    """
    Return the advisories that *service* has for *packages*, each once.

    Raise Unreachable when the service has not answered after *seconds*.
    """
    found: list[list[Advisory]] = []
    failures: list[Exception] = []
    deadline = time.monotonic() + seconds

    def work() -> None:
        try:
            found.append(_ask(service, packages, deadline))
        except Exception as failure:
            failures.append(failure)

    # Resolving an unknown name may take longer than any timeout of the request.
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if found:
        return found[0]
    if not failures:
        raise Unreachable(f"did not answer within {seconds:g} seconds")
    [failure] = failures
    if isinstance(failure, HTTPError):
        failure.close()
        raise Unreachable(f"answered with status {failure.code}")
    if isinstance(failure, OSError):
        raise Unreachable(f"cannot be reached ({getattr(failure, 'reason', failure)})")
    if isinstance(failure, (ValueError, KeyError, TypeError)):
        raise Unreachable("answered something else than expected")
    raise failure


def _ask(service: str, packages: Sequence[Package], deadline: float) -> list[Advisory]:
    queries = [
        {"package": {"name": each.name, "ecosystem": "PyPI"}, "version": each.version}
        for each in packages
    ]
    answer = _call(f"{service}/v1/querybatch", deadline, {"queries": queries})
    advisories: list[Advisory] = []
    for package, result in zip(packages, answer["results"], strict=True):
        for each in result.get("vulns", ()):
            details = _call(f"{service}/v1/vulns/{quote(each['id'])}", deadline)
            advisory = _advisory(package, details)
            known = {
                name for other in advisories if other.package == package for name in other.names
            }
            # Several databases publish the same vulnerability under different names.
            if "withdrawn" not in details and known.isdisjoint(advisory.names):
                advisories.append(advisory)
    return advisories


def _advisory(package: Package, details: Mapping[str, Any]) -> Advisory:
    affected = [
        each
        for each in details.get("affected", ())
        if each.get("package", {}).get("name", "").lower() == package.name
    ]
    fixed = {
        event["fixed"]
        for each in affected
        for range_ in each.get("ranges", ())
        # Other ranges name commits.
        if range_.get("type") == "ECOSYSTEM"
        for event in range_.get("events", ())
        if "fixed" in event
    }
    return Advisory(
        package=package,
        names=(details["id"], *sorted(details.get("aliases", ()))),
        summary=details.get("summary", ""),
        fixed=tuple(sorted(fixed)),
    )


def _call(url: str, deadline: float, body: Mapping[str, Any] | None = None) -> Any:
    request = Request(  # noqa: S310
        url,
        None if body is None else json.dumps(body).encode(),
        {"Content-Type": "application/json", "User-Agent": "sluice-audit"},
    )
    with urlopen(request, timeout=max(0.1, deadline - time.monotonic())) as response:  # noqa: S310
        return json.loads(response.read())


if __name__ == "__main__":
    sys.exit(main())
