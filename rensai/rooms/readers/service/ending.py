"""What ends with a password, with a ban, and with an account."""

import secrets
from datetime import datetime
from uuid import UUID

from rensai.kit.db import Tx
from rensai.kit.events import emit
from rensai.rooms.readers.errors import LastAdmin, UserNotFound
from rensai.rooms.readers.events import AccountDeleted
from rensai.rooms.readers.model import Role
from rensai.rooms.readers.model.profiles import Person
from rensai.rooms.readers.service.devices import end_devices
from rensai.rooms.readers.store import accounts, letters, people
from rensai.rooms.readers.store import ending as store


async def end_sign_ins(tx: Tx, user_id: int, *, now: datetime, but: UUID | None = None) -> None:
    """Sign an account out everywhere, save on the device of this session.

    Its API tokens end too, and so does whatever links in letters are good for.
    """
    await end_devices(tx, user_id, now, but=but, with_tokens=True)
    await letters.end_marks(tx, user_id)


async def delete_account(tx: Tx, user_id: int, *, actor_id: int | None, now: datetime) -> None:
    """Erase an account for good. Its row stays, blank, and its name is nobody's from now on.

    Other rooms hear of it in this transaction, and erase what is theirs.
    """
    await accounts.lock_admins(tx)
    person = await people.held(tx, user_id)
    if person is None or person.deleted_at is not None:
        raise UserNotFound
    if is_standing_admin(person):
        await require_another_admin(tx, person.id)
    name = f"deleted-{secrets.token_hex(6)}"
    await end_sign_ins(tx, user_id, now=now)
    await store.erase_own(tx, user_id)
    await store.bury(tx, user_id, name=name, email=f"{name}@deleted.invalid", now=now)
    await people.log(tx, user_id, actor_id=actor_id, action="deleted", detail="", now=now)
    await emit(tx, AccountDeleted(user_id=user_id))


def is_standing_admin(person: Person) -> bool:
    """Whether this is an administrator who can act as one."""
    return person.role == Role.ADMIN.name.lower() and person.is_active and not person.is_banned


async def require_another_admin(tx: Tx, user_id: int) -> None:
    """Refuse what would leave this instance without anybody to run it. Admins are locked."""
    if not await people.another_admin(tx, user_id):
        raise LastAdmin
