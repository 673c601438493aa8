"""The inventory of an organization for readers, kept between requests."""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime
from threading import Lock
from typing import Final, TypeAlias

from console.capacity.queries.inventory import refresh_inventory
from console.engine.model.inventory import Inventory
from console.orgs.models import Organization

#: Maximum number of organizations with a kept inventory per process.
_KEPT: Final = 8

#: Key and creation time of an organization, because a restored database may reuse a key.
_Key: TypeAlias = tuple[int, datetime]

_lock = Lock()
_kept: OrderedDict[_Key, Inventory] = OrderedDict()


def present_inventory(org: Organization) -> Inventory:
    """
    Return the present inventory of *org*.

    Only clusters and nodes that have changed since the last call are read. Callers must not change
    it.
    """
    key = org.pk, org.created_at
    with _lock:
        known = _kept.get(key, Inventory())
    inventory = refresh_inventory(org.pk, known)
    with _lock:
        _kept[key] = inventory
        _kept.move_to_end(key)
        if len(_kept) > _KEPT:
            _kept.popitem(last=False)
    return inventory
