"""The form with which a user changes the own password."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.forms import PasswordChangeForm
from django.core.exceptions import ValidationError

from console.orgs.people import account_with_password


class OwnPasswordForm(PasswordChangeForm):
    """Requires the old password, and twice a new one that no other account of the email has."""

    #: Whether the sender guesses no password: the old one is right, and the new one is unused.
    knows_password = False

    def clean(self) -> dict[str, Any]:
        """
        Reject a new password that another account with the same email address already has.

        Sign-in finds the account of an address by its password, so one of the two accounts would
        become unreachable.
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
