"""One chapter over `/api/v1`."""

from typing import Annotated
from uuid import UUID

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.openapi.spec import OpenAPIFormat
from litestar.params import PathParameter

from rensai.kit.errors import Gone
from rensai.kit.services import Services
from rensai.kit.web.age import has_said_so
from rensai.kit.web.filters import known_filters
from rensai.kit.web.held import held
from rensai.kit.web.kept import NOT_MODIFIED, AnyRequest, KeptVersion, TooOld
from rensai.kit.web.personal import personally
from rensai.kit.web.visitor import visitor_of
from rensai.rooms.catalogue.api.shapes import ReadableChapter
from rensai.rooms.catalogue.errors import AgeRestricted, ChapterNotFound
from rensai.rooms.catalogue.service import reading
from rensai.rooms.catalogue.service.age_gate import require_of_age, warns
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
    opt={"errors": (ChapterNotFound, AgeRestricted, Gone), "scope": "library:read"},
)
async def one_chapter(
    request: AnyRequest,
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    chapter_id: ChapterId,
) -> Response[ReadableChapter]:
    """A chapter with its text, and the chapters before and after it in the same language.

    `contentHtml` is clean: it can be put into a page as it is. It is null when the chapter
    consists of pages. Always as it is now; the ETag says whether it has changed.
    `contentWarning` says what to ask readers first when the series is for adults; an instance that
    requires an age gives such a text only to who has said to be of age.
    """
    try:
        uid = UUID(chapter_id)
    except ValueError:
        raise ChapterNotFound from None
    reads = services.db.replica
    seen = await reading.see_chapter_of_uid(services.lookups, reads, uid)
    gate, reader, now = services.config.age_gate, user and user.id, services.clock.now()
    is_private = await require_of_age(
        services.lookups,
        gate,
        is_adult=seen.is_adult,
        reader=reader,
        has_said_so=has_said_so(request, services.config.session_secret, now),
    )
    held(request, Views).read_chapter(visitor_of(request, reader), seen.id, now)

    async def load() -> "ReadableChapter | TooOld[ReadableChapter]":
        detail = await reading.read_chapter(reads, seen.id)
        told = ReadableChapter.of(detail, warns=warns(gate))
        return TooOld(told) if detail.chapter.cache_version < seen.cache_version else told

    if is_private:
        return await personally(load)
    return await _CHAPTER.answer(request, services, f"{seen.version}-{gate}", (), load)


routes = [one_chapter]
