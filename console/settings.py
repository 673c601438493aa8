"""Settings: read from the environment through `console.env`, once."""

from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent
SECRET_KEY = "bootstrap"
AUTH_USER_MODEL = "orgs.User"
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "console.orgs",
    "console.configs",
    "console.workloads",
]
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "/tmp/bootstrap.sqlite3"}}
USE_TZ = True
