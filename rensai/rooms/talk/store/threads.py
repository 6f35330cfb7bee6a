"""SQL of threads: a page of comments, and the replies to some of them."""

from collections.abc import Sequence

from rensai.kit.db import Query, Reads
from rensai.rooms.talk.model.comments import Comment, Key, Order, Place
from rensai.rooms.talk.store.columns import COMMENT_OF_THREAD, comment, with_parents

Shape = tuple[bool, Order, bool, bool]
"""On a chapter, the order, the pinned ones, and whether it goes on after a key."""

_LIKES_DOWN = "likes_count DESC, created_at DESC, id DESC"
_SORTED = {
    Order.NEWEST: ("created_at, id", "<", "created_at DESC, id DESC"),
    Order.OLDEST: ("created_at, id", ">", "created_at, id"),
    Order.TOP: ("likes_count, created_at, id", "<", _LIKES_DOWN),
}


def _thread(shape: Shape) -> Query[Comment]:
    """One index serves it in its order: of those on a story, or of those on a chapter."""
    on_chapter, order, is_pinned, further = shape
    keys, follows, by = _SORTED[order]
    places = ", ".join(f"${n}" for n in range(3, 3 + len(keys.split(","))))
    return Query(
        f"""
        SELECT {COMMENT_OF_THREAD}
        FROM comments
        WHERE {"chapter_id = $1" if on_chapter else "story_id = $1 AND chapter_id IS NULL"}
            AND parent_id IS NULL AND is_shown AND {"" if is_pinned else "NOT "}is_pinned
            {f"AND ({keys}) {follows} ({places})" if further else ""}
        ORDER BY {by}
        LIMIT $2
        """,
        Comment,
    )


THREADS: dict[Shape, Query[Comment]] = {
    shape: _thread(shape)
    for on_chapter in (False, True)
    for order in Order
    for is_pinned in (True, False)
    for further in (False, True)
    for shape in [(on_chapter, order, is_pinned, further)]
}

_SHOWN_REPLIES = "replies.parent_id = {parent} AND replies.is_shown"
REPLIES = {
    further: Query(
        f"""
        SELECT {comment("replies")}
        FROM comments AS replies {with_parents("replies")}
        WHERE {_SHOWN_REPLIES.format(parent="$1")}
            {"AND (replies.created_at, replies.id) > ($3, $4)" if further else ""}
        ORDER BY replies.created_at, replies.id
        LIMIT $2
        """,
        Comment,
    )
    for further in (False, True)
}
FIRST_REPLIES = Query(
    f"""
    SELECT {comment("first")}
    FROM unnest($1::bigint []) AS asked (id)
    CROSS JOIN LATERAL (
        SELECT * FROM comments AS replies
        WHERE {_SHOWN_REPLIES.format(parent="asked.id")}
        ORDER BY replies.created_at, replies.id
        LIMIT $2
    ) AS first
    {with_parents("first")}
    ORDER BY first.created_at, first.id
    """,
    Comment,
)


async def thread(
    reads: Reads,
    place: Place,
    order: Order,
    *,
    is_pinned: bool,
    after: Key | None,
    limit: int,
) -> list[Comment]:
    """The comments of a thread that answer none, after that key (without `is_pinned`)."""
    on_chapter = place.chapter_id is not None
    query = THREADS[on_chapter, order, is_pinned, after is not None]
    about = place.chapter_id if on_chapter else place.story_id
    return await reads.all(query, about, limit, *(after or ()))


async def replies(reads: Reads, parent_id: int, *, after: Key | None, limit: int) -> list[Comment]:
    """The replies to a comment, oldest first."""
    return await reads.all(REPLIES[after is not None], parent_id, limit, *(after or ()))


async def first_replies(reads: Reads, parent_ids: Sequence[int], each: int) -> list[Comment]:
    """The first few replies to each of these, oldest first."""
    return await reads.all(FIRST_REPLIES, list(parent_ids), each)
