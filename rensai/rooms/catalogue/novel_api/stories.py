"""One story over the novel API, and its table of contents."""

from decimal import Decimal
from typing import Annotated

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath, PathParameter, QueryParameter

from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.filters import known_filters
from rensai.kit.web.held import held
from rensai.kit.web.kept import NOT_MODIFIED, AnyRequest, KeptVersion, TooOld
from rensai.kit.web.paging import Cursor, NovelPage, page_of
from rensai.kit.web.personal import personal
from rensai.kit.web.visitor import visitor_of
from rensai.rooms.catalogue.model.reading import CHAPTER_KEY_TYPES, ChapterSpan, ReadMarks
from rensai.rooms.catalogue.novel_api.shapes import NovelChapter, NovelStory
from rensai.rooms.catalogue.service import reading
from rensai.rooms.catalogue.service.age_gate import warns
from rensai.rooms.catalogue.service.views import Views
from rensai.rooms.readers.door import User

DEFAULT_CHAPTERS = 50
MAX_CHAPTERS = 200
LARGEST_ID = 2**63 - 1

StoryId = Annotated[int, PathParameter(ge=1, le=LARGEST_ID, description="The `id` of the story.")]
ChapterLimit = Annotated[
    int,
    QueryParameter(ge=1, le=MAX_CHAPTERS, description="How many chapters to return at most."),
]
ChapterNo = Annotated[
    str | None,
    QueryParameter(
        pattern=r"^-?[0-9]{1,8}(\.[0-9]{1,2})?$",
        max_length=12,
        description="A chapter number, such as `12` or `12.5`; it is included.",
    ),
]

_STORY = KeptVersion("novel-story")
_CHAPTERS = KeptVersion("novel-story-chapters")


@get(
    "/wp-json/novel/v1/stories/{source:str}/{slug:str}",
    tags=["stories"],
    summary="One story",
    before_request=known_filters,
    responses=NOT_MODIFIED,
    opt={"scope": "library:read"},
)
async def one_story(
    request: AnyRequest,
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    *,
    source: FromPath[str],
    slug: FromPath[str],
) -> Response[NovelStory]:
    """All that is told of a story, by the source that it comes from and its slug there.

    `status`: 1 ongoing, 2 completed, 3 hiatus, 4 dropped. Always as it is now; the ETag says
    whether it has changed. The counts follow new chapters within about a minute,
    `latest_chapter` at once, `view_count` within `VIEWS_FLUSH_SECONDS`. `translation_group` is
    shared by stories that tell the same in other languages.
    """
    seen = await reading.see_story_at(services.lookups, source, slug)
    held(request, Views).see_story(
        visitor_of(request, user and user.id), seen.id, services.clock.now()
    )

    gate = services.config.age_gate

    async def load() -> "NovelStory | TooOld[NovelStory]":
        detail = await reading.read_story(services.db.replica, seen.id)
        told = NovelStory.of(detail, warns=warns(gate))
        return TooOld(told) if detail.story.cache_version < seen.cache_version else told

    version = f"{seen.full_version}-{gate}"
    return await _STORY.answer(request, services, version, (), load, shared=True)


@get(
    "/wp-json/novel/v1/stories/{story_id:int}/chapters",
    tags=["stories"],
    summary="The chapters of a story",
    before_request=known_filters,
    responses=NOT_MODIFIED,
    opt={"scope": "library:read"},
)
async def list_story_chapters(
    request: AnyRequest,
    services: NamedDependency[Services],
    user: NamedDependency[User | None],
    read_marks: NamedDependency[ReadMarks],
    story_id: StoryId,
    *,
    limit: ChapterLimit = DEFAULT_CHAPTERS,
    cursor: Cursor = None,
    from_chapter_no: ChapterNo = None,
    to_chapter_no: ChapterNo = None,
) -> Response[NovelPage[NovelChapter]]:
    """The table of contents by ascending chapter number; decimals are interludes.

    Always as it is now; the ETag says whether it has changed. `next_cursor` is good for the same
    story and bounds. To somebody who has signed in each chapter says with `is_read` whether they
    have read it; such an answer is never kept.
    """
    reads, secret = services.db.replica, services.config.session_secret
    seen = await reading.see_story(services.lookups, story_id)
    listing = cursors.kind("novel-chapters", story_id, from_chapter_no, to_chapter_no)
    after = None if cursor is None else cursors.decode(secret, listing, cursor, CHAPTER_KEY_TYPES)
    span = ChapterSpan(least=_number(from_chapter_no), most=_number(to_chapter_no))

    async def load() -> "NovelPage[NovelChapter] | TooOld[NovelPage[NovelChapter]]":
        rows = await reading.list_chapters(reads, story_id, span, after=after, limit=limit)
        page = page_of(rows, limit, lambda last: cursors.encode(secret, listing, last.key))
        items = [NovelChapter.of(row) for row in page.items]
        told = NovelPage(items, page.next_cursor, page.has_more)
        return told if seen.is_covered_by(rows) else TooOld(told)

    if user is not None:
        rows = await reading.list_chapters(reads, story_id, span, after=after, limit=limit)
        page = page_of(rows, limit, lambda last: cursors.encode(secret, listing, last.key))
        read = await read_marks.read_of(user.id, [row.id for row in page.items])
        items = [NovelChapter.of(row, is_read=row.id in read) for row in page.items]
        return personal(NovelPage(items, page.next_cursor, page.has_more))
    asked = (from_chapter_no, to_chapter_no, limit, cursor)
    return await _CHAPTERS.answer(
        request, services, seen.version, asked, load, shared=cursor is None
    )


def _number(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)


routes = [one_story, list_story_chapters]
