"""SQL of what accounts say of themselves."""

from datetime import datetime

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.readers.model import User
from rensai.rooms.readers.model.profiles import Profile
from rensai.rooms.readers.model.transfers import ProfileFile
from rensai.rooms.readers.store.columns import USER

_OPEN = "is_active AND NOT is_banned AND deleted_at IS NULL"
_PROFILE = Query(
    f"""
    SELECT uid, username, display_name, bio, role, created_at, portable_key_fingerprint
    FROM users WHERE lower(username) = lower($1) AND {_OPEN}
    """,
    Profile,
)
_PROFILE_FILE = Query(
    """
    SELECT username, display_name, bio, email, email_verified, role, created_at,
        portable_key_fingerprint AS fingerprint
    FROM users WHERE id = $1
    """,
    ProfileFile,
)
# What somebody has written here himself stands.
_FILL_IN = Command(
    """
    UPDATE users SET
        display_name = CASE WHEN display_name = username THEN $2 ELSE display_name END,
        bio = CASE WHEN bio = '' THEN $3 ELSE bio END, updated_at = $4
    WHERE id = $1 AND (display_name = username OR bio = '')
    """
)
_DESCRIBE = Query(
    f"""
    UPDATE users SET display_name = coalesce($2, display_name), bio = coalesce($3, bio),
        updated_at = $4
    WHERE id = $1 AND {_OPEN}
    RETURNING {USER}
    """,
    User,
)
_SECRETS = Query(f"SELECT password_hash FROM users WHERE id = $1 AND {_OPEN}", str)
_SET_PASSWORD = Command(
    f"""
    UPDATE users SET password_hash = $3, password_changed_at = $4, updated_at = $4
    WHERE id = $1 AND password_hash = $2 AND {_OPEN}
    """
)
_SET_EMAIL = Command(
    f"""
    UPDATE users SET email = $2, email_verified = lower(email) = lower($2) AND email_verified,
        updated_at = $3
    WHERE id = $1 AND {_OPEN} AND NOT EXISTS (
        SELECT FROM users other WHERE lower(other.email) = lower($2) AND other.id <> $1
    )
    """
)
_OPEN_BY_NAME = Query(
    f"SELECT {USER} FROM users WHERE lower(username) = lower($1) AND deleted_at IS NULL", User
)


async def profile(reads: Reads, username: str) -> Profile | None:
    """What everybody may see of an open account, whatever the case of its name."""
    return await reads.first(_PROFILE, username)


async def describe(
    tx: Tx, user_id: int, *, display_name: str | None, bio: str | None, now: datetime
) -> User | None:
    """Change what is given; None when the account is closed."""
    return await tx.first(_DESCRIBE, user_id, display_name, bio, now)


async def password_hash(reads: Reads, user_id: int) -> str | None:
    return await reads.first(_SECRETS, user_id)


async def set_password(tx: Tx, user_id: int, *, old: str, new: str, now: datetime) -> bool:
    """Replace a hash; False when it has been replaced meanwhile, or the account is closed."""
    return await tx.run(_SET_PASSWORD, user_id, old, new, now) > 0


async def set_email(tx: Tx, user_id: int, email: str, now: datetime) -> bool:
    """Another address, not verified yet; False when it is somebody else's."""
    return await tx.run(_SET_EMAIL, user_id, email, now) > 0


async def by_name(reads: Reads, username: str) -> User | None:
    """The account of that name, open or not, unless it was deleted."""
    return await reads.first(_OPEN_BY_NAME, username)


async def profile_file(reads: Reads, user_id: int) -> ProfileFile | None:
    """An account as it stands in its archive."""
    return await reads.first(_PROFILE_FILE, user_id)


async def fill_in(tx: Tx, user_id: int, *, display_name: str, bio: str, now: datetime) -> None:
    """Give an account a name to show and a bio where it has none of its own."""
    await tx.run(_FILL_IN, user_id, display_name, bio, now)
