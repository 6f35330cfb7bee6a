"""One comment over `/api/v1`, and what somebody has written."""

from typing import Annotated

from litestar import Response, delete, get, patch, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter
from litestar.status_codes import HTTP_204_NO_CONTENT

from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.filters import known_filters
from rensai.kit.web.openapi import SIGNED_IN
from rensai.kit.web.paging import DEFAULT_LIMIT, Cursor, Limit, Page
from rensai.rooms.readers.door import (
    EmailUnverified,
    HouseRules,
    Role,
    User,
    require_role,
    require_writer,
)
from rensai.rooms.talk.api.asking import (
    READING,
    WRITING,
    CommentId,
    key_of_reply,
    page_of_replies,
    reply_cursors,
    told,
    uid_of,
)
from rensai.rooms.talk.api.shapes import CommentAnswer, EditedComment, WrittenComment
from rensai.rooms.talk.errors import EditWindowOver
from rensai.rooms.talk.model.comments import TIME_KEY_TYPES
from rensai.rooms.talk.service import history, likes, moderation, reading, writing
from rensai.rooms.talk.service.places import comment_of_uid
from rensai.rooms.talk.service.speaking import LIKES, count_attempt

Hard = Annotated[
    bool,
    QueryParameter(description="For administrators: remove it for good, with all that answers it."),
]


@get(
    "/api/v1/comments/{comment_id:str}",
    tags=["comments"],
    summary="One comment",
    before_request=known_filters,
    opt=READING,
)
async def one_comment(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    comment_id: CommentId,
) -> Response[CommentAnswer]:
    """A comment with the first replies to it."""
    said = await reading.see_comment(services.db.replica, uid_of(comment_id), user)
    return told(CommentAnswer.of(said, reply_cursors(services)), user)


@get(
    "/api/v1/comments/{comment_id:str}/replies",
    tags=["comments"],
    summary="The replies to a comment",
    before_request=known_filters,
    opt=READING,
)
async def list_replies(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    comment_id: CommentId,
    *,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Response[Page[CommentAnswer]]:
    """All replies, the oldest first. A comment's own `repliesCursor` goes on here."""
    reads = services.db.replica
    parent = await reading.answered(reads, await comment_of_uid(reads, uid_of(comment_id)))
    after = key_of_reply(services, parent, cursor)
    rows = await reading.list_replies(reads, parent, after=after, limit=limit)
    said = await reading.as_seen(reads, rows, user)
    return told(page_of_replies(services, parent, said, limit), user)


@patch(
    "/api/v1/comments/{comment_id:str}",
    tags=["comments"],
    summary="Change a comment",
    security=SIGNED_IN,
    opt={**WRITING, "errors": (EditWindowOver, EmailUnverified)},
)
async def edit_comment(
    data: JSONBody[EditedComment],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    rules: NamedDependency[HouseRules],
    comment_id: CommentId,
) -> Response[CommentAnswer]:
    """Its author may, for fifteen minutes; `editedAt` says that it was changed."""
    author = require_writer(user, rules)
    text = await writing.weigh(services.limits, author, data.content)
    async with services.db.transaction() as tx:
        found = await comment_of_uid(tx, uid_of(comment_id))
        changed = await writing.edit(tx, author, found, text, services.clock.now())
        (said,) = await reading.with_replies(tx, [changed], author)
    return told(CommentAnswer.of(said, reply_cursors(services)), author)


@delete(
    "/api/v1/comments/{comment_id:str}",
    status_code=HTTP_204_NO_CONTENT,
    tags=["comments"],
    summary="Delete a comment",
    before_request=known_filters,
    security=SIGNED_IN,
    opt=WRITING,
)
async def delete_comment(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    comment_id: CommentId,
    *,
    hard: Hard = False,
) -> None:
    """Its author may, and moderators. One that was answered stays as a blank."""
    who = require_role(user, Role.ADMIN if hard else Role.USER)
    async with services.db.transaction() as tx:
        found = await comment_of_uid(tx, uid_of(comment_id))
        if hard:
            await moderation.erase(tx, who, found)
        else:
            await moderation.remove(tx, who, found, services.clock.now())


@post(
    "/api/v1/comments/{comment_id:str}/like",
    status_code=HTTP_204_NO_CONTENT,
    tags=["comments"],
    summary="Like a comment",
    security=SIGNED_IN,
    opt=WRITING,
)
async def like_comment(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    comment_id: CommentId,
) -> None:
    """Twice is once. `likesCount` follows within a few seconds."""
    who = require_role(user, Role.USER)
    await count_attempt(services.limits, LIKES, who)
    async with services.db.transaction() as tx:
        found = await comment_of_uid(tx, uid_of(comment_id))
        await likes.like(tx, who, found, services.clock.now())


@delete(
    "/api/v1/comments/{comment_id:str}/like",
    status_code=HTTP_204_NO_CONTENT,
    tags=["comments"],
    summary="Like a comment no more",
    security=SIGNED_IN,
    opt=WRITING,
)
async def unlike_comment(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    comment_id: CommentId,
) -> None:
    """Also when it was not liked."""
    who = require_role(user, Role.USER)
    await count_attempt(services.limits, LIKES, who)
    async with services.db.transaction() as tx:
        await likes.unlike(tx, who, await comment_of_uid(tx, uid_of(comment_id)))


@get(
    "/api/v1/users/{username:str}/comments",
    tags=["comments"],
    summary="What somebody has written",
    before_request=known_filters,
    opt=READING,
)
async def list_user_comments(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    username: FromPath[str],
    *,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Response[Page[WrittenComment]]:
    """The comments of one person, the latest first, here and on other servers.

    They are found by the portable identity and not by the address of the account. A page may
    hold fewer items than asked for, while `hasMore` says that there are more.
    """
    reads, secret = services.db.replica, services.config.session_secret
    author = await history.author_named(reads, username)
    listing = cursors.kind("written", author.id)
    after = None if cursor is None else cursors.decode(secret, listing, cursor, TIME_KEY_TYPES)
    found = await history.list_written(reads, author, user, after=after, limit=limit)
    going_on = found.go_on_after
    following = None if going_on is None else cursors.encode(secret, listing, going_on)
    items = [WrittenComment.of(one) for one in found.items]
    return told(Page(items, following, following is not None), user)


routes = [
    one_comment,
    list_replies,
    edit_comment,
    delete_comment,
    like_comment,
    unlike_comment,
    list_user_comments,
]
