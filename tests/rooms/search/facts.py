"""Stories as the catalogue would tell of them, for tests that fill a shelf themselves."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from rensai.kit.clock import Clock
from rensai.kit.db import Database
from rensai.kit.ids import new_uid
from rensai.rooms.catalogue.door import StoryFacts
from rensai.rooms.search.model import Shelf
from rensai.rooms.search.service.entries import entry_of
from rensai.rooms.search.service.refresh import put
from rensai.rooms.search.store import state as states

MORNING = datetime(2026, 5, 4, 8, tzinfo=UTC)


def facts(id_: int, **told: Any) -> StoryFacts:
    """What is said of a story, and nothing else."""
    plain: dict[str, Any] = {
        "uid": new_uid(),
        "kind": "novel",
        "source": "truyen",
        "source_story_id": f"s{id_}",
        "slug": f"s{id_}",
        "title": f"Story {id_}",
        "title_original": None,
        "status": 1,
        "is_nsfw": False,
        "age_rating": None,
        "cover_url": None,
        "summary": "",
        "language": "vi",
        "original_language": None,
        "translation_group": None,
        "translation_count": 0,
        "chapter_count": 0,
        "word_count": 0,
        "last_chapter_no": None,
        "popularity_score": Decimal(0),
        "rating_avg": None,
        "rating_count": 0,
        "view_count": 0,
        "follower_count": 0,
        "published_at": None,
        "updated_at_source": None,
        "created_at": MORNING,
        "updated_at": MORNING + timedelta(minutes=id_),
        "cache_version": 1,
        "is_visible": True,
    }
    for name in ("aliases", "authors", "artists", "tags", "hidden_tags", "genres", "terms"):
        plain[name] = []
    return StoryFacts(id=id_, **{**plain, **told})


async def shelve(
    database: Database,
    clock: Clock,
    stories: Mapping[int, StoryFacts | None] | Sequence[StoryFacts],
) -> None:
    """Have the live shelf say exactly this of these stories; None takes one away."""
    told = stories if isinstance(stories, Mapping) else {one.id: one for one in stories}
    entries = {id_: entry_of(one) for id_, one in told.items() if one is not None}
    async with database.transaction() as tx:
        state = await states.hold(tx)
        changes = await put(tx, Shelf(state.live), told.keys(), entries)
        if changes:
            await states.note(tx, changes, clock.now())
