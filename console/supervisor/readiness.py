"""Health checks of the web process over HTTP."""

from __future__ import annotations

import http.client
import json


def answer(host: str, port: int, path: str) -> tuple[int, dict[str, object]]:
    """Return status and JSON body of a health check; status 0 if there is no response yet."""
    connection = http.client.HTTPConnection(host, port, timeout=1)
    try:
        # A host that is always allowed, independent of ALLOWED_HOSTS.
        connection.request("GET", path, headers={"Host": "localhost"})
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    except (OSError, http.client.HTTPException, ValueError):
        return 0, {}
    finally:
        connection.close()
