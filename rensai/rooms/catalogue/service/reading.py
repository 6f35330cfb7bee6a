"""Reading: one story, its table of contents, one chapter.

Before each answer stands a small lookup (`see_…`): it says whether the thing can be read and how
it stands, and raises if it cannot. What is then read may have been kept from before, as long as
the thing still stands the same.
"""

from collections.abc import Collection, Mapping
from uuid import UUID

from rensai.kit.db import Reads
from rensai.kit.errors import Gone, NotFound
from rensai.kit.lookups import Lookups
from rensai.rooms.catalogue.adapters.bodies import unpack_body
from rensai.rooms.catalogue.adapters.markup import paragraphs
from rensai.rooms.catalogue.errors import ChapterNotFound, SeriesNotFound
from rensai.rooms.catalogue.model import LOCAL
from rensai.rooms.catalogue.model.reading import (
    ChapterDetail,
    ChapterRow,
    ChapterSpan,
    Content,
    ListedChapter,
    SeenChapter,
    SeenStory,
    StoryDetail,
)
from rensai.rooms.catalogue.store import reading as store
from rensai.rooms.catalogue.store import reading_chapter, seen


async def see_story(lookups: Lookups, story_id: int) -> SeenStory:
    """A story by its key."""
    found = await lookups.ask(seen.stories, story_id)
    if found is None:
        raise NotFound("There is no such story here.")
    return found


async def see_story_at(lookups: Lookups, source: str, slug: str) -> SeenStory:
    """A story by its source and slug."""
    found = await lookups.ask(seen.stories_at, (source, slug))
    if found is None:
        raise NotFound("There is no such story here.")
    return found


async def see_series(lookups: Lookups, reads: Reads, public_slug: str) -> SeenStory:
    """A story by the slug of `/api/v1`: bare when local, else with its source."""
    head, colon, tail = public_slug.partition(":")
    source, slug = (head, tail) if colon else (LOCAL, head)
    found = await lookups.ask(seen.stories_at, (source, slug))
    if found is None:
        if source == LOCAL and await seen.is_gone_story(reads, slug):
            raise Gone("This series has been removed.")
        raise SeriesNotFound
    return found


async def see_story_of_uid(lookups: Lookups, uid: UUID) -> SeenStory:
    """A story by its public id."""
    found = await lookups.ask(seen.stories_of_uid, uid)
    if found is None:
        raise SeriesNotFound
    return found


async def see_chapter(lookups: Lookups, chapter_id: int) -> SeenChapter:
    """A chapter by its key."""
    found = await lookups.ask(seen.chapters, chapter_id)
    if found is None:
        raise NotFound("There is no such chapter here.")
    return found


async def see_chapters(reads: Reads, chapter_ids: Collection[int]) -> Mapping[int, SeenChapter]:
    """Those of many chapters that everybody may read."""
    return await seen.chapters(reads, list(chapter_ids)) if chapter_ids else {}


async def see_chapter_of_uid(lookups: Lookups, reads: Reads, uid: UUID) -> SeenChapter:
    """A chapter by its public id."""
    found = await lookups.ask(seen.chapters_of_uid, uid)
    if found is None:
        if await seen.is_gone_chapter(reads, uid):
            raise Gone("This chapter has been removed.")
        raise ChapterNotFound
    return found


async def read_story(reads: Reads, story_id: int) -> StoryDetail:
    """All that is told of a story that was seen a moment ago."""
    story = await store.story(reads, story_id)
    if story is None:
        raise SeriesNotFound
    first, latest = await store.ends(reads, story_id)
    return StoryDetail(story, first, latest)


async def list_chapters(
    reads: Reads,
    story_id: int,
    span: ChapterSpan,
    *,
    after: tuple[object, ...] | None = None,
    limit: int,
) -> list[ListedChapter]:
    """Chapters of a story that was seen a moment ago, and one more than `limit` if there are more.

    `after` is the `key` of the row before.
    """
    return await store.contents(reads, story_id, span, after=after, limit=limit + 1)


async def read_chapter(
    reads: Reads, chapter_id: int, *, with_content: bool = True
) -> ChapterDetail:
    """All that is told of a chapter that was seen a moment ago."""
    row = await reading_chapter.chapter(reads, chapter_id, with_content=with_content)
    if row is None:
        raise ChapterNotFound
    return ChapterDetail(row, _content(row))


def _content(row: ChapterRow) -> Content | None:
    if row.content_raw is None or row.content_encoding is None:
        return None
    raw = unpack_body(row.content_raw, row.content_encoding)
    return Content(
        raw=raw,
        html=paragraphs(raw)
        if row.content_html is None
        else unpack_body(row.content_html, row.content_encoding),
        hash=None if row.content_hash is None else row.content_hash.hex(),
        size=row.content_size or 0,
    )
