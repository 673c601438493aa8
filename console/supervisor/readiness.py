"""Asks the web process, as anybody could, whether it and the rest are up."""

from __future__ import annotations

import http.client
import json


def answer(host: str, port: int, path: str) -> tuple[int, dict[str, object]]:
    """Return status and JSON body of a health check; status 0 when nothing answers yet."""
    connection = http.client.HTTPConnection(host, port, timeout=1)
    try:
        # Always an allowed host, whatever ALLOWED_HOSTS says.
        connection.request("GET", path, headers={"Host": "localhost"})
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    except (OSError, http.client.HTTPException, ValueError):
        return 0, {}
    finally:
        connection.close()
