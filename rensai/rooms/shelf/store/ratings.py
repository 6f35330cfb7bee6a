"""SQL of ratings: giving and taking back, and the lists."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.rooms.shelf.model import Key
from rensai.rooms.shelf.model.ratings import Rating, RatingKey, RatingSort

_RATING = "id, uid, user_id, story_id, score, review_text, created_at, updated_at"

_RATE = Query(
    f"""
    INSERT INTO ratings AS known
        (uid, user_id, story_id, score, review_text, created_at, updated_at)
    VALUES ($1, $2, $3, $4, $5, $7, $7)
    ON CONFLICT (user_id, story_id) DO UPDATE SET
        score = excluded.score,
        review_text = CASE WHEN $6::boolean THEN known.review_text ELSE excluded.review_text END,
        updated_at = greatest(excluded.updated_at, known.updated_at)
    RETURNING {_RATING}
    """,
    Rating,
)
_RESTORE = Query(
    """
    INSERT INTO ratings AS known
        (uid, user_id, story_id, score, review_text, created_at, updated_at)
    SELECT uid, $1, story_id, score, review_text, created_at, updated_at
    FROM unnest(
        $2::uuid [], $3::bigint [], $4::smallint [], $5::text [], $6::timestamptz [],
        $7::timestamptz []
    ) AS given (uid, story_id, score, review_text, created_at, updated_at)
    ORDER BY story_id
    ON CONFLICT (user_id, story_id) DO UPDATE SET
        score = excluded.score,
        review_text = excluded.review_text,
        created_at = least(known.created_at, excluded.created_at),
        updated_at = excluded.updated_at
    WHERE excluded.updated_at > known.updated_at
    RETURNING story_id
    """,
    int,
)
_REMOVE = Command("DELETE FROM ratings WHERE user_id = $1 AND story_id = $2")
_REMOVE_BY_UID = Query("DELETE FROM ratings WHERE uid = $1 RETURNING story_id", int)
_FORGET = Query(
    """
    DELETE FROM ratings WHERE id IN (
        SELECT id FROM ratings WHERE user_id = $1 ORDER BY story_id LIMIT $2
    )
    RETURNING story_id
    """,
    int,
)
_OWN = Query(f"SELECT {_RATING} FROM ratings WHERE user_id = $1 AND story_id = $2", Rating)
OWN_LIST = Query(
    f"""
    SELECT {_RATING} FROM ratings
    WHERE user_id = $1 AND (created_at, id) < ($2::timestamptz, $3::bigint)
    ORDER BY created_at DESC, id DESC
    LIMIT $4
    """,
    Rating,
)
OWN_BY_STORY = Query(
    f"""
    SELECT {_RATING} FROM ratings
    WHERE user_id = $1 AND story_id > $2
    ORDER BY story_id
    LIMIT $3
    """,
    Rating,
)

_KEYS = {
    RatingSort.NEWEST: (("created_at", "timestamptz"), ("id", "bigint")),
    RatingSort.HIGHEST: (("score", "smallint"), ("created_at", "timestamptz"), ("id", "bigint")),
    RatingSort.LOWEST: (("-score", "smallint"), ("created_at", "timestamptz"), ("id", "bigint")),
}


def _list(sort: RatingSort, *, after: bool) -> Query[Rating]:
    """One list, read from the end of the index that holds its order."""
    keys = [f"({name})" for name, _ in _KEYS[sort]]
    place = ", ".join(f"${number}::{kind}" for number, (_, kind) in enumerate(_KEYS[sort], 3))
    return Query(
        f"""
        SELECT {_RATING} FROM ratings
        WHERE story_id = $1 {f"AND ({', '.join(keys)}) < ({place})" if after else ""}
        ORDER BY {", ".join(f"{key} DESC" for key in keys)}
        LIMIT $2
        """,
        Rating,
    )


LISTS = {(sort, after): _list(sort, after=after) for sort in RatingSort for after in (False, True)}


async def rate(
    tx: Tx,
    uid: UUID,
    user_id: int,
    story_id: int,
    *,
    score: int,
    review_text: str | None,
    keep_review: bool,
    now: datetime,
) -> Rating | None:
    """Write the one rating of a reader and a story."""
    return await tx.first(_RATE, uid, user_id, story_id, score, review_text, keep_review, now)


async def restore(tx: Tx, user_id: int, ratings: Sequence[Rating]) -> list[int]:
    """Write ratings that are newer than those that are there; for which stories that were."""
    return await tx.all(
        _RESTORE,
        user_id,
        [one.uid for one in ratings],
        [one.story_id for one in ratings],
        [one.score for one in ratings],
        [one.review_text for one in ratings],
        [one.created_at for one in ratings],
        [one.updated_at for one in ratings],
    )


async def remove(tx: Tx, user_id: int, story_id: int) -> bool:
    return await tx.run(_REMOVE, user_id, story_id) > 0


async def remove_by_uid(tx: Tx, uid: UUID) -> int | None:
    """Take away anybody's rating; the story that it was of."""
    return await tx.first(_REMOVE_BY_UID, uid)


async def forget(tx: Tx, user_id: int, limit: int) -> list[int]:
    """Take away some of a reader's ratings; the stories that they were of."""
    return await tx.all(_FORGET, user_id, limit)


async def own(reads: Reads, user_id: int, story_id: int) -> Rating | None:
    return await reads.first(_OWN, user_id, story_id)


async def own_list(reads: Reads, user_id: int, after: Key, limit: int) -> list[Rating]:
    """A reader's ratings, the newest first."""
    return await reads.all(OWN_LIST, user_id, *after, limit)


async def own_by_story(reads: Reads, user_id: int, after: int, limit: int) -> list[Rating]:
    """A reader's ratings, story by story."""
    return await reads.all(OWN_BY_STORY, user_id, after, limit)


async def of_story(
    reads: Reads, story_id: int, sort: RatingSort, *, after: RatingKey | None, limit: int
) -> list[Rating]:
    """The ratings of a story that follow `after` in that order."""
    return await reads.all(LISTS[sort, after is not None], story_id, limit, *(after or ()))
