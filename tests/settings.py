"""The product's settings, made quick and self-contained for tests."""

import os

# Neither the developer's own environment nor their state folder takes part.
for _name in (
    *("SECRET_KEY", "ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "HOST", "DEBUG", "PARTITION_ROWS"),
):
    os.environ.pop(_name, None)
os.environ["DATABASE_URL"] = os.environ.get("TEST_DATABASE_URL") or "sqlite://:memory:"
# No server is ever there: a nudge finds the broker down, and tests run the engine themselves.
os.environ["REDIS_URL"] = "unix:///dev/null/broker.sock"

from console.settings import *
from console.settings import DATABASES, MIDDLEWARE

# Its middleware looks through all static files for each test client.
MIDDLEWARE = [name for name in MIDDLEWARE if "whitenoise" not in name]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
CELERY_BROKER_URL = "memory://"
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
# A test is one transaction, in which whoever looks into it may take their time.
DATABASES["default"].get("OPTIONS", {}).pop("options", None)
