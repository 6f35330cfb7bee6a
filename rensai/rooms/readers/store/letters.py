"""SQL of letters and the marks in their links."""

from datetime import datetime

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.readers.model.letters import Addressee, Mark

_OPEN = "is_active AND NOT is_banned AND deleted_at IS NULL"
_ADDRESSEE = Query(
    f"SELECT id, username, email, email_verified FROM users WHERE id = $1 AND {_OPEN}", Addressee
)
_ADDRESSEE_AT = Query(
    f"""
    SELECT id, username, email, email_verified FROM users
    WHERE lower(email) = lower($1) AND {_OPEN}
    """,
    Addressee,
)
_ADD = Command(
    """
    INSERT INTO letter_marks (mark_hash, user_id, purpose, email, created_at, expires_at)
    VALUES ($1, $2, $3, $4, $5, $6)
    """
)
_TRIM = Command(
    """
    DELETE FROM letter_marks WHERE mark_hash IN (
        SELECT mark_hash FROM letter_marks WHERE user_id = $1 AND purpose = $2
        ORDER BY created_at DESC OFFSET $3
    )
    """
)
_GOOD = Query(
    """
    SELECT user_id, email FROM letter_marks
    WHERE mark_hash = $1 AND purpose = $2 AND expires_at > $3
    """,
    Mark,
)
# Of two that come with the same mark the second finds it gone.
_USE = Query(
    """
    DELETE FROM letter_marks WHERE mark_hash = $1 AND purpose = $2 AND expires_at > $3
    RETURNING user_id, email
    """,
    Mark,
)
_END = Command("DELETE FROM letter_marks WHERE user_id = $1")
_CLEAR = Command("DELETE FROM letter_marks WHERE expires_at <= $1")
_VERIFIED = Command(
    f"""
    UPDATE users SET email_verified = true, updated_at = $3
    WHERE id = $1 AND lower(email) = lower($2) AND {_OPEN}
    """
)
_NEW_PASSWORD = Command(
    f"""
    UPDATE users SET password_hash = $3, password_changed_at = $4, email_verified = true,
        updated_at = $4
    WHERE id = $1 AND lower(email) = lower($2) AND {_OPEN}
    """
)


async def addressee(reads: Reads, user_id: int) -> Addressee | None:
    """An open account, to write to."""
    return await reads.first(_ADDRESSEE, user_id)


async def addressee_at(reads: Reads, email: str) -> Addressee | None:
    """The open account of this address."""
    return await reads.first(_ADDRESSEE_AT, email)


async def add_mark(
    tx: Tx,
    mark_hash: bytes,
    addressee: Addressee,
    purpose: str,
    *,
    now: datetime,
    expires_at: datetime,
    live: int,
) -> None:
    """Keep a mark, and of those before it no more than are to be good at once."""
    await tx.run(_ADD, mark_hash, addressee.id, purpose, addressee.email, now, expires_at)
    await tx.run(_TRIM, addressee.id, purpose, live)


async def good_mark(reads: Reads, mark_hash: bytes, purpose: str, now: datetime) -> Mark | None:
    """What a mark stands for while it is good."""
    return await reads.first(_GOOD, mark_hash, purpose, now)


async def use_mark(tx: Tx, mark_hash: bytes, purpose: str, now: datetime) -> Mark | None:
    """The same, for the last time."""
    return await tx.first(_USE, mark_hash, purpose, now)


async def end_marks(tx: Tx, user_id: int) -> None:
    """No letter to this account is good for anything any more."""
    await tx.run(_END, user_id)


async def clear_expired_marks(tx: Tx, now: datetime) -> int:
    return await tx.run(_CLEAR, now)


async def set_verified(tx: Tx, mark: Mark, now: datetime) -> bool:
    """The address is its owner's; False when the account has another one, or is closed."""
    return await tx.run(_VERIFIED, mark.user_id, mark.email, now) > 0


async def set_password(tx: Tx, mark: Mark, password_hash: str, now: datetime) -> bool:
    """A new password for whoever reads the mail of this address, which proves that too."""
    return await tx.run(_NEW_PASSWORD, mark.user_id, mark.email, password_hash, now) > 0
