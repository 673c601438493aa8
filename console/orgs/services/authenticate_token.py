"""Authenticate an API token by its secret."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Final

from django.db import connection
from django.utils import timezone

from console import statements
from console.caller import current_caller
from console.orgs.models import ApiToken, Organization
from console.orgs.token_secrets import PREFIX, digest_of

#: Accuracy of the last use of a token, which limits writes.
_LAST_USED_EVERY = timedelta(minutes=1)

#: Every API request runs this query.
_BY_DIGEST: Final = """SELECT
        t.last_used_at IS NULL OR t.last_used_at < %s,
        t.id, cast(t.name AS text), cast(t.role AS text),
        cast(t.user_name AS text), cast(t."groups" AS text),
        o.id, cast(o.slug AS text), cast(o.name AS text)
    FROM orgs_apitoken t JOIN orgs_organization o ON o.id = t.org_id
    WHERE t.digest = %s AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > %s)
"""


def authenticate_token(secret: str) -> ApiToken | None:
    """
    Return the token with its organization; None if it is unknown, revoked or expired.

    Other columns are deferred.
    """
    if not secret.startswith(PREFIX):
        return None
    now = timezone.now()
    moment, lately = map(connection.ops.adapt_datetimefield_value, (now, now - _LAST_USED_EVERY))
    rows = statements.rows(_BY_DIGEST, [lately, digest_of(secret), moment])
    if not rows:
        return None
    is_due, *columns = rows[0]
    # Values in the order of a model's own columns.
    org = Organization.from_db(connection.alias, ("id", "slug", "name"), columns[5:])
    token = ApiToken.from_db(
        connection.alias,
        ("id", "org_id", "name", "role", "user_name", "groups"),
        (columns[0], org.pk, *columns[1:4], json.loads(columns[4])),
    )
    token.org = org
    if is_due:
        caller = current_caller()
        ApiToken.objects.filter(pk=token.pk).update(
            last_used_at=now, last_used_ip=caller.ip, last_used_agent=caller.agent
        )
    return token
