"""One chapter over `/api/v1`."""

from typing import Annotated
from uuid import UUID

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.openapi.spec import OpenAPIFormat
from litestar.params import PathParameter

from rensai.kit.errors import Gone
from rensai.kit.services import Services
from rensai.kit.web.filters import known_filters
from rensai.kit.web.kept import NOT_MODIFIED, AnyRequest, KeptVersion, TooOld
from rensai.kit.web.visitor import visitor_of
from rensai.rooms.catalogue.api.shapes import ReadableChapter
from rensai.rooms.catalogue.errors import ChapterNotFound
from rensai.rooms.catalogue.service import reading
from rensai.rooms.catalogue.service.views import Views
from rensai.rooms.readers.door import User

# Text for the router, so that what is no id at all is told like one that nobody has.
ChapterId = Annotated[
    str,
    PathParameter(
        description="The `id` that a list gave.", schema_extra={"format": OpenAPIFormat.UUID.value}
    ),
]

_CHAPTER = KeptVersion("chapter")


@get(
    "/api/v1/chapters/{chapter_id:str}",
    tags=["chapters"],
    summary="Read a chapter",
    before_request=known_filters,
    responses=NOT_MODIFIED,
    opt={"errors": (ChapterNotFound, Gone), "scope": "library:read"},
)
async def one_chapter(
    request: AnyRequest,
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    views: NamedDependency[Views],
    chapter_id: ChapterId,
) -> Response[ReadableChapter]:
    """A chapter with its text, and the chapters before and after it in the same language.

    `contentHtml` is clean: it can be put into a page as it is. It is null when the chapter
    consists of pages. Always as it is now; the ETag says whether it has changed.
    """
    try:
        uid = UUID(chapter_id)
    except ValueError:
        raise ChapterNotFound from None
    reads = services.db.replica
    seen = await reading.see_chapter_of_uid(services.lookups, reads, uid)
    views.read_chapter(visitor_of(request, user and user.id), seen.id, services.clock.now())

    async def load() -> "ReadableChapter | TooOld[ReadableChapter]":
        detail = await reading.read_chapter(reads, seen.id)
        told = ReadableChapter.of(detail)
        return TooOld(told) if detail.chapter.cache_version < seen.cache_version else told

    return await _CHAPTER.answer(request, services, seen.version, (), load)


routes = [one_chapter]
