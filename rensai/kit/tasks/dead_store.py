"""The dead letters: tasks that failed for good, to look at, to try again or to throw away."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import msgspec

from rensai.kit.db import Query, Reads, Tx


class Dead(msgspec.Struct, frozen=True):
    """One dead letter, as a list shows it."""

    id: int
    task: str
    attempts: int
    error: str
    created_at: datetime
    died_at: datetime


class DeadInFull(msgspec.Struct, frozen=True):
    """One dead letter with all that is known about it."""

    id: int
    task: str
    payload: str
    priority: int
    key: str | None
    attempts: int
    error: str
    traceback: str | None
    created_at: datetime
    died_at: datetime


_LIST = Query(
    """
select id, task, attempts, error, created_at, died_at
from tasks.dead
where $1::text is null or task = $1
order by died_at desc, id desc
limit $2
""",
    Dead,
)

# A payload that is not even text is shown with its odd bytes escaped.
_SHOW = Query(
    """
select id, task, encode(payload, 'escape') as payload, priority, key, attempts, error, traceback,
    created_at, died_at
from tasks.dead
where id = $1
""",
    DeadInFull,
)

# Nulls stand for "whichever": no ids, no task, no age.
_CHOSEN = """
($1::bigint[] is null or id = any($1)) and ($2::text is null or task = $2)
    and ($3::interval is null or died_at < now() - $3)
"""

_RETRY = Query(
    f"""
with risen as (
    delete from tasks.dead where {_CHOSEN}
    returning id, task, payload, priority, key, created_at
)
insert into tasks.pgqueuer (id, entrypoint, payload, priority, key, created, status)
select id, task, payload, priority, key, created_at, 'queued' from risen
returning id
""",  # noqa: S608 - the condition is a constant
    int,
)

_PURGE = Query(
    f"delete from tasks.dead where {_CHOSEN} returning id",  # noqa: S608 - a constant
    int,
)


class Chosen(msgspec.Struct, frozen=True):
    """Which dead letters are meant; all conditions hold at once, and none means all of them."""

    ids: Sequence[int] | None = None
    task: str | None = None
    older_than: timedelta | None = None


async def list_dead(reads: Reads, *, task: str | None = None, limit: int = 50) -> list[Dead]:
    """The latest dead letters."""
    return await reads.all(_LIST, task, limit)


async def show_dead(reads: Reads, dead_id: int) -> DeadInFull | None:
    """One dead letter with its payload and its traceback."""
    return await reads.first(_SHOW, dead_id)


async def retry_dead(tx: Tx, chosen: Chosen) -> list[int]:
    """Put dead letters back into the queue, with all their attempts before them."""
    return await tx.all(_RETRY, chosen.ids, chosen.task, chosen.older_than)


async def purge_dead(tx: Tx, chosen: Chosen) -> list[int]:
    """Throw dead letters away."""
    return await tx.all(_PURGE, chosen.ids, chosen.task, chosen.older_than)
