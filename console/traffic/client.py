"""A client of the HTTP API, with the calls that submitters and executors need."""

from __future__ import annotations

import http.client
import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

#: The number of rows of a page of a list.
_PAGE = 1000

_TIMEOUT = 30

#: Outcomes that an executor acts on or reports to the submitter.
_EXECUTOR_OUTCOMES = ("admitted", "preempted", "withdrawn", "rejected")


class Unavailable(Exception):
    """The API does not answer, or answers with a server error; a retry may succeed."""


class Refused(Exception):
    """The API rejected a request, with *status* and a message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Client:
    """A client for one organization with one token, over one persistent connection."""

    def __init__(self, url: str, org: str, token: str) -> None:
        parts = urlsplit(url)
        kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        self._connection = kind(parts.netloc, timeout=_TIMEOUT)
        self._base = f"{parts.path.rstrip('/')}/api/v1/orgs/{quote(org, safe='')}"
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def submit(self, workloads: Sequence[dict[str, Any]], key: str) -> list[str]:
        """Submit up to 1,000 workloads and return their ids; the same *key* submits them once."""
        answer = self._send(
            "POST", "/workloads", {"workloads": list(workloads)}, {"Idempotency-Key": key}
        )
        ids: list[str] = answer["ids"]
        return ids

    def finish(self, ids: Sequence[str]) -> None:
        """Report workloads as finished: all of them, or none if the API rejects one."""
        self._send("POST", "/workloads/finish", {"ids": list(ids)})

    def release(self, ids: Sequence[str]) -> None:
        """Report preempted workloads as released: all of them, or none if the API rejects one."""
        self._send("POST", "/workloads/release", {"ids": list(ids)})

    def apply(self, dialect: str, text: str) -> None:
        """Apply the first config of the organization."""
        version = {"dialect": dialect, "text": text, "message": "", "expected_version": 0}
        self._send("POST", "/config/versions", version)

    def has_any(self, state: str) -> bool:
        """Return whether any workload is in *state*."""
        query = urlencode({"state": state, "limit": 1})
        return bool(self._send("GET", f"/workloads?{query}")["results"])

    def end(self, uid: str, action: str) -> None:
        """Report the end of one workload; *action* is finish, withdraw or release."""
        self._send("POST", f"/workloads/{uid}/{action}", {})

    def workload_ids(self, user: str, state: str) -> list[str]:
        """Return the ids of all workloads of *user* in *state*."""
        return [row["id"] for row in self._pages("/workloads", {"user": user, "state": state})]

    def ends(self) -> dict[str, str]:
        """Return the end time of each finished workload, as the API reports it, by id."""
        rows = self._pages("/workloads", {"state": "finished"})
        return {row["id"]: row["ended_at"] for row in rows}

    def releases(self) -> list[tuple[str, str]]:
        """Return id and time of each release of a preempted workload."""
        rows = self._pages("/events", {"type": "REQUEST_RELEASED"})
        return [(row["workload"], row["created_at"]) for row in rows]

    def last_decision(self) -> int:
        """Return a number after which there is no decision yet, found by binary search."""
        low, high = 0, 1
        while self.decisions(high, limit=1):
            low, high = high, high * 2
        while low < high:
            middle = (low + high) // 2
            if self.decisions(middle, limit=1):
                low = middle + 1
            else:
                high = middle
        return high

    def decisions(self, after: int, limit: int = _PAGE) -> list[dict[str, Any]]:
        """Return the next decisions after number *after*."""
        query = urlencode({"after": after, "limit": limit})
        rows: list[dict[str, Any]] = self._send("GET", f"/decisions?{query}")["results"]
        return rows

    def executor_decisions(self, after: int, seconds: int) -> tuple[list[dict[str, Any]], int]:
        """
        Return the next decisions that an executor acts on, and the number to continue after.

        Wait up to *seconds*, at most 2, for such a decision. Decisions that a workload is pending
        are left out, because they need no action.
        """
        asked = {"after": after, "limit": _PAGE, "outcome": _EXECUTOR_OUTCOMES, "wait": seconds}
        query = urlencode(asked, doseq=True)
        answer = self._send("GET", f"/decisions?{query}")
        return answer["results"], answer["next"]

    def _pages(self, path: str, query: dict[str, str]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        cursor = None
        while True:
            page = {**query, "limit": str(_PAGE), **({"cursor": cursor} if cursor else {})}
            answer = self._send("GET", f"{path}?{urlencode(page)}")
            found += answer["results"]
            cursor = answer["next"]
            if not cursor:
                return found

    def _send(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> Any:
        payload = None if body is None else json.dumps(body)
        try:
            self._connection.request(
                method, self._base + path, payload, {**self._headers, **(headers or {})}
            )
            response = self._connection.getresponse()
            status, text = response.status, response.read()
        except (OSError, http.client.HTTPException) as error:
            # The next request opens a new connection.
            self._connection.close()
            raise Unavailable(str(error) or type(error).__name__) from error
        if status >= 500:
            raise Unavailable(f"status {status}")
        answer = _json(text)
        if status >= 400:
            detail = answer.get("detail") if isinstance(answer, dict) else None
            raise Refused(status, str(detail or f"status {status}"))
        return answer


def _json(text: bytes) -> Any:
    try:
        return json.loads(text) if text else None
    except ValueError:
        return None
