"""The web application, as a WSGI server starts it."""

import gc
import os
from importlib import import_module

from django.conf import settings
from django.core.signals import request_started
from django.core.wsgi import get_wsgi_application

from console.collector import collect_between_requests, collect_seldom
from console.connections import drop_closed
from console.keys import require_key
from console.migrating.skew import log_skew
from console.private_state import keep_private
from console.tracing.start import start_tracing

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")

# Sessions are signed with it.
require_key()
keep_private(settings.HOME)

application = get_wsgi_application()
request_started.connect(drop_closed)
# Every process would load it at its first request: a server that preloads does it once for all.
import_module(settings.ROOT_URLCONF)
log_skew()
start_tracing()
# What is loaded stays: to look through all of it again and again would hold requests up.
collect_seldom()
collect_between_requests()
gc.freeze()
