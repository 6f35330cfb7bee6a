"""Reporting over `/api/v1`: a series, a chapter, a comment."""

from litestar import Response, post
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, JSONBody
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED

from rensai.kit.errors import Gone
from rensai.kit.services import Services
from rensai.kit.web.openapi import SIGNED_IN
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.catalogue.door import ChapterNotFound, SeriesNotFound
from rensai.rooms.readers.door import Role, User, require_role
from rensai.rooms.talk.api.asking import WRITING, ChapterId, CommentId, uid_of
from rensai.rooms.talk.api.shapes import NewReport, ReportFiled
from rensai.rooms.talk.api.threads import see_chapter
from rensai.rooms.talk.model.reports import Filed
from rensai.rooms.talk.service import reports
from rensai.rooms.talk.service.places import comment_of_uid

_KNOWN = {HTTP_200_OK: ResponseSpec(ReportFiled, generate_examples=False)}
"""The answer when the same was reported before and nobody has decided yet."""


@post(
    "/api/v1/comments/{comment_id:str}/report",
    status_code=HTTP_201_CREATED,
    tags=["reports"],
    summary="Report a comment",
    security=SIGNED_IN,
    responses=_KNOWN,
    opt=WRITING,
)
async def report_comment(
    data: JSONBody[NewReport],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    comment_id: CommentId,
) -> Response[ReportFiled]:
    """Tell the moderators what should not be here. What it says now is kept with the report.

    Reported again while nobody has decided, the first report stands: 200 instead of 201.
    """
    who = require_role(user, Role.USER)
    why = await reports.weigh_report(services.limits, who, data.reason, data.notes)
    async with services.db.transaction() as tx:
        found = await comment_of_uid(tx, uid_of(comment_id))
        filed = await reports.report_comment(tx, who, found, why, services.clock.now())
    return _answer(filed)


@post(
    "/api/v1/series/{slug:str}/report",
    status_code=HTTP_201_CREATED,
    tags=["reports"],
    summary="Report a series",
    security=SIGNED_IN,
    responses=_KNOWN,
    opt={**WRITING, "errors": (SeriesNotFound, Gone)},
)
async def report_series(
    data: JSONBody[NewReport],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    slug: FromPath[str],
) -> Response[ReportFiled]:
    """The same for a series."""
    who = require_role(user, Role.USER)
    seen = await catalogue.see_series(services.lookups, services.db.replica, slug)
    why = await reports.weigh_report(services.limits, who, data.reason, data.notes)
    async with services.db.transaction() as tx:
        return _answer(await reports.report_story(tx, who, seen, why, services.clock.now()))


@post(
    "/api/v1/chapters/{chapter_id:str}/report",
    status_code=HTTP_201_CREATED,
    tags=["reports"],
    summary="Report a chapter",
    security=SIGNED_IN,
    responses=_KNOWN,
    opt={**WRITING, "errors": (ChapterNotFound, Gone)},
)
async def report_chapter(
    data: JSONBody[NewReport],
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    chapter_id: ChapterId,
) -> Response[ReportFiled]:
    """The same for a chapter."""
    who = require_role(user, Role.USER)
    seen = await see_chapter(services, chapter_id)
    why = await reports.weigh_report(services.limits, who, data.reason, data.notes)
    async with services.db.transaction() as tx:
        return _answer(await reports.report_chapter(tx, who, seen, why, services.clock.now()))


def _answer(filed: Filed) -> Response[ReportFiled]:
    return Response(
        ReportFiled.of(filed.report),
        status_code=HTTP_201_CREATED if filed.is_new else HTTP_200_OK,
        headers={"Cache-Control": "private, no-store"},
    )


routes = [report_comment, report_series, report_chapter]
