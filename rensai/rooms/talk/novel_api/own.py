"""What a reader does over the novel API: comment, like, report."""

from typing import Annotated

from litestar import Response, delete, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import JSONBody, PathParameter
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED, HTTP_204_NO_CONTENT

from rensai.kit.db import Tx
from rensai.kit.errors import NotFound
from rensai.kit.services import Services
from rensai.kit.web.openapi import SIGNED_IN
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.catalogue.door import SeenChapter, SeenStory
from rensai.rooms.readers.door import (
    EmailUnverified,
    HouseRules,
    Role,
    User,
    require_role,
    require_writer,
)
from rensai.rooms.talk.errors import CommentNotFound
from rensai.rooms.talk.model.comments import Place
from rensai.rooms.talk.model.reports import Filed, Target, Weighed
from rensai.rooms.talk.novel_api.shapes import (
    NovelCommentPosted,
    NovelNewComment,
    NovelNewReport,
    NovelReport,
)
from rensai.rooms.talk.novel_api.threads import LARGEST_ID
from rensai.rooms.talk.service import likes, reports, writing
from rensai.rooms.talk.service.places import comment_of_id
from rensai.rooms.talk.service.speaking import LIKES, count_attempt

CommentId = Annotated[
    int, PathParameter(ge=1, le=LARGEST_ID, description="The `id` of the comment.")
]
WRITING = {"scope": "talk:write"}
PRIVATE = {"Cache-Control": "private, no-store"}
_KNOWN = {HTTP_200_OK: ResponseSpec(NovelReport, generate_examples=False)}
"""The answer when the same was reported before and nobody has decided yet."""


@post(
    "/wp-json/novel/v1/me/comments",
    status_code=HTTP_201_CREATED,
    tags=["comments"],
    summary="Comment on a story or a chapter",
    security=SIGNED_IN,
    opt={**WRITING, "errors": (NotFound, EmailUnverified)},
)
async def post_comment(
    data: JSONBody[NovelNewComment],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    rules: NamedDependency[HouseRules],
) -> Response[NovelCommentPosted]:
    """Say something of a story, of one of its chapters with `chapter_id`, or in answer to a
    comment with `parent_id`; a reply cannot be answered.

    Ten comments a minute, and never the same text twice within one.
    """
    author = require_writer(user, rules)
    place = await _place(services, data.story_id, data.chapter_id)
    text = await writing.weigh(services.limits, author, data.content)
    async with services.db.transaction() as tx:
        answering = None
        if data.parent_id is not None:
            answering = await comment_of_id(tx, data.parent_id)
            if answering is None:
                raise CommentNotFound
        comment = await writing.say(
            tx, author, place, text, answering=answering, now=services.clock.now()
        )
    return Response(NovelCommentPosted.of(comment), headers=PRIVATE)


@delete(
    "/wp-json/novel/v1/me/comments/{comment_id:int}",
    status_code=HTTP_204_NO_CONTENT,
    tags=["comments"],
    summary="Delete an own comment",
    security=SIGNED_IN,
    opt=WRITING,
)
async def delete_own_comment(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    comment_id: CommentId,
) -> None:
    """One that was answered stays as a blank. Another's is as if it were not there."""
    author = require_role(user, Role.USER)
    async with services.db.transaction() as tx:
        found = await comment_of_id(tx, comment_id)
        await writing.take_back(tx, author, found, services.clock.now())


@post(
    "/wp-json/novel/v1/me/likes/{comment_id:int}",
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
    """Twice is once. `likes_count` follows within a few seconds."""
    who = require_role(user, Role.USER)
    await count_attempt(services.limits, LIKES, who)
    async with services.db.transaction() as tx:
        found = await comment_of_id(tx, comment_id)
        await likes.like(tx, who, found, services.clock.now())


@delete(
    "/wp-json/novel/v1/me/likes/{comment_id:int}",
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
        await likes.unlike(tx, who, await comment_of_id(tx, comment_id))


@post(
    "/wp-json/novel/v1/me/reports",
    status_code=HTTP_201_CREATED,
    tags=["reports"],
    summary="Report a story, a chapter or a comment",
    security=SIGNED_IN,
    responses=_KNOWN,
    opt={**WRITING, "errors": (NotFound,)},
)
async def post_report(
    data: JSONBody[NovelNewReport],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
) -> Response[NovelReport]:
    """Tell the moderators what should not be here.

    Reported again while nobody has decided, the first report stands: 200 instead of 201.
    """
    who = require_role(user, Role.USER)
    seen = await _see(services, data.entity_type, data.entity_id)
    why = await reports.weigh_report(services.limits, who, data.reason, data.detail, field="detail")
    async with services.db.transaction() as tx:
        filed = await _file(services, tx, who, seen, why)
    status = HTTP_201_CREATED if filed.is_new else HTTP_200_OK
    return Response(NovelReport.of(filed.report), status_code=status, headers=PRIVATE)


Seen = SeenStory | SeenChapter | int
"""What is reported: something that everybody can read, or a comment yet to be looked at."""


async def _see(services: Services, kind: Target, id_: int) -> Seen:
    if kind is Target.STORY:
        return await catalogue.see_story(services.lookups, id_)
    if kind is Target.CHAPTER:
        return await catalogue.see_chapter(services.lookups, id_)
    return id_


async def _file(services: Services, tx: Tx, who: User, seen: Seen, why: Weighed) -> Filed:
    now = services.clock.now()
    if isinstance(seen, SeenStory):
        return await reports.report_story(tx, who, seen, why, now)
    if isinstance(seen, SeenChapter):
        return await reports.report_chapter(tx, who, seen, why, now)
    return await reports.report_comment(tx, who, await comment_of_id(tx, seen), why, now)


async def _place(services: Services, story_id: int, chapter_id: int | None) -> Place:
    seen = await catalogue.see_story(services.lookups, story_id)
    if chapter_id is None:
        return Place(seen.id)
    chapter = await catalogue.see_chapter(services.lookups, chapter_id)
    if chapter.story_id != seen.id:
        raise NotFound("There is no such chapter of that story here.")
    return Place(seen.id, chapter.id)


routes = [post_comment, delete_own_comment, like_comment, unlike_comment, post_report]
