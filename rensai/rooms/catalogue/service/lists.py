"""Lists of stories, and how much there is to read."""

from datetime import datetime

from rensai.kit.db import Reads
from rensai.kit.errors import InvalidFilter
from rensai.rooms.catalogue.model import Counts, ListedStory, Sort, SortKey
from rensai.rooms.catalogue.model.unmuted import Unmuted, UnmutedLists
from rensai.rooms.catalogue.store import lists as store
from rensai.rooms.readers.door import Mutes


async def list_stories(
    reads: Reads,
    *,
    sort: Sort = Sort.UPDATED,
    source: str | None = None,
    author: str | None = None,
    updated_after: datetime | None = None,
    after: SortKey | None = None,
    limit: int,
) -> list[ListedStory]:
    """Public stories, ongoing or completed, in that order; one more than `limit` if there are more.

    `author` is the whole name of a first author. `updated_after` goes with `Sort.UPDATED` alone,
    because no index holds two orders at once. `after` is the `key` of the row before.
    """
    if updated_after is not None and sort is not Sort.UPDATED:
        raise InvalidFilter("Only a list in the order of updates can begin at a time.")
    return await store.listed(
        reads,
        sort,
        source=source,
        author=author,
        updated_after=updated_after,
        after=after,
        limit=limit + 1,
    )


async def list_unmuted(
    reads: Reads,
    lists: UnmutedLists,
    mutes: Mutes,
    *,
    sort: Sort = Sort.UPDATED,
    source: str | None = None,
    after: tuple[object, ...] | None = None,
    limit: int,
) -> Unmuted:
    """The same list without what a reader has muted, page by page."""
    places = await lists.places(reads, mutes, sort=sort, source=source, after=after, limit=limit)
    shown = places[:limit]
    found = await store.listed_of(reads, [place.story_id for place in shown])
    stories = [found[place.story_id] for place in shown if place.story_id in found]
    last = shown[-1] if len(places) > limit else None
    return Unmuted(stories, None if last is None else (last.key, last.story_id))


async def count_public(reads: Reads) -> Counts:
    """How much a visitor can read here."""
    return await store.counts(reads)
