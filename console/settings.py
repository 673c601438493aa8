"""Django settings, read from environment variables through `console.env`."""

from __future__ import annotations

import os
import secrets
import ssl
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from console import env, logs, schedulers
from console.home import Home
from console.oidc import configure as oidc
from console.tracing import configure as tracing

BASE_DIR = Path(__file__).resolve().parent.parent

# State folder and processes

HOME = Home(env.folder("SLUICE_HOME", BASE_DIR / "var"))
HOST = env.text("HOST", "127.0.0.1")
PORT = env.port("PORT", 8000)
DEBUG = env.flag("DEBUG", default=False)
DEMO = env.flag("SLUICE_DEMO", default=True)
LOG_FORMAT = env.choice("LOG_FORMAT", ("console", "json"), "console")
LOGGING_CONFIG = "logging.config.dictConfig"
LOGGING = logs.configure(LOG_FORMAT)


# Schedulers

#: Folder with additional config languages and disciplines.
SCHEDULERS = env.optional_folder("SLUICE_SCHEDULERS")
if SCHEDULERS is not None:
    schedulers.add_folder(SCHEDULERS)


# Database and broker

DATABASES: dict[str, dict[str, Any]] = {"default": env.database("DATABASE_URL", HOME.database)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = {
        # A deferred transaction that reads and then writes fails at once if another process wrote
        # in between, whatever the timeout; an immediate transaction waits.
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # FULL: changes that were confirmed with 2xx survive a power cut.
        "init_command": (
            "PRAGMA journal_mode=WAL;"
            "PRAGMA synchronous=FULL;"
            "PRAGMA mmap_size=134217728;"
            "PRAGMA journal_size_limit=67108864;"
            "PRAGMA cache_size=-20000;"
        ),
    }
else:
    # `idle_in_transaction_session_timeout` below: a process that is suspended or disconnected
    # inside a transaction must not keep its rows locked.
    _options = DATABASES["default"].setdefault("OPTIONS", {})
    # The timeouts detect a server that is gone without closing its connections, for example after a
    # power cut: web processes would wait for minutes for a result or a connection.
    for _name, _value in (
        ("connect_timeout", 5),
        ("keepalives_idle", 5),
        ("keepalives_interval", 2),
        ("keepalives_count", 3),
        ("tcp_user_timeout", 10_000),
    ):
        _options.setdefault(_name, _value)
    # Executions of a statement of `console.statements` before the server prepares it.
    _options.setdefault("prepare_threshold", 5)
    if "idle_in_transaction_session_timeout" not in _options.get("options", ""):
        _ours = "-c idle_in_transaction_session_timeout=10s"
        _options["options"] = f"{_options.get('options', '')} {_ours}".strip()
DATABASES["default"]["CONN_MAX_AGE"] = 60
# `console.connections` checks connections instead.
DATABASES["default"]["CONN_HEALTH_CHECKS"] = False

REDIS_IS_EMBEDDED = not env.text("REDIS_URL", "")
REDIS_URL = env.broker("REDIS_URL", HOME.broker_socket)
CELERY_BROKER_URL = env.celery_broker(REDIS_URL)
if REDIS_URL.startswith("rediss://"):
    # By default, Celery accepts any certificate. Parameters in the URL override this setting.
    CELERY_BROKER_USE_SSL = {"ssl_cert_reqs": ssl.CERT_REQUIRED}
CELERY_BEAT_SCHEDULE_FILENAME = str(HOME.schedule)
CACHES = {
    "default": {
        "BACKEND": "console.broker_cache.BrokerCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "sluice",
        # Values of version 1 are pickles. Old and new processes must not read each other's values.
        "VERSION": 2,
        # Short timeouts, because signing in waits for the cache while the broker is down.
        "OPTIONS": {"socket_timeout": 1, "socket_connect_timeout": 1},
    }
}


# Secrets, hosts and cookies


def _stored_secret_key() -> str:
    try:
        return HOME.secret_key.read_text().strip()
    except OSError:
        return ""


SECRET_KEY = env.text("SECRET_KEY", _stored_secret_key())
#: No key is set or generated: commands can run without one, `console.secret_key` refuses processes.
SECRET_KEY_IS_TEMPORARY = not SECRET_KEY
if SECRET_KEY_IS_TEMPORARY:
    SECRET_KEY = secrets.token_urlsafe(50)

# The names of the local machine are always allowed: health checks and local programs use them.
ALLOWED_HOSTS = [*env.words("ALLOWED_HOSTS", [HOST]), "localhost", "127.0.0.1", "[::1]"]
CSRF_TRUSTED_ORIGINS = env.origins("CSRF_TRUSTED_ORIGINS")
#: Proxies whose X-Forwarded-For is trusted.
TRUSTED_PROXIES = env.networks("TRUSTED_PROXIES")

# Browsers do not send Secure cookies over plain http, which the default address uses. Therefore
# cookies are Secure only if every trusted origin has TLS.
HTTPS_ONLY = bool(CSRF_TRUSTED_ORIGINS) and all(
    origin.startswith("https://") for origin in CSRF_TRUSTED_ORIGINS
)
SESSION_COOKIE_SECURE = HTTPS_ONLY
CSRF_COOKIE_SECURE = HTTPS_ONLY
SESSION_ENGINE = "console.orgs.sessions"
SESSION_COOKIE_NAME = "sluice_session"
CSRF_COOKIE_NAME = "sluice_csrf"
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 14 * 24 * 3600
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SILENCED_SYSTEM_CHECKS = [
    # Redirects to https and HSTS belong to the proxy that ends TLS: the console cannot know whether
    # its whole host name is served over https.
    "security.W004",
    "security.W008",
    # An email address can have several accounts; `AccountBackend` finds the right one.
    "auth.W004",
]


# Retention

#: Retention of events and audit entries in days; 0 keeps them forever.
EVENT_RETENTION_DAYS = env.number("EVENT_RETENTION_DAYS", 90, 0, 3650)
AUDIT_RETENTION_DAYS = env.number("AUDIT_RETENTION_DAYS", 365, 0, 3650)
#: Retention of ended workloads with their decisions and events, in days; 0 keeps them forever.
WORKLOAD_RETENTION_DAYS = env.number("WORKLOAD_RETENTION_DAYS", 365, 0, 3650)
#: Retention of time series by minute, hour and day, in days; coarser series are kept at least as
#: long as finer ones.
MINUTE_RETENTION_DAYS = env.number("MINUTE_RETENTION_DAYS", 2, 1, 60)
HOUR_RETENTION_DAYS = env.number("HOUR_RETENTION_DAYS", 40, MINUTE_RETENTION_DAYS, 1000)
DAY_RETENTION_DAYS = env.number("DAY_RETENTION_DAYS", 730, HOUR_RETENTION_DAYS, 10000)
#: Retention of completed webhook deliveries in days.
WEBHOOK_RETENTION_DAYS = env.number("WEBHOOK_RETENTION_DAYS", 30, 1, 3650)
#: Rows of each partition of decisions and of events, after `manage.py partition`; 0: no partitions.
PARTITION_ROWS = env.number_or_zero("PARTITION_ROWS", 1_000_000, 20_000_000)
if PARTITION_ROWS and DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    raise ImproperlyConfigured(
        "PARTITION_ROWS needs PostgreSQL, and DATABASE_URL names none: SQLite has no partitions."
    )


# Processes

#: Web processes that `up` starts. WORKER_PROCESSES below is the number of admission workers; more
#: than four help only installations with many busy organizations.
WEB_PROCESSES = env.number("WEB_PROCESSES", min(2 * (os.cpu_count() or 1), 8), 1, 64)
#: Additional web processes of low priority for expensive requests; 0: all web processes serve them.
OFFLOAD_PROCESSES = env.number_or_zero("OFFLOAD_PROCESSES", 1, 16, max(1, WEB_PROCESSES // 4))
WORKER_PROCESSES = env.number("WORKER_PROCESSES", min(os.cpu_count() or 1, 4), 1, 8)

#: Connections per client address, in all web processes together; 0: no limit.
CONNECTIONS_PER_ADDRESS = env.number_or_zero("CONNECTIONS_PER_ADDRESS", 8, 100_000, 200)


# Memory

#: Live workloads that a worker process keeps in memory between runs, in all organizations together.
#: The least recently used states are dropped, and restored from rows when they are needed.
WARM_WORKLOADS = env.number("WARM_WORKLOADS", 500_000, 0, 100_000_000)


# Clusters

#: Seconds without a heartbeat after which a cluster counts as silent, and accepts no new pods.
CLUSTER_TIMEOUT = env.number("SLUICE_CLUSTER_TIMEOUT", 60, 5, 86_400)


# Rate limit

#: Average requests per second of one token; 0: no limit.
TOKEN_REQUESTS_PER_SECOND = env.number("TOKEN_REQUESTS_PER_SECOND", 0, 0, 100_000)


# Webhooks

_HERE = "localhost" if HOST == "0.0.0.0" or ":" in HOST else HOST  # noqa: S104
#: The public origin of the console, for links in webhook payloads.
PUBLIC_URL = env.origin("PUBLIC_URL", (*CSRF_TRUSTED_ORIGINS, f"http://{_HERE}:{PORT}")[0])
#: Networks that webhooks may reach besides public addresses, also over plain http.
WEBHOOK_ALLOWED_NETWORKS = env.networks("WEBHOOK_ALLOWED_NETWORKS")


# E-mail

#: The mail server, to which e-mail for members is sent; without one, e-mail is off.
EMAIL_HOST = env.text("EMAIL_HOST", "")
EMAIL_PORT = env.number("EMAIL_PORT", 587, 1, 65535)
EMAIL_HOST_USER = env.text("EMAIL_HOST_USER", "")
EMAIL_HOST_PASSWORD = env.text("EMAIL_HOST_PASSWORD", "")
_EMAIL_SECURITY = env.choice("EMAIL_SECURITY", ("starttls", "tls", "none"), "starttls")
EMAIL_USE_TLS = _EMAIL_SECURITY == "starttls"
EMAIL_USE_SSL = _EMAIL_SECURITY == "tls"
#: Seconds for each step of a connection.
EMAIL_TIMEOUT = 5
DEFAULT_FROM_EMAIL = env.text("EMAIL_FROM", "")
if EMAIL_HOST and "@" not in DEFAULT_FROM_EMAIL:
    raise ImproperlyConfigured(
        "EMAIL_HOST needs EMAIL_FROM, the sender of e-mail, such as sluice@example.org."
    )


# Metrics

#: Bearer token of the monitoring system; if empty, only programs on this machine may read metrics.
METRICS_TOKEN = env.text("METRICS_TOKEN", "")
#: Whether metrics have series for each queue; many organizations with many queues are many series.
METRICS_BY_QUEUE = env.flag("METRICS_BY_QUEUE", default=True)


# Application

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "console.static_files.StaticFiles",
    "django_ace",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "console.orgs",
    "console.configs",
    "console.capacity",
    "console.workloads",
    "console.series",
    "console.accounting",
    "console.overview",
    "console.telemetry",
    "console.webhooks",
    "console.retention",
    "console.api",
    "console.pages",
    "console.supervisor",
]

#: Functions of other apps that run with each batch of decisions, in this order: the last one counts
#: durations, which include the others.
BATCH_OBSERVERS = [
    "console.webhooks.services.notify_of_batch.notify_of_batch",
    "console.series.tallies.tally_batch",
    "console.accounting.services.account_batch.account_batch",
    "console.telemetry.transitions.count_batch",
]

MIDDLEWARE = [
    "console.server.content_length.ContentLengthMiddleware",
    "console.logs.RequestLogMiddleware",
    "console.caller.CallerMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "console.csp.ContentSecurityPolicyMiddleware",
    "console.server.compression.PageCompressionMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "console.hosts.HostMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

#: Whether OpenTelemetry's environment variables enable traces.
TRACING = tracing.is_wanted()
if TRACING:
    MIDDLEWARE.insert(2, tracing.MIDDLEWARE)

ROOT_URLCONF = "console.urls"
WSGI_APPLICATION = "console.wsgi.application"
APPEND_SLASH = False

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    }
]

#: The folder with the documents of the documentation.
DOCUMENTATION = BASE_DIR / "docs"

AUTH_USER_MODEL = "orgs.User"
AUTHENTICATION_BACKENDS = [
    "console.orgs.backend.AccountBackend",
    # For sessions of earlier versions and of the sign-in provider; it checks no password.
    "django.contrib.auth.backends.ModelBackend",
]
LOGIN_URL = "/login"
LOGIN_REDIRECT_URL = "/o/"
LOGOUT_REDIRECT_URL = "/login"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
    )
]

