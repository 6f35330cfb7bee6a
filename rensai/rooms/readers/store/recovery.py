"""SQL of coming back into an account."""

from datetime import datetime

from rensai.kit.db import Query, Reads, Tx
from rensai.rooms.readers.model import Credentials, User
from rensai.rooms.readers.store.columns import USER

BY_FINGERPRINT = Query(
    """
    SELECT id, password_hash, is_active, is_banned FROM users WHERE portable_key_fingerprint = $1
    """,
    Credentials,
)
NAMES_TAKEN = Query(
    """
    SELECT EXISTS (
        SELECT FROM users
        WHERE (lower(username) = lower($2) OR lower(email) = lower($3)) AND id <> $1
    ) AS taken
    """,
    bool,
)
# A new name is a new address in the fediverse; the one before stays known as the account's.
_RENEW = Query(
    f"""
    UPDATE users SET
        username = $2,
        email = $3,
        email_verified = email_verified AND lower(email) = lower($3),
        password_hash = $4,
        password_changed_at = $5,
        updated_at = $5,
        known_actor_uris = CASE
            WHEN actor_uri IS NULL OR username = $2 OR actor_uri = ANY(known_actor_uris)
                THEN known_actor_uris
            ELSE array_prepend(actor_uri, known_actor_uris)
        END
    WHERE id = $1 AND is_active AND NOT is_banned
    RETURNING {USER}
    """,
    User,
)


async def by_fingerprint(reads: Reads, fingerprint: str) -> Credentials | None:
    return await reads.first(BY_FINGERPRINT, fingerprint)


async def names_taken(reads: Reads, user_id: int, username: str, email: str) -> bool:
    """Whether another account has that name or address."""
    return bool(await reads.first(NAMES_TAKEN, user_id, username, email))


async def renew(
    tx: Tx, user_id: int, *, username: str, email: str, password_hash: str, now: datetime
) -> User | None:
    """New credentials for the account, if it is open."""
    return await tx.first(_RENEW, user_id, username, email, password_hash, now)
