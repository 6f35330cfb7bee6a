"""SQL of reports."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from rensai.kit.db import Query, Reads, Tx
from rensai.rooms.talk.model.comments import Comment
from rensai.rooms.talk.model.reports import Complaint, Report, Status
from rensai.rooms.talk.store.columns import REPORT, comment, with_parents


class OpenAbout(msgspec.Struct, frozen=True):
    """How many open reports there are about one thing."""

    target_type: str
    target_id: int
    count: int


# The one that is there is given back: of two at the same moment, the second finds the first.
_FILE = Query(
    f"""
    INSERT INTO reports (
        uid, reporter_user_id, target_type, target_id, reason, notes, quoted, created_at
    ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (reporter_user_id, target_type, target_id)
        WHERE status = 'open' AND reporter_user_id IS NOT NULL
        DO NOTHING
    RETURNING {REPORT}
    """,
    Report,
)
_OPEN_ONE = Query(
    f"""
    SELECT {REPORT} FROM reports
    WHERE reporter_user_id = $1 AND target_type = $2 AND target_id = $3 AND status = 'open'
    """,
    Report,
)
_BY_UID = Query(f"SELECT {REPORT} FROM reports WHERE uid = $1", Report)
QUEUE = {
    further: Query(
        f"""
        SELECT {REPORT} FROM reports
        WHERE status = $1 {"AND id < $3" if further else ""}
        ORDER BY id DESC
        LIMIT $2
        """,
        Report,
    )
    for further in (False, True)
}
OPEN_ABOUT = Query(
    """
    SELECT asked.target_type, asked.target_id, (
        SELECT count(*) FROM reports
        WHERE reports.target_type = asked.target_type AND reports.target_id = asked.target_id
            AND reports.status = 'open'
    ) AS count
    FROM unnest($1::text [], $2::bigint []) AS asked (target_type, target_id)
    """,
    OpenAbout,
)
# In the order of the ids, so that two moderators wait for each other and never in a circle.
_HOLD_OPEN_ABOUT = Query(
    """
    SELECT id FROM reports
    WHERE target_type = $1 AND target_id = $2 AND status = 'open'
    ORDER BY id
    FOR NO KEY UPDATE
    """,
    int,
)
_RESOLVE = Query(
    f"""
    UPDATE reports SET status = $2, resolution = $3, resolved_by = $4, resolved_at = $5
    WHERE id = ANY($1::bigint []) AND status = 'open'
    RETURNING {REPORT}
    """,
    Report,
)
OF_ACCOUNT = {
    further: Query(
        f"""
        SELECT {REPORT} FROM reports
        WHERE reporter_user_id = $1 {"AND id > $3" if further else ""}
        ORDER BY id
        LIMIT $2
        """,
        Report,
    )
    for further in (False, True)
}
_COMMENTS = Query(
    f"SELECT {comment()} FROM comments {with_parents()} WHERE comments.id = ANY($1::bigint [])",
    Comment,
)


async def file(
    tx: Tx, uid: UUID, reporter_id: int, complaint: Complaint, now: datetime
) -> Report | None:
    """The new report, or None when the same account has reported the same and it is open."""
    return await tx.first(
        _FILE,
        uid,
        reporter_id,
        complaint.target.value,
        complaint.target_id,
        complaint.why.reason.value,
        complaint.why.notes,
        complaint.quoted,
        now,
    )


async def open_one(tx: Tx, reporter_id: int, complaint: Complaint) -> Report | None:
    """The open report of that account about that thing."""
    return await tx.first(_OPEN_ONE, reporter_id, complaint.target.value, complaint.target_id)


async def by_uid(reads: Reads, uid: UUID) -> Report | None:
    return await reads.first(_BY_UID, uid)


async def queue(reads: Reads, status: Status, *, after: int | None, limit: int) -> list[Report]:
    """The reports of that status, the latest first."""
    rest = () if after is None else (after,)
    return await reads.all(QUEUE[after is not None], status.value, limit, *rest)


async def open_about(reads: Reads, reports: Sequence[Report]) -> dict[tuple[str, int], int]:
    """How many open reports there are about what each of these is about."""
    wanted = sorted({(one.target_type, one.target_id) for one in reports})
    rows = await reads.all(OPEN_ABOUT, [kind for kind, _ in wanted], [id_ for _, id_ in wanted])
    return {(row.target_type, row.target_id): row.count for row in rows}


async def hold_open_about(tx: Tx, target_type: str, target_id: int) -> list[int]:
    """The open reports about one thing, which nobody else resolves until this is over."""
    return await tx.all(_HOLD_OPEN_ABOUT, target_type, target_id)


async def resolve(
    tx: Tx,
    ids: list[int],
    status: Status,
    *,
    resolution: str | None,
    moderator_id: int,
    now: datetime,
) -> list[Report]:
    """Those of these that were open, as they are now."""
    return await tx.all(_RESOLVE, ids, status.value, resolution, moderator_id, now)


async def of_account(reads: Reads, user_id: int, *, after: int | None, limit: int) -> list[Report]:
    """What an account has reported, the oldest first."""
    rest = () if after is None else (after,)
    return await reads.all(OF_ACCOUNT[after is not None], user_id, limit, *rest)


async def comments(reads: Reads, ids: Sequence[int]) -> dict[int, Comment]:
    """What reports are about, whatever its state."""
    return {row.id: row for row in await reads.all(_COMMENTS, list(ids))}
