"""Lists of stories over `/api/v1`."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromQuery, QueryParameter
from msgspec import Struct

from rensai.kit.services import Services
from rensai.kit.web import cursor as cursors
from rensai.kit.web.kept import AnyRequest, KeptList
from rensai.kit.web.paging import DEFAULT_LIMIT, Cursor, Limit, Page, page_of
from rensai.rooms.catalogue import service
from rensai.rooms.catalogue.model import STATUSES, ListedStory, Sort

Source = Annotated[
    str | None,
    QueryParameter(
        min_length=1,
        max_length=40,
        description="Only stories from this source; `local` for what was uploaded here.",
    ),
]


class Series(Struct, frozen=True, rename="camel"):
    """A story as a row of a list."""

    id: UUID
    slug: str
    title: str
    content_type: str
    status: str
    source: str
    language: str
    original_language: str | None
    authors: list[str]
    cover_url: str | None
    is_nsfw: bool
    chapter_count: int
    last_chapter: float | None
    follower_count: int
    rating: float | None
    created_at: datetime
    updated_at: datetime


def _series(story: ListedStory) -> Series:
    return Series(
        id=story.uid,
        slug=story.public_slug,
        title=story.title,
        content_type=story.kind,
        status=STATUSES[story.status],
        source=story.source,
        language=story.language,
        original_language=story.original_language,
        authors=story.authors,
        cover_url=story.cover_url,
        is_nsfw=story.is_nsfw,
        chapter_count=story.chapter_count,
        last_chapter=None if story.last_chapter_no is None else float(story.last_chapter_no),
        follower_count=story.follower_count,
        rating=None if story.rating_avg is None else float(story.rating_avg),
        created_at=story.created_at,
        updated_at=story.updated_at,
    )


_LIST = KeptList("series")


@get("/api/v1/series", tags=["series"], summary="List series")
async def list_series(
    request: AnyRequest,
    services: NamedDependency[Services],
    *,
    limit: Limit = DEFAULT_LIMIT,
    cursor: Cursor = None,
    sort: FromQuery[Sort] = Sort.UPDATED,
    source: Source = None,
) -> Response[Page[Series]]:
    """Public stories, ongoing or completed, in the order asked for."""
    secret = services.config.session_secret
    listing = cursors.kind("series", sort.value, source)
    after = None if cursor is None else cursors.decode(secret, listing, cursor, sort.key_types)

    async def load() -> Page[Series]:
        stories = await service.list_stories(
            services.db.replica, sort=sort, source=source, after=after, limit=limit
        )
        page = page_of(stories, limit, lambda last: cursors.encode(secret, listing, last.key(sort)))
        return Page([_series(story) for story in page.items], page.next_cursor, page.has_more)

    asked = (sort.value, source, limit, cursor)
    return await _LIST.answer(request, services, asked, load, shared=cursor is None)


routes = [list_series]
