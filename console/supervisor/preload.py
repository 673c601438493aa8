"""
The code of the web server and of Celery, which the fork server preloads (`forked.py`).

Only the fork server imports this module: the import ties the process to its parent, the supervisor.
"""

from __future__ import annotations

import gc
import os
from importlib import import_module

# Celery would otherwise import these in each worker, after reading its options.
import celery.apps.beat
import celery.apps.worker
import celery.bin.celery
import celery.concurrency.prefork
import celery.concurrency.thread  # noqa: F401
import gunicorn.app.wsgiapp
import gunicorn.arbiter  # noqa: F401
from django.conf import settings

import console.server.worker  # noqa: F401
from console.beat_scheduler import BacklogAwareScheduler  # noqa: F401
from console.celery import app
from console.supervisor.forked import entitle
from console.supervisor.parent_death import end_with_parent

end_with_parent(os.getppid())
entitle("sluice: preloaded code")
app.loader.import_default_modules()
app.finalize()
# The modules that `console.wsgi` loads, which itself acts on the process of the web server.
import_module(settings.ROOT_URLCONF)
# The garbage collector would write to every loaded object, and so copy shared memory.
gc.freeze()
