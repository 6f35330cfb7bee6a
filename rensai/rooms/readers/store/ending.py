"""SQL of what ends with a password, and with an account."""

from datetime import datetime

from rensai.kit.db import Command, Query, Tx

# A name that is kept must be free of the row that had it, and no other may take it.
_BURY = Query(
    """
    UPDATE users SET
        kept_name = md5(lower(username)), username = $2, email = $3, password_hash = '',
        display_name = $2, bio = '', avatar_storage_key = NULL, banner_storage_key = NULL,
        role = 'user', public_key = NULL, private_key_sealed = NULL,
        portable_public_key = NULL, portable_key_fingerprint = NULL, known_actor_uris = '{}',
        is_active = false, ban_reason = NULL, email_verified = false,
        password_changed_at = $4, updated_at = $4, deleted_at = $4
    WHERE id = $1 AND deleted_at IS NULL
    RETURNING id
    """,
    int,
)
_SETTINGS = Command("DELETE FROM reader_settings WHERE user_id = $1")
_MUTES = Command("DELETE FROM mutes WHERE user_id = $1")
# They say roughly where somebody was, and with what.
_REFRESH_TOKENS = Command("DELETE FROM refresh_tokens WHERE user_id = $1")
_ACTIONS = Command("UPDATE account_actions SET detail = '' WHERE user_id = $1 AND detail <> ''")


async def bury(tx: Tx, user_id: int, *, name: str, email: str, now: datetime) -> bool:
    """Blank the account; False when it is gone already."""
    return await tx.first(_BURY, user_id, name, email, now) is not None


async def erase_own(tx: Tx, user_id: int) -> None:
    """What this room itself has of an account."""
    await tx.run(_SETTINGS, user_id)
    await tx.run(_MUTES, user_id)
    await tx.run(_REFRESH_TOKENS, user_id)
    await tx.run(_ACTIONS, user_id)
