"""SQL of accounts, as those see them who run the site."""

from datetime import datetime
from uuid import UUID

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.readers.model.profiles import Action, Person

_PERSON = """id, uid, username, email, email_verified, display_name, role, is_active, is_banned,
    ban_reason, created_at, updated_at, deleted_at"""
_HELD = Query(f"SELECT {_PERSON} FROM users WHERE id = $1 FOR UPDATE", Person)
_BY_UID = Query(f"SELECT {_PERSON} FROM users WHERE uid = $1", Person)
_BY_NAME = Query(f"SELECT {_PERSON} FROM users WHERE lower(username) = lower($1)", Person)
_ANOTHER_ADMIN = Query(
    """
    SELECT EXISTS (
        SELECT FROM users WHERE role = 'admin' AND is_active AND NOT is_banned AND id <> $1
    ) AS found
    """,
    bool,
)
NEWEST = Query(
    f"SELECT {_PERSON} FROM users WHERE id < $1 ORDER BY id DESC LIMIT $2",
    Person,
)
BY_NAME = Query(
    f"""
    SELECT {_PERSON} FROM users
    WHERE lower(username) COLLATE "C" >= $2 AND lower(username) COLLATE "C" < $3
        AND lower(username) COLLATE "C"
            > coalesce((SELECT lower(last.username) FROM users AS last WHERE last.id = $1), '')
    ORDER BY lower(username) COLLATE "C" LIMIT $4
    """,
    Person,
)
BY_EMAIL = Query(
    f"""
    SELECT {_PERSON} FROM users
    WHERE lower(email) COLLATE "C" >= $2 AND lower(email) COLLATE "C" < $3
        AND lower(email) COLLATE "C"
            > coalesce((SELECT lower(last.email) FROM users AS last WHERE last.id = $1), '')
    ORDER BY lower(email) COLLATE "C" LIMIT $4
    """,
    Person,
)
BY_ROLE = Query(
    f"SELECT {_PERSON} FROM users WHERE role = $3 AND id < $1 ORDER BY id DESC LIMIT $2", Person
)
BANNED = Query(
    f"SELECT {_PERSON} FROM users WHERE is_banned AND id < $1 ORDER BY id DESC LIMIT $2", Person
)
_CHANGE = Query(
    f"""
    UPDATE users SET role = $2, is_banned = $3, ban_reason = $4, is_active = $5,
        email_verified = $6, updated_at = $7
    WHERE id = $1
    RETURNING {_PERSON}
    """,
    Person,
)
_LOG = Command(
    """
    INSERT INTO account_actions (user_id, actor_id, action, detail, created_at)
    VALUES ($1, $2, $3, $4, $5)
    """
)
ACTIONS = Query(
    """
    SELECT account_actions.id, action, detail, actors.username AS actor,
        account_actions.created_at
    FROM account_actions LEFT JOIN users AS actors ON actors.id = actor_id
    WHERE user_id = $1 AND account_actions.id < $2
    ORDER BY account_actions.id DESC LIMIT $3
    """,
    Action,
)


async def held(tx: Tx, user_id: int) -> Person | None:
    """An account that nobody else changes until the transaction ends."""
    return await tx.first(_HELD, user_id)


async def by_uid(reads: Reads, uid: UUID) -> Person | None:
    return await reads.first(_BY_UID, uid)


async def by_name(reads: Reads, username: str) -> Person | None:
    return await reads.first(_BY_NAME, username)


async def another_admin(tx: Tx, user_id: int) -> bool:
    """Whether somebody else can run this instance."""
    return bool(await tx.first(_ANOTHER_ADMIN, user_id))


async def newest(reads: Reads, before: int, limit: int) -> list[Person]:
    return await reads.all(NEWEST, before, limit)


async def of_role(reads: Reads, role: str, before: int, limit: int) -> list[Person]:
    return await reads.all(BY_ROLE, before, limit, role)


async def banned(reads: Reads, before: int, limit: int) -> list[Person]:
    return await reads.all(BANNED, before, limit)


async def whose_name_begins(
    reads: Reads, after: int, span: tuple[str, str], limit: int
) -> list[Person]:
    return await reads.all(BY_NAME, after, *span, limit)


async def whose_email_begins(
    reads: Reads, after: int, span: tuple[str, str], limit: int
) -> list[Person]:
    return await reads.all(BY_EMAIL, after, *span, limit)


async def change(tx: Tx, person: Person, now: datetime) -> Person:
    """Store an account that is held as it is to be."""
    changed = await tx.all(
        _CHANGE,
        person.id,
        person.role,
        person.is_banned,
        person.ban_reason,
        person.is_active,
        person.email_verified,
        now,
    )
    return changed[0]


async def log(
    tx: Tx, user_id: int, *, actor_id: int | None, action: str, detail: str, now: datetime
) -> None:
    """Write down what was done to an account, and who did it."""
    await tx.run(_LOG, user_id, actor_id, action, detail, now)


async def actions(reads: Reads, user_id: int, before: int, limit: int) -> list[Action]:
    return await reads.all(ACTIONS, user_id, before, limit)
