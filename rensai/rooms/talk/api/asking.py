"""How the routes of talk are asked: ids, cursors, and answers that are nobody else's."""

from typing import Annotated, TypeVar
from uuid import UUID

from litestar import Response
from litestar.openapi.spec import OpenAPIFormat
from litestar.params import PathParameter

from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.paging import Page, page_of
from rensai.rooms.readers.door import User
from rensai.rooms.talk.api.shapes import CommentAnswer, CursorAfter
from rensai.rooms.talk.model.comments import TIME_KEY_TYPES, Comment, Key, Said

T = TypeVar("T")

READING = {"scope": "talk:read"}
WRITING = {"scope": "talk:write"}
MODERATING = {"scope": "moderate:write"}
"""What an API token must be good for."""


def _id(what: str) -> PathParameter:
    return PathParameter(
        description=f"The `id` of the {what}.",
        schema_extra={"format": OpenAPIFormat.UUID.value},
    )


# Text for the router, so that what is no id at all is told like one that nobody has.
CommentId = Annotated[str, _id("comment")]
ChapterId = Annotated[str, _id("chapter")]
ReportId = Annotated[str, _id("report")]


def uid_of(text: str) -> UUID | None:
    """The id that somebody means, or None when it is none."""
    try:
        return UUID(text)
    except ValueError:
        return None


def told(content: T, user: User | None) -> Response[T]:
    """An answer that tells of what its reader did is kept by nobody, and others are asked anew."""
    kept = "no-cache" if user is None else "private, no-store"
    return Response(content, headers={"Cache-Control": kept})


def replies_listing(parent: Comment) -> str:
    """The name of the list of replies to a comment."""
    return cursors.kind("comment-replies", parent.id)


def key_of_reply(services: Services, parent: Comment, cursor: str | None) -> Key | None:
    """Where a list of replies goes on."""
    if cursor is None:
        return None
    secret = services.config.session_secret
    return cursors.decode(secret, replies_listing(parent), cursor, TIME_KEY_TYPES)


def reply_cursors(services: Services) -> CursorAfter:
    """What makes the cursors by which the replies on a page go on."""
    secret = services.config.session_secret

    def after(parent: Comment, last: Comment) -> str:
        return cursors.encode(secret, replies_listing(parent), last.time_key)

    return after


def page_of_replies(
    services: Services, parent: Comment, said: list[Said], limit: int
) -> Page[CommentAnswer]:
    """A page of the replies to a comment, from one more than the limit."""
    after = reply_cursors(services)
    page = page_of(said, limit, lambda last: after(parent, last.comment))
    items = [CommentAnswer.of(one, after) for one in page.items]
    return Page(items, page.next_cursor, page.has_more)
