"""SQL of archives on their way out or in."""

from datetime import datetime
from uuid import UUID

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.readers.model.transfers import Transfer

_COLUMNS = """id, user_id, direction, state, archive_key, archive_bytes, lines_done, files,
    problem, created_at, ended_at, expires_at"""
_BEGIN = Query(
    f"""
    INSERT INTO transfers (
        id, user_id, direction, archive_key, archive_bytes, created_at, expires_at
    ) VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (user_id, direction) WHERE state IN ('waiting', 'running') DO NOTHING
    RETURNING {_COLUMNS}
    """,
    Transfer,
)
_UNDER_WAY = Query(
    f"""
    SELECT {_COLUMNS} FROM transfers
    WHERE user_id = $1 AND direction = $2 AND state IN ('waiting', 'running')
    """,
    Transfer,
)
_ONE = Query(f"SELECT {_COLUMNS} FROM transfers WHERE id = $1", Transfer)
OF_READER = Query(
    f"""
    SELECT {_COLUMNS} FROM transfers
    WHERE user_id = $1 AND direction = $2 AND id < $3
    ORDER BY id DESC LIMIT $4
    """,
    Transfer,
)
_RUNNING = Query(
    f"""
    UPDATE transfers SET state = 'running', lines_done = 0
    WHERE id = $1 AND state IN ('waiting', 'running')
    RETURNING {_COLUMNS}
    """,
    Transfer,
)
_PROGRESS = Command(
    "UPDATE transfers SET lines_done = $2, files = $3 WHERE id = $1 AND state = 'running'"
)
_END = Command(
    """
    UPDATE transfers SET state = $2, problem = $3, lines_done = $4, files = $5,
        archive_bytes = coalesce($6, archive_bytes), ended_at = $7, expires_at = $8
    WHERE id = $1 AND state = 'running'
    """
)
_FAIL = Command(
    """
    UPDATE transfers SET state = 'failed', problem = $2, ended_at = $3
    WHERE id = $1 AND state IN ('waiting', 'running')
    """
)
_FAIL_STALE = Command(
    """
    UPDATE transfers SET state = 'failed', problem = $1, ended_at = $2
    WHERE state IN ('waiting', 'running') AND created_at < $3
    """
)
_EXPIRED = Query(
    f"""
    SELECT {_COLUMNS} FROM transfers WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2
    """,
    Transfer,
)
_ALL_OF_READER = Query(
    f"SELECT {_COLUMNS} FROM transfers WHERE user_id = $1 ORDER BY id LIMIT $2", Transfer
)
_FORGET = Command("DELETE FROM transfers WHERE id = ANY($1::uuid [])")


async def begin(
    tx: Tx,
    *,
    uid: UUID,
    user_id: int,
    direction: str,
    key: str,
    size: int | None,
    now: datetime,
    expires_at: datetime,
) -> Transfer | None:
    """A new one, or None while another of that direction is under way."""
    return await tx.first(_BEGIN, uid, user_id, direction, key, size, now, expires_at)


async def under_way(reads: Reads, user_id: int, direction: str) -> Transfer | None:
    return await reads.first(_UNDER_WAY, user_id, direction)


async def one(reads: Reads, uid: UUID) -> Transfer | None:
    return await reads.first(_ONE, uid)


async def of_reader(
    reads: Reads, user_id: int, direction: str, before: UUID, limit: int
) -> list[Transfer]:
    return await reads.all(OF_READER, user_id, direction, before, limit)


async def set_running(tx: Tx, uid: UUID) -> Transfer | None:
    """From the beginning, even if somebody had begun; None when it is over or gone."""
    return await tx.first(_RUNNING, uid)


async def set_progress(tx: Tx, uid: UUID, lines: int, files: str) -> bool:
    """Say how far it is; False when nobody waits for it any more."""
    return await tx.run(_PROGRESS, uid, lines, files) > 0


async def end(
    tx: Tx,
    uid: UUID,
    *,
    problem: str | None,
    lines: int,
    files: str,
    size: int | None,
    now: datetime,
    expires_at: datetime,
) -> bool:
    """It is over, well unless there is a problem; False when nobody waits for it any more."""
    state = "done" if problem is None else "failed"
    values = (uid, state, problem, lines, files, size, now, expires_at)
    return await tx.run(_END, *values) > 0


async def fail(tx: Tx, uid: UUID, problem: str, now: datetime) -> None:
    await tx.run(_FAIL, uid, problem, now)


async def fail_stale(tx: Tx, problem: str, now: datetime, begun_before: datetime) -> int:
    """Give up on what has died with whoever worked on it."""
    return await tx.run(_FAIL_STALE, problem, now, begun_before)


async def expired(reads: Reads, now: datetime, limit: int) -> list[Transfer]:
    return await reads.all(_EXPIRED, now, limit)


async def all_of_reader(reads: Reads, user_id: int, limit: int) -> list[Transfer]:
    return await reads.all(_ALL_OF_READER, user_id, limit)


async def forget(tx: Tx, uids: list[UUID]) -> None:
    await tx.run(_FORGET, uids)
