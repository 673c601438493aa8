"""The WSGI application."""

import gc
import os
from importlib import import_module

from django.conf import settings
from django.core.signals import request_started
from django.core.wsgi import get_wsgi_application

from console.connections import drop_closed
from console.garbage_collection import collect_between_requests, collect_rarely
from console.migrating.skew import log_skew
from console.private_state import keep_private
from console.secret_key import require_secret_key
from console.tracing.start import start_tracing

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")

# Sessions are signed with the key.
require_secret_key()
keep_private(settings.HOME)

application = get_wsgi_application()
request_started.connect(drop_closed)
# Otherwise every process would load the URLs at its first request; a server that preloads the
# application loads them once for all processes.
import_module(settings.ROOT_URLCONF)
log_skew()
start_tracing()
# Loaded modules stay in memory: collections that examine them again and again would delay requests.
collect_rarely()
collect_between_requests()
gc.freeze()
