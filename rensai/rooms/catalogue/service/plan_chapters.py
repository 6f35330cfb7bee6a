"""What a batch of incoming chapters means for the chapters that are there: decided without SQL.

Of several items for one chapter the newest counts. An item is compared with the chapter that has
its id at the source, or else with the one that has its number and no id at the source.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from decimal import Decimal

import msgspec
from msgspec import UNSET

from rensai.rooms.catalogue.model import IncomingChapter, Outcome, Result
from rensai.rooms.catalogue.service.places import Owner, Place, Want, in_the_way, refused
from rensai.rooms.catalogue.store.received_chapters import (
    ChapterToWrite,
    KnownChapter,
    StoryOfChapters,
)

_HUNDREDTH = Decimal("0.01")
_TOMBSTONE = "deleted"
_CLASHES = {
    "number": ("chapter_no_conflict", "Another chapter of this story has that chapter_no."),
    "slug": ("slug_conflict", "Another chapter of this story has that slug."),
}


class Write(msgspec.Struct, frozen=True):
    """A chapter that is to be made or changed."""

    item: IncomingChapter
    story: StoryOfChapters
    known: KnownChapter | None
    chapter: ChapterToWrite
    result: Result
    new_body: bool

    @property
    def owner(self) -> Owner:
        """Which row it is about, or will be."""
        return self.known.id if self.known else ("new", self.item.job_id)


class Plan(msgspec.Struct, frozen=True):
    """Everything that is to be done, and how the items end if that succeeds."""

    writes: list[Write]
    confirmed: dict[int, datetime]
    """Chapters of which the source says the same again, with the time at which it did."""

    parked: list[int]
    """Chapters that must leave their places before the others can take them."""

    outcomes: list[Outcome]


def plan_chapters(
    incoming: Sequence[tuple[StoryOfChapters, IncomingChapter]],
    known: Iterable[KnownChapter],
    now: datetime,
) -> Plan:
    """Decide on a batch, with every chapter that has an id, number or slug named in it."""
    chapters = _Known(known)
    outcomes: list[Outcome] = []
    writes: list[Write] = []
    confirmed: dict[int, datetime] = {}
    for story, item, row in _newest(incoming, chapters, outcomes):
        write = _write(story, item, row, now)
        if isinstance(write, Write):
            writes.append(write)
            continue
        outcomes.append(Outcome(item.job_id, write))
        if row is not None and write is Result.UNCHANGED and _is_newer(item, row):
            confirmed[row.id] = item.updated_at_source
    wants = [Want(write.owner, _places(write)) for write in writes]
    clashes = refused(wants, chapters.held)
    outcomes += [_outcome(write, clashes.get(write.owner)) for write in writes]
    done = [write for write in writes if write.owner not in clashes]
    parked = in_the_way([want for want in wants if want.owner not in clashes], chapters.held)
    return Plan(done, confirmed, [row for row in parked if isinstance(row, int)], outcomes)


class _Known:
    """The chapters that are there, by everything they can be found by."""

    def __init__(self, rows: Iterable[KnownChapter]) -> None:
        self._by_source_id: dict[tuple[int, str], KnownChapter] = {}
        self._by_number: dict[tuple[int, Decimal], KnownChapter] = {}
        self._gone: dict[tuple[int, Decimal], KnownChapter] = {}
        self.held: dict[Place, Owner] = {}
        for row in rows:
            if row.source_chapter_id is not None:
                self._by_source_id[row.story_id, row.source_chapter_id] = row
            if row.deleted_at is None:
                self._by_number[row.story_id, row.chapter_no] = row
                self.held["number", row.story_id, row.chapter_no] = row.id
                self.held["slug", row.story_id, row.slug] = row.id
            elif row.source_chapter_id is None:
                self._gone[row.story_id, row.chapter_no] = row

    def match(self, story_id: int, item: IncomingChapter) -> KnownChapter | None:
        """The chapter that an item is about, if it is there."""
        source_id = item.source_chapter_id
        if source_id is not None:
            row = self._by_source_id.get((story_id, source_id))
            if row is not None or item.chapter_no is None:
                return row
        if item.chapter_no is None:
            return None
        place = story_id, item.chapter_no
        row = self._by_number.get(place)
        if row is not None and (source_id is None or row.source_chapter_id is None):
            return row
        return self._gone.get(place)


def _newest(
    incoming: Sequence[tuple[StoryOfChapters, IncomingChapter]],
    chapters: _Known,
    outcomes: list[Outcome],
) -> list[tuple[StoryOfChapters, IncomingChapter, KnownChapter | None]]:
    """One item for each chapter; the others are stale."""
    groups: defaultdict[Owner, list[tuple[StoryOfChapters, IncomingChapter]]] = defaultdict(list)
    rows: dict[Owner, KnownChapter] = {}
    new_numbers: dict[tuple[int, Decimal | None], Owner] = {}
    # Those with an id first: an item without one is about the chapter with its number.
    for story, item in sorted(incoming, key=_without_source_id):
        row = chapters.match(story.id, item)
        group: Owner
        if row is not None:
            group = row.id
            rows[group] = row
        elif item.source_chapter_id is not None:
            group = story.id, item.source_chapter_id
            new_numbers.setdefault((story.id, item.chapter_no), group)
        else:
            place = story.id, item.chapter_no
            group = new_numbers.setdefault(place, place)
        groups[group].append((story, item))
    result: list[tuple[StoryOfChapters, IncomingChapter, KnownChapter | None]] = []
    for group, members in groups.items():
        story, newest = max(members, key=_age) if len(members) > 1 else members[0]
        if len(members) > 1:
            outcomes += [
                Outcome(item.job_id, Result.STALE) for _, item in members if item is not newest
            ]
        result.append((story, newest, rows.get(group)))
    return result


def _without_source_id(one: tuple[StoryOfChapters, IncomingChapter]) -> bool:
    return one[1].source_chapter_id is None


def _age(one: tuple[StoryOfChapters, IncomingChapter]) -> tuple[datetime, bool, int]:
    """At one time of the source a deletion comes last, and else what was delivered last."""
    return one[1].updated_at_source, one[1].deleted, one[1].job_id


def _write(
    story: StoryOfChapters, item: IncomingChapter, row: KnownChapter | None, now: datetime
) -> Write | Result:
    """What is to be written, or why nothing is."""
    if row is not None and not _is_newer(item, row):
        brings_back = row.deleted_at is not None and not item.deleted
        if item.updated_at_source != row.updated_at_source or brings_back:
            return Result.STALE
    make: Callable[..., ChapterToWrite | None] = _deleted if item.deleted else _live
    chapter = make(item, row, now)
    if chapter is None:
        return Result.UNCHANGED
    new_body = not item.deleted and (row is None or row.content_hash != item.content_hash)
    return Write(item, story, row, chapter, _result(item, row), new_body)


def _is_newer(item: IncomingChapter, row: KnownChapter) -> bool:
    return row.updated_at_source is None or item.updated_at_source > row.updated_at_source


def _live(item: IncomingChapter, row: KnownChapter | None, now: datetime) -> ChapterToWrite | None:
    """What the chapter is to be, or None when it is just that already."""
    number = (item.chapter_no or Decimal(0)).quantize(_HUNDREDTH)
    published_at = item.published_at
    is_published = item.is_published
    if row is None:
        is_published = True if is_published is UNSET else is_published
        published_at = None if published_at is UNSET else published_at
        if is_published and published_at is None:
            published_at = now
        announced_at = now if is_published else None
        source_id = item.source_chapter_id
    else:
        is_published = row.is_published if is_published is UNSET else is_published
        published_at = row.published_at if published_at is UNSET else published_at
        if is_published and published_at is None:
            published_at = row.published_at or now
        announced_at = row.announced_at or (now if is_published else None)
        source_id = item.source_chapter_id or row.source_chapter_id
        before = (
            *(row.source_chapter_id, row.chapter_no, row.slug, row.title, row.is_published),
            *(row.published_at, row.content_hash, row.deleted_at),
        )
        after = (
            *(source_id, number, item.slug, item.title, is_published),
            *(published_at, item.content_hash, None),
        )
        if before == after:
            return None
    return ChapterToWrite(
        source_chapter_id=source_id,
        chapter_no=number,
        slug=item.slug,
        title=item.title,
        is_published=is_published,
        word_count=item.word_count,
        published_at=published_at,
        announced_at=announced_at,
        updated_at_source=item.updated_at_source,
        deleted_at=None,
    )


def _deleted(
    item: IncomingChapter, row: KnownChapter | None, now: datetime
) -> ChapterToWrite | None:
    """The chapter as a tombstone, so that an older item that comes later does not bring it back."""
    if row is not None and row.deleted_at is not None:
        return None
    return ChapterToWrite(
        source_chapter_id=item.source_chapter_id or (row.source_chapter_id if row else None),
        chapter_no=row.chapter_no if row else (item.chapter_no or Decimal(0)),
        slug=row.slug if row else (item.slug or _TOMBSTONE),
        title=row.title if row else item.title,
        is_published=row.is_published if row else True,
        word_count=row.word_count if row else 0,
        published_at=row.published_at if row else None,
        announced_at=row.announced_at if row else None,
        updated_at_source=item.updated_at_source,
        deleted_at=now,
    )


def _result(item: IncomingChapter, row: KnownChapter | None) -> Result:
    if item.deleted:
        return Result.DELETED
    if row is None:
        return Result.CREATED
    return Result.UPDATED if row.deleted_at is None else Result.RESTORED


def _places(write: Write) -> tuple[Place, ...]:
    if write.chapter.deleted_at is not None:
        return ()
    story = write.story.id
    return ("number", story, write.chapter.chapter_no), ("slug", story, write.chapter.slug)


def _outcome(write: Write, clash: Place | None) -> Outcome:
    if clash is None:
        return Outcome(write.item.job_id, write.result)
    code, message = _CLASHES[str(clash[0])]
    return Outcome(write.item.job_id, Result.FAILED, code, message, retryable=True)
