"""Threads over `/api/v1`: comments on a series, comments on a chapter."""

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody
from litestar.status_codes import HTTP_201_CREATED

from rensai.kit.errors import Gone
from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.filters import known_filters
from rensai.kit.web.openapi import SIGNED_IN
from rensai.kit.web.paging import DEFAULT_LIMIT, Cursor, Limit, Page, page_of
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.catalogue.door import ChapterNotFound, SeenChapter, SeriesNotFound
from rensai.rooms.readers.door import (
    EmailUnverified,
    HouseRules,
    User,
    require_writer,
)
from rensai.rooms.talk.api.asking import (
    READING,
    WRITING,
    ChapterId,
    reply_cursors,
    told,
    uid_of,
)
from rensai.rooms.talk.api.shapes import CommentAnswer, NewComment
from rensai.rooms.talk.errors import CommentNotFound
from rensai.rooms.talk.model.comments import Order, Place
from rensai.rooms.talk.service import reading, writing
from rensai.rooms.talk.service.places import comment_of_uid

_OF_SERIES = (SeriesNotFound, Gone)
_OF_CHAPTER = (ChapterNotFound, Gone)


@get(
    "/api/v1/series/{slug:str}/comments",
    tags=["comments"],
    summary="Comments on a series",
    before_request=known_filters,
    opt={**READING, "errors": _OF_SERIES},
)
async def list_series_comments(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    slug: FromPath[str],
    *,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
    sort: FromQuery[Order] = Order.NEWEST,
) -> Response[Page[CommentAnswer]]:
    """What readers say of the whole series, each comment with its first replies.

    Pinned comments come first. `top` sorts by likes, which are counted every few seconds.
    Whoever has signed in is told what is their own and what they like.
    """
    seen = await catalogue.see_series(services.lookups, services.db.replica, slug)
    return told(
        await _page(services, user, Place(seen.id), sort=sort, limit=limit, cursor=cursor), user
    )


@get(
    "/api/v1/chapters/{chapter_id:str}/comments",
    tags=["comments"],
    summary="Comments on a chapter",
    before_request=known_filters,
    opt={**READING, "errors": _OF_CHAPTER},
)
async def list_chapter_comments(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    chapter_id: ChapterId,
    *,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
    sort: FromQuery[Order] = Order.NEWEST,
) -> Response[Page[CommentAnswer]]:
    """The same for a chapter."""
    seen = await see_chapter(services, chapter_id)
    place = Place(seen.story_id, seen.id)
    return told(await _page(services, user, place, sort=sort, limit=limit, cursor=cursor), user)


@post(
    "/api/v1/series/{slug:str}/comments",
    status_code=HTTP_201_CREATED,
    tags=["comments"],
    summary="Comment on a series",
    security=SIGNED_IN,
    opt={**WRITING, "errors": (*_OF_SERIES, EmailUnverified)},
)
async def comment_on_series(
    data: JSONBody[NewComment],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    rules: NamedDependency[HouseRules],
    slug: FromPath[str],
) -> Response[CommentAnswer]:
    """Say something about the whole series, or answer what somebody said.

    Ten comments a minute, and never the same text twice within one. A reply cannot be answered.
    """
    author = require_writer(user, rules)
    seen = await catalogue.see_series(services.lookups, services.db.replica, slug)
    return await _say(services, author, Place(seen.id), data)


@post(
    "/api/v1/chapters/{chapter_id:str}/comments",
    status_code=HTTP_201_CREATED,
    tags=["comments"],
    summary="Comment on a chapter",
    security=SIGNED_IN,
    opt={**WRITING, "errors": (*_OF_CHAPTER, EmailUnverified)},
)
async def comment_on_chapter(
    data: JSONBody[NewComment],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    rules: NamedDependency[HouseRules],
    chapter_id: ChapterId,
) -> Response[CommentAnswer]:
    """The same for a chapter."""
    author = require_writer(user, rules)
    seen = await see_chapter(services, chapter_id)
    return await _say(services, author, Place(seen.story_id, seen.id), data)


async def see_chapter(services: Services, chapter_id: str) -> SeenChapter:
    """A chapter that everybody can read."""
    uid = uid_of(chapter_id)
    if uid is None:
        raise ChapterNotFound
    return await catalogue.see_chapter_of_uid(services.lookups, services.db.replica, uid)


async def _page(
    services: Services,
    user: User | None,
    place: Place,
    *,
    sort: Order,
    limit: int,
    cursor: str | None,
) -> Page[CommentAnswer]:
    secret, reads = services.config.session_secret, services.db.replica
    listing = cursors.kind("comments", place.story_id, place.chapter_id, sort.value)
    after = None if cursor is None else cursors.decode(secret, listing, cursor, sort.key_types)
    rows = await reading.list_thread(reads, place, sort, after=after, limit=limit)
    page = page_of(rows, limit, lambda last: cursors.encode(secret, listing, last.key(sort)))
    said = await reading.with_replies(reads, page.items, user)
    items = [CommentAnswer.of(one, reply_cursors(services)) for one in said]
    return Page(items, page.next_cursor, page.has_more)


async def _say(
    services: Services, author: User, place: Place, data: NewComment
) -> Response[CommentAnswer]:
    text = await writing.weigh(services.limits, author, data.content)
    async with services.db.transaction() as tx:
        answering = await comment_of_uid(tx, data.parent_id)
        if answering is None and data.parent_id is not None:
            raise CommentNotFound
        comment = await writing.say(
            tx, author, place, text, answering=answering, now=services.clock.now()
        )
        (said,) = await reading.as_seen(tx, [comment], author)
    answer = told(CommentAnswer.of(said, reply_cursors(services)), author)
    answer.headers["Location"] = f"/api/v1/comments/{comment.uid}"
    return answer


routes = [list_series_comments, list_chapter_comments, comment_on_series, comment_on_chapter]
