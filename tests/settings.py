"""Settings of the product for tests: quick and self-contained."""

import os

# Ignore the environment and the state folder of the developer.
for _name in (
    *("SECRET_KEY", "ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "HOST", "DEBUG", "PARTITION_ROWS"),
):
    os.environ.pop(_name, None)
os.environ["DATABASE_URL"] = os.environ.get("TEST_DATABASE_URL") or "sqlite://:memory:"
# There is no broker: nudges fail, and tests run the engine themselves.
os.environ["REDIS_URL"] = "unix:///dev/null/broker.sock"

from console.settings import *
from console.settings import DATABASES, MIDDLEWARE

# WhiteNoise would scan all static files for each test client.
MIDDLEWARE = [name for name in MIDDLEWARE if "whitenoise" not in name]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
CELERY_BROKER_URL = "memory://"
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
# A test is one transaction, so the limits of transactions do not apply.
DATABASES["default"].get("OPTIONS", {}).pop("options", None)
