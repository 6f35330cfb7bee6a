"""What accounts say of themselves."""

from datetime import datetime

from rensai.kit import texts
from rensai.kit.db import Reads, Tx
from rensai.rooms.readers.errors import AccountClosed, UserNotFound
from rensai.rooms.readers.model import USERNAME, User
from rensai.rooms.readers.model.profiles import LONGEST_BIO, LONGEST_NAME, Profile
from rensai.rooms.readers.store import profiles as store


async def profile_of(reads: Reads, username: str) -> Profile:
    """What everybody may see of an account; closed and deleted ones are as if never there."""
    found = await store.profile(reads, username) if USERNAME.fullmatch(username) else None
    if found is None:
        raise UserNotFound
    return found


async def describe_self(
    tx: Tx, user: User, *, display_name: str | None, bio: str | None, now: datetime
) -> User:
    """Another display name or bio; what is None stays as it is."""
    changed = await store.describe(
        tx,
        user.id,
        display_name=_clean_name(display_name),
        bio=None if bio is None else texts.prose("bio", bio, most=LONGEST_BIO),
        now=now,
    )
    if changed is None:
        raise AccountClosed
    return changed


def _clean_name(display_name: str | None) -> str | None:
    if display_name is None:
        return None
    return texts.line("displayName", display_name, most=LONGEST_NAME)
