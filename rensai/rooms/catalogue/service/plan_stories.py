"""What a batch of incoming stories means for the stories that are there: decided without SQL."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from rensai.rooms.catalogue.model import IncomingStory, Outcome, Result
from rensai.rooms.catalogue.service.places import Owner, Place, Want, in_the_way, refused
from rensai.rooms.catalogue.store.received_stories import KnownStory, StoryToWrite

T = TypeVar("T")

DEFAULT_LANGUAGE = "vi"


class Write(msgspec.Struct, frozen=True):
    """A story that is to be made or changed."""

    item: IncomingStory
    known: KnownStory | None
    story: StoryToWrite
    result: Result

    @property
    def owner(self) -> Owner:
        """Which row it is about, or will be."""
        return self.known.id if self.known else ("new", self.item.job_id)


class Plan(msgspec.Struct, frozen=True):
    """Everything that is to be done, and how the items end if that succeeds."""

    writes: list[Write]
    confirmed: dict[int, datetime]
    """Stories of which the source says the same again, with the time at which it did."""

    parked: list[int]
    """Stories that must leave their slugs before the others can take them."""

    outcomes: list[Outcome]


def plan_stories(
    items: Sequence[IncomingStory],
    known: Mapping[str, KnownStory],
    held_slugs: Mapping[str, int],
    renamed: Iterable[int],
    now: datetime,
) -> Plan:
    """Decide on a batch with one item for each story.

    `renamed` are the stories that get other aliases or genres.
    """
    outcomes: list[Outcome] = []
    writes: list[Write] = []
    confirmed: dict[int, datetime] = {}
    with_other_names = set(renamed)
    for item in items:
        row = known.get(item.source_story_id)
        write = _write(item, row, now, renamed=row is not None and row.id in with_other_names)
        if isinstance(write, Write):
            writes.append(write)
            continue
        outcomes.append(Outcome(item.job_id, write))
        if row is not None and write is Result.UNCHANGED and _is_newer(item, row):
            confirmed[row.id] = item.updated_at_source
    held: dict[Place, Owner] = {("slug", slug): owner for slug, owner in held_slugs.items()}
    for row in known.values():
        if row.deleted_at is None:
            held["slug", row.slug] = row.id
    wants = [Want(write.owner, _places(write)) for write in writes]
    clashes = refused(wants, held)
    outcomes += [_outcome(write, failed=write.owner in clashes) for write in writes]
    parked = in_the_way([want for want in wants if want.owner not in clashes], held)
    return Plan(
        [write for write in writes if write.owner not in clashes],
        confirmed,
        [row for row in parked if isinstance(row, int)],
        outcomes,
    )


def slug_taken(job_id: int) -> Outcome:
    """The end of an item whose slug belongs to another story."""
    return Outcome(
        job_id,
        Result.FAILED,
        "slug_conflict",
        "Another story of this source has that slug.",
        retryable=True,
    )


def newest(items: Sequence[IncomingStory]) -> tuple[list[IncomingStory], list[Outcome]]:
    """The one item for each story that counts, and the end of the others: they are stale."""
    outcomes: list[Outcome] = []
    found: dict[str, IncomingStory] = {}
    for item in items:
        other = found.setdefault(item.source_story_id, item)
        if other is not item:
            winner, loser = (item, other) if _age(item) > _age(other) else (other, item)
            found[item.source_story_id] = winner
            outcomes.append(Outcome(loser.job_id, Result.STALE))
    return list(found.values()), outcomes


def _age(item: IncomingStory) -> tuple[datetime, bool, int]:
    """At one time of the source a deletion comes last, and else what was delivered last."""
    return item.updated_at_source, item.deleted, item.job_id


def _write(
    item: IncomingStory, row: KnownStory | None, now: datetime, *, renamed: bool
) -> Write | Result:
    """What is to be written, or why nothing is."""
    if row is not None and not _is_newer(item, row):
        brings_back = row.deleted_at is not None and not item.deleted
        if item.updated_at_source != row.updated_at_source or brings_back:
            return Result.STALE
    story = _tombstone(item, row, now) if item.deleted else _live(item, row)
    result = _result(item, row)
    if row is not None and (
        row.deleted_at is not None
        if item.deleted
        else result is Result.UPDATED and not renamed and _is_same(story, row)
    ):
        return Result.UNCHANGED
    return Write(item, row, story, result)


def _result(item: IncomingStory, row: KnownStory | None) -> Result:
    if item.deleted:
        return Result.DELETED
    if row is None:
        return Result.CREATED
    return Result.UPDATED if row.deleted_at is None else Result.RESTORED


def _is_newer(item: IncomingStory, row: KnownStory) -> bool:
    return row.updated_at_source is None or item.updated_at_source > row.updated_at_source


def _is_same(story: StoryToWrite, row: KnownStory) -> bool:
    return (
        *(story.slug, story.title, story.title_original, story.author_name),
        *(story.status, story.cover_url, story.summary, story.language),
    ) == (
        *(row.slug, row.title, row.title_original, row.author_name),
        *(row.status, row.cover_url, row.summary, row.language),
    )


def _live(item: IncomingStory, row: KnownStory | None) -> StoryToWrite:
    return StoryToWrite(
        slug=item.slug,
        title=item.title,
        title_original=_given(item.title_original, row.title_original if row else None),
        author_name=_given(item.author_name, row.author_name if row else None),
        status=_given(item.status, row.status if row else 0),
        cover_url=_given(item.cover_url, row.cover_url if row else None),
        summary=_given(item.summary, row.summary if row else "") or "",
        language=_given(item.language, row.language if row else DEFAULT_LANGUAGE),
        updated_at_source=item.updated_at_source,
        deleted_at=None,
    )


def _tombstone(item: IncomingStory, row: KnownStory | None, now: datetime) -> StoryToWrite:
    """The story as deleted, so that an older item that comes later does not bring it back."""
    if row is None:
        row_slug, row_title = item.slug or "deleted", item.title or "(deleted)"
        return StoryToWrite(
            *(row_slug, row_title, None, None, 0, None, "", DEFAULT_LANGUAGE),
            updated_at_source=item.updated_at_source,
            deleted_at=now,
        )
    return StoryToWrite(
        *(row.slug, row.title, row.title_original, row.author_name),
        *(row.status, row.cover_url, row.summary, row.language),
        updated_at_source=item.updated_at_source,
        deleted_at=now,
    )


def _given(value: T | UnsetType, known: T) -> T:
    return known if value is UNSET else value


def _places(write: Write) -> tuple[tuple[str, str], ...]:
    return () if write.story.deleted_at is not None else (("slug", write.story.slug),)


def _outcome(write: Write, *, failed: bool) -> Outcome:
    return slug_taken(write.item.job_id) if failed else Outcome(write.item.job_id, write.result)
