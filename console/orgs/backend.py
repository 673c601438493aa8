"""Password authentication, for addresses that can have several accounts."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.backends import ModelBackend
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from console.orgs.models import User
from console.orgs.people import account_with_password

#: The dotted path of the backend, as stored in sessions.
BACKEND = "console.orgs.backend.AccountBackend"


class AccountBackend(ModelBackend):
    """Authentication backend that finds the account of an address by its password."""

    def authenticate(
        self,
        request: HttpRequest | None,
        username: str | None = None,
        password: str | None = None,
        **kwargs: Any,
    ) -> User | None:
        """
        Return the account of the address *username* with this *password*.

        Raises PermissionDenied if there is none, so that no other backend checks the password
        again.
        """
        if username is None or password is None:
            return None
        user = account_with_password(username, password)
        if user is None:
            raise PermissionDenied
        return user
