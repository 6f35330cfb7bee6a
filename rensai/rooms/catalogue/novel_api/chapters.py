"""One chapter over the novel API."""

from typing import Annotated

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import PathParameter, QueryParameter

from rensai.kit.services import Services
from rensai.kit.web.filters import known_filters
from rensai.kit.web.held import held
from rensai.kit.web.kept import NOT_MODIFIED, AnyRequest, KeptVersion, TooOld
from rensai.kit.web.personal import personally
from rensai.kit.web.visitor import visitor_of
from rensai.rooms.catalogue.novel_api.shapes import NovelReadableChapter
from rensai.rooms.catalogue.novel_api.stories import LARGEST_ID
from rensai.rooms.catalogue.service import reading
from rensai.rooms.catalogue.service.age_gate import require_of_age, warns
from rensai.rooms.catalogue.service.views import Views
from rensai.rooms.readers.door import User

ChapterId = Annotated[
    int, PathParameter(ge=1, le=LARGEST_ID, description="The `id` of the chapter.")
]
IncludeContent = Annotated[
    bool,
    QueryParameter(
        description="Without it, the fields of the content are null and nothing is read."
    ),
]

_CHAPTER = KeptVersion("novel-chapter")


@get(
    "/wp-json/novel/v1/chapters/{chapter_id:int}",
    tags=["stories"],
    summary="Read a chapter",
    before_request=known_filters,
    responses=NOT_MODIFIED,
    opt={"scope": "library:read"},
)
async def one_chapter(
    request: AnyRequest,
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    chapter_id: ChapterId,
    *,
    include_content: IncludeContent = True,
) -> Response[NovelReadableChapter]:
    """A chapter with its text, its story, and the chapters before and after it.

    `content_raw` is what the source sent and must not be put into a page as it is;
    `content_html` is clean and may. Always as it is now; the ETag says whether it has changed.
    `content_warning` says what to ask readers first when the story is for adults; an instance that
    requires an age gives such a text only to accounts that have said to be of age.
    """
    seen = await reading.see_chapter(services.lookups, chapter_id)
    gate, reader = services.config.age_gate, user and user.id
    is_private = False
    if include_content:
        is_private = await require_of_age(
            services.lookups, gate, is_adult=seen.is_adult, reader=reader
        )
        held(request, Views).read_chapter(
            visitor_of(request, reader), seen.id, services.clock.now()
        )

    async def load() -> "NovelReadableChapter | TooOld[NovelReadableChapter]":
        detail = await reading.read_chapter(
            services.db.replica, chapter_id, with_content=include_content
        )
        told = NovelReadableChapter.of(detail, warns=warns(gate))
        return TooOld(told) if detail.chapter.cache_version < seen.cache_version else told

    if is_private:
        return await personally(load)
    version = f"{seen.version}-{gate}"
    return await _CHAPTER.answer(request, services, version, (include_content,), load)


routes = [one_chapter]
