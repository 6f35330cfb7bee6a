"""How soon a change can be found: from its commit to the first answer that shows it.

Stories are written one at a time by the way that every story comes in, half of them new, half of
them known ones with another title, while a worker runs; the API is asked until it knows.
"""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from random import Random
from urllib.parse import quote

from bench.library import Library
from bench.search_asking import Asker
from bench.search_stories import SEED
from rensai.config import load
from rensai.kit.services import Services
from rensai.rooms.catalogue import door as catalogue
from rensai.rooms.catalogue.door import IncomingStory
from rensai.wiring.services import open_services

COMMITS = 200
PATIENCE = 30.0
_POLL_SECONDS = 0.01
_SOURCE = "source-1"
_LETTERS = "bcdfghjklmnpqrstvwxz"


def delays(place: Library, url: str, stories: int, commits: int = COMMITS) -> list[float]:
    """Seconds from each commit to the answer that knows of it."""
    return asyncio.run(_delays(place, url, stories, commits))


async def _delays(place: Library, url: str, stories: int, commits: int) -> list[float]:
    environment = {
        "DATABASE_PRIMARY_URL": place.url,
        "RENSAI_DATA_DIR": str(place.folder),
        "SESSION_SECRET": "a secret for this measurement alone",
    }
    chance = Random(SEED + 3)  # noqa: S311 - not a secret
    asker = Asker(url)
    took: list[float] = []
    try:
        async with open_services(load(environment)) as services:
            known = await _known(services, stories, commits // 2, chance)
            for turn in range(commits):
                word = "".join(chance.choices(_LETTERS, k=12))
                story_id = known[turn // 2] if turn % 2 and known else f"fresh-{turn}"
                await _write(services, story_id, f"Fresh {word}", turn)
                took.append(await asyncio.to_thread(_seen, asker, word))
    finally:
        asker.close()
    return took


async def _known(services: Services, stories: int, number: int, chance: Random) -> list[str]:
    """Some stories that are there, by the ids of their source."""
    rows = await catalogue.facts_of(
        services.db.primary, chance.sample(range(1, stories + 1), min(stories, number * 40))
    )
    found = [row.source_story_id for row in rows if row.source == _SOURCE and row.is_visible]
    return found[:number]


async def _write(services: Services, story_id: str, title: str, turn: int) -> None:
    story = IncomingStory(
        job_id=turn,
        source_story_id=story_id,
        updated_at_source=datetime.now(UTC) + timedelta(days=365),
        slug=f"fresh-{story_id}",
        title=title,
        status=1,
        language="en",
        summary="Written while somebody is looking for it.",
    )
    async with services.db.transaction() as tx:
        await catalogue.receive_stories(tx, services.clock, _SOURCE, [story])


def _seen(asker: Asker, word: str) -> float:
    began = time.perf_counter()
    path = f"/api/v1/search?q={quote(word)}&counts=false"

    def is_there() -> bool:
        return any(word in item["title"] for item in asker.ask(path)["items"])

    while not is_there():
        if time.perf_counter() - began > PATIENCE:
            raise TimeoutError(f"{word} was not found within {PATIENCE:g} s")
        time.sleep(_POLL_SECONDS)
    return time.perf_counter() - began
