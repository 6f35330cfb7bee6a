"""What moderators do over `/api/v1`: hide and pin comments, decide about reports."""

from litestar import Response, get, patch, post
from litestar.di import NamedDependency
from litestar.params import FromQuery, JSONBody
from litestar.status_codes import HTTP_200_OK

from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.filters import known_filters
from rensai.kit.web.openapi import SIGNED_IN
from rensai.kit.web.paging import DEFAULT_LIMIT, Cursor, Limit, Page, page_of
from rensai.rooms.readers import door as readers
from rensai.rooms.readers.door import Role, User, require_role
from rensai.rooms.talk.api.asking import MODERATING, CommentId, ReportId, told, uid_of
from rensai.rooms.talk.api.shapes import (
    ModeratedComment,
    Moderation,
    ReportAnswer,
    Resolution,
)
from rensai.rooms.talk.errors import AlreadyResolved
from rensai.rooms.talk.model.reports import Status
from rensai.rooms.talk.service import moderation, reports
from rensai.rooms.talk.service.places import comment_of_uid


@patch(
    "/api/v1/comments/{comment_id:str}/moderation",
    tags=["moderation"],
    summary="Hide or pin a comment",
    security=SIGNED_IN,
    opt=MODERATING,
)
async def moderate_comment(
    data: JSONBody[Moderation],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    comment_id: CommentId,
) -> Response[ModeratedComment]:
    """For moderators. A hidden comment is shown to nobody, nor are the replies to it; it can come
    back. A pinned one comes first in its thread; a reply cannot be pinned."""
    who = require_role(user, Role.MODERATOR)
    async with services.db.transaction() as tx:
        changed = await moderation.moderate(
            tx,
            who,
            await comment_of_uid(tx, uid_of(comment_id)),
            is_hidden=data.is_hidden,
            is_pinned=data.is_pinned,
            now=services.clock.now(),
        )
        author_id = changed.user_id or 0
        author = (await readers.people_of(tx, [author_id])).get(author_id)
    return told(ModeratedComment.of(changed, author), who)


@get(
    "/api/v1/admin/comments/hidden",
    tags=["moderation"],
    summary="Hidden comments",
    before_request=known_filters,
    security=SIGNED_IN,
    opt=MODERATING,
)
async def list_hidden_comments(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    *,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
) -> Response[Page[ModeratedComment]]:
    """For moderators: what is hidden at present, the latest comment first."""
    who = require_role(user, Role.MODERATOR)
    reads, secret = services.db.primary, services.config.session_secret
    listing = cursors.kind("hidden-comments")
    after = _id_after(secret, listing, cursor)
    rows = await moderation.list_hidden(reads, after=after, limit=limit)
    page = page_of(rows, limit, lambda last: cursors.encode(secret, listing, (last.id,)))
    people = await readers.people_of(
        reads, {row.user_id for row in page.items if row.user_id is not None}
    )
    items = [ModeratedComment.of(row, people.get(row.user_id or 0)) for row in page.items]
    return told(Page(items, page.next_cursor, page.has_more), who)


@get(
    "/api/v1/admin/reports",
    tags=["moderation"],
    summary="Reports",
    before_request=known_filters,
    security=SIGNED_IN,
    opt=MODERATING,
)
async def list_reports(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    *,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
    status: FromQuery[Status] = Status.OPEN,
) -> Response[Page[ReportAnswer]]:
    """For moderators: what readers have reported, the latest first."""
    who = require_role(user, Role.MODERATOR)
    reads, secret = services.db.primary, services.config.session_secret
    listing = cursors.kind("reports", status.value)
    after = _id_after(secret, listing, cursor)
    rows = await reports.list_reports(reads, status, after=after, limit=limit)
    page = page_of(rows, limit, lambda last: cursors.encode(secret, listing, (last.id,)))
    items = [ReportAnswer.of(one) for one in await reports.dockets(reads, page.items)]
    return told(Page(items, page.next_cursor, page.has_more), who)


@post(
    "/api/v1/admin/reports/{report_id:str}/resolve",
    status_code=HTTP_200_OK,
    tags=["moderation"],
    summary="Resolve a report",
    security=SIGNED_IN,
    opt={**MODERATING, "errors": (AlreadyResolved,)},
)
async def resolve_report(
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    report_id: ReportId,
    data: JSONBody[Resolution | None] = None,
) -> Response[ReportAnswer]:
    """For moderators: close a report, and with it every open one about the same thing.

    Without a body, something was done; `dismiss` says that nothing needs to be.
    """
    who = require_role(user, Role.MODERATOR)
    decision = data or Resolution()
    async with services.db.transaction() as tx:
        resolved = await reports.resolve(
            tx,
            who,
            uid_of(report_id),
            Status.DISMISSED if decision.dismiss else Status.RESOLVED,
            resolution=decision.notes,
            now=services.clock.now(),
        )
        (docket,) = await reports.dockets(tx, [resolved])
    return told(ReportAnswer.of(docket), who)


def _id_after(secret: str, listing: str, cursor: str | None) -> int | None:
    if cursor is None:
        return None
    (after,) = cursors.decode(secret, listing, cursor, (int,))
    return int(str(after))


routes = [moderate_comment, list_hidden_comments, list_reports, resolve_report]
