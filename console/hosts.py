"""Host name check: `ALLOWED_HOSTS`, with an exception for health probes."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.middleware.common import CommonMiddleware

#: Paths for orchestrators and load balancers, which know only the IP address of a process. Their
#: responses contain no link and nothing confidential, unlike `/metrics`, which is not listed here.
PROBES: Final = ("/healthz", "/readyz")


class HostMiddleware(CommonMiddleware):
    """Middleware that refuses host names outside `ALLOWED_HOSTS`, except for probes."""

    def process_request(self, request: HttpRequest) -> HttpResponsePermanentRedirect | None:
        """Return the redirect that Django asks for, if any; raises DisallowedHost."""
        return None if request.path in PROBES else super().process_request(request)
