"""Threads over the novel API: comments on a story, comments on a chapter."""

from typing import Annotated, NamedTuple

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import PathParameter, QueryParameter

from rensai.kit.errors import InvalidFilter
from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.filters import known_filters
from rensai.kit.web.paging import Cursor, NovelPage, page_of
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.readers.door import User
from rensai.rooms.talk.model.comments import TIME_KEY_TYPES, Comment, Key, Order, Place, Said
from rensai.rooms.talk.novel_api.shapes import CursorAfter, NovelComment
from rensai.rooms.talk.service import reading
from rensai.rooms.talk.service.places import comment_of_id

LARGEST_ID = 2**63 - 1
READING = {"scope": "talk:read"}
"""What an API token must be good for."""

StoryId = Annotated[int, PathParameter(ge=1, le=LARGEST_ID, description="The `id` of the story.")]
ChapterId = Annotated[
    int, PathParameter(ge=1, le=LARGEST_ID, description="The `id` of the chapter.")
]
CommentLimit = Annotated[
    int, QueryParameter(ge=1, le=50, description="How many comments to return at most.")
]
Sort = Annotated[
    Order | None,
    QueryParameter(description="`newest` unless said otherwise; pinned comments come first."),
]
ParentId = Annotated[
    int | None,
    QueryParameter(
        ge=1,
        le=LARGEST_ID,
        description="List the replies to this comment instead, the oldest first, without `sort`.",
    ),
]


@get(
    "/wp-json/novel/v1/stories/{story_id:int}/comments",
    tags=["comments"],
    summary="Comments on a story",
    before_request=known_filters,
    opt=READING,
)
async def list_story_comments(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    story_id: StoryId,
    *,
    limit: CommentLimit = 20,
    cursor: Cursor = None,
    sort: Sort = None,
    parent_id: ParentId = None,
) -> Response[NovelPage[NovelComment]]:
    """What readers say of the whole story. Each comment comes with its first three replies;
    `parent_id` lists all of them, `replies_next_cursor` goes on with `parent_id`.

    `top` sorts by likes, which are counted every few seconds. `is_own` and `is_liked` are of
    whoever has signed in.
    """
    seen = await catalogue.see_story(services.lookups, story_id)
    return await _listed(
        services, user, Place(seen.id), Asked(limit, cursor), sort=sort, parent_id=parent_id
    )


@get(
    "/wp-json/novel/v1/chapters/{chapter_id:int}/comments",
    tags=["comments"],
    summary="Comments on a chapter",
    before_request=known_filters,
    opt=READING,
)
async def list_chapter_comments(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    chapter_id: ChapterId,
    *,
    limit: CommentLimit = 20,
    cursor: Cursor = None,
    sort: Sort = None,
    parent_id: ParentId = None,
) -> Response[NovelPage[NovelComment]]:
    """The same for a chapter."""
    seen = await catalogue.see_chapter(services.lookups, chapter_id)
    place = Place(seen.story_id, seen.id)
    return await _listed(
        services, user, place, Asked(limit, cursor), sort=sort, parent_id=parent_id
    )


class Asked(NamedTuple):
    """Which page of a list is asked for."""

    limit: int
    cursor: str | None

    def after(self, secret: str, listing: str, types: tuple[type, ...]) -> Key | None:
        """Where the list goes on."""
        return None if self.cursor is None else cursors.decode(secret, listing, self.cursor, types)


async def _listed(
    services: Services,
    user: User | None,
    place: Place,
    asked: Asked,
    *,
    sort: Order | None,
    parent_id: int | None,
) -> Response[NovelPage[NovelComment]]:
    if parent_id is None:
        page = await _thread(services, user, place, asked, sort or Order.NEWEST)
    elif sort is not None:
        raise InvalidFilter("Replies come in one order, the oldest first.")
    else:
        page = await _replies(services, user, place, asked, parent_id)
    kept = "no-cache" if user is None else "private, no-store"
    return Response(page, headers={"Cache-Control": kept})


async def _thread(
    services: Services,
    user: User | None,
    place: Place,
    asked: Asked,
    order: Order,
) -> NovelPage[NovelComment]:
    secret, reads = services.config.session_secret, services.db.replica
    listing = cursors.kind("novel-comments", place.story_id, place.chapter_id, order.value)
    after = asked.after(secret, listing, order.key_types)
    rows = await reading.list_thread(reads, place, order, after=after, limit=asked.limit)
    page = page_of(rows, asked.limit, lambda last: cursors.encode(secret, listing, last.key(order)))
    said = await reading.with_replies(reads, page.items, user)
    return NovelPage(_told(services, said), page.next_cursor, page.has_more)


async def _replies(
    services: Services,
    user: User | None,
    place: Place,
    asked: Asked,
    parent_id: int,
) -> NovelPage[NovelComment]:
    secret, reads = services.config.session_secret, services.db.replica
    parent = await reading.answered(reads, await comment_of_id(reads, parent_id), place)
    listing = _replies_listing(parent)
    after = asked.after(secret, listing, TIME_KEY_TYPES)
    rows = await reading.list_replies(reads, parent, after=after, limit=asked.limit)
    page = page_of(rows, asked.limit, lambda last: cursors.encode(secret, listing, last.time_key))
    said = await reading.as_seen(reads, page.items, user)
    return NovelPage(_told(services, said), page.next_cursor, page.has_more)


def _told(services: Services, said: list[Said]) -> list[NovelComment]:
    after = _reply_cursors(services)
    return [NovelComment.of(one, after) for one in said]


def _reply_cursors(services: Services) -> CursorAfter:
    secret = services.config.session_secret

    def after(parent: Comment, last: Comment) -> str:
        return cursors.encode(secret, _replies_listing(parent), last.time_key)

    return after


def _replies_listing(parent: Comment) -> str:
    return cursors.kind("novel-comment-replies", parent.id)


routes = [list_story_comments, list_chapter_comments]
