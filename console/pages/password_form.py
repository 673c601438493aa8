"""The form by which a person changes their password."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.forms import PasswordChangeForm
from django.core.exceptions import ValidationError

from console.orgs.people import account_with_password


class OwnPasswordForm(PasswordChangeForm):
    """Asks for the old password and twice for a new one that leads to this account alone."""

    #: Whether what was sent guesses no password: the old one is right, the new one unused.
    knows_password = False

    def clean(self) -> dict[str, Any]:
        """
        Refuse a password by which another account of the same address is signed in to.

        Signing in finds the account of an address by its password, so one of the two could not be
        reached any more.
        """
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        chosen = cleaned.get("new_password1")
        self.knows_password = "old_password" in cleaned
        if chosen and not self.errors:
            other = account_with_password(self.user.email, chosen)
            if other is not None and other.pk != self.user.pk:
                self.knows_password = False
                self.add_error("new_password1", ValidationError("Choose another password."))
        return cleaned