#: Which accounts may create organizations in the browser: those with the permission of
#: `allow_creating_orgs`, all that are known to belong to the person with their address, or none.
ORG_CREATION = env.choice("ORG_CREATION", ("permitted", "all", "none"), "permitted")
#: Maximum number of organizations that the accounts of one address create in the browser.
ORGS_PER_PERSON = env.number("ORGS_PER_PERSON", 20, 1, 10_000)

#: Whether members can sign in with a password; if off, they use only the provider below.
LOCAL_SIGN_IN = env.flag("LOCAL_SIGN_IN", default=True)
#: The OpenID Connect provider; no issuer means no provider.
OIDC_ISSUER = env.issuer("OIDC_ISSUER")
OIDC_CLIENT_ID = env.text("OIDC_CLIENT_ID", "")
OIDC_CLIENT_SECRET = env.text("OIDC_CLIENT_SECRET", "")
OIDC_TITLE = env.text("OIDC_TITLE", "single sign-on")
env.together("OIDC_ISSUER", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET")
if OIDC_ISSUER:
    INSTALLED_APPS += oidc.INSTALLED_APPS
    MIDDLEWARE.append(oidc.MIDDLEWARE)
    globals().update(
        oidc.allauth_settings(OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_TITLE)
    )
elif not LOCAL_SIGN_IN:
    raise ImproperlyConfigured(
        "LOCAL_SIGN_IN is off, and there is no OIDC_ISSUER: no member could sign in."
    )

LANGUAGE_CODE = "en-us"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"


# Static files

STATIC_URL = "/static/"
STATIC_ROOT = HOME.static
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    # Copies without a hash are kept: the editor loads its modules by their plain names.
    "staticfiles": {"BACKEND": "console.static_files.BundlingStorage"},
}


# API

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "console.api.authentication.BearerTokenAuthentication",
        "console.api.authentication.BrowserSessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["console.api.authentication.HasCredentials"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "console.api.errors.exception_handler",
    "UNAUTHENTICATED_USER": None,
    "COERCE_DECIMAL_TO_STRING": False,
}
# A request may carry 1,000 workloads or a config of a megabyte.
DATA_UPLOAD_MAX_MEMORY_SIZE = 8 * 1024 * 1024
FILE_UPLOAD_HANDLERS = ["console.uploads.BoundedUploadHandler"]

SPECTACULAR_SETTINGS = {
    "TITLE": "Sluice",
    "DESCRIPTION": "Decide which compute workloads may run, and say why.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    # The schema is public, also for requests with an expired token.
    "SERVE_AUTHENTICATION": [],
    # Enums stay inside their fields: as components they would need names.
    "POSTPROCESSING_HOOKS": [],
}
