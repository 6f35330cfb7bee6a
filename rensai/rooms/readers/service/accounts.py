"""Administrators, and how many accounts there are."""

from rensai.kit.clock import Clock
from rensai.kit.db import Reads, Tx
from rensai.rooms.readers.errors import AdminExists
from rensai.rooms.readers.model import Created
from rensai.rooms.readers.service import registration
from rensai.rooms.readers.store import accounts as store


async def create_admin(
    tx: Tx, *, username: str, email: str, password: str, clock: Clock, another: bool = False
) -> Created:
    """Make an administrator: the first one, or, when asked for, one more."""
    registration.require_account_shape(username, email, password)
    account = await registration.prepared(username, email, password, username)
    await store.lock_admins(tx)
    if not another and await store.admin_exists(tx):
        raise AdminExists
    return await registration.insert(tx, account, role="admin", now=clock.now())


async def count_accounts(reads: Reads) -> int:
    """How many accounts are open here."""
    return await store.count(reads)
