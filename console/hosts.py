"""By which names the console may be asked."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.middleware.common import CommonMiddleware

#: What orchestrators and load balancers ask, who know a process by its address alone. Their answers
#: have no link, and nothing that only some may read: `/metrics`, which has, is not among them.
PROBES: Final = ("/healthz", "/readyz")


class HostMiddleware(CommonMiddleware):
    """Refuses names that are not in `ALLOWED_HOSTS`, except for probes."""

    def process_request(self, request: HttpRequest) -> HttpResponsePermanentRedirect | None:
        """Return a redirect where Django wants one; raises DisallowedHost."""
        return None if request.path in PROBES else super().process_request(request)
