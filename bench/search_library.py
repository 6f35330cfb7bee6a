"""A throw-away database with a large library in it, written straight into the catalogue's tables.

    python -m bench.search_library --stories 20000

builds one, tells its address, and keeps it until Ctrl-C, to try the search by hand.
"""

import argparse
import asyncio
import itertools
import signal
import sys
import tempfile
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.library import Library
from bench.search_stories import HIDDEN_SOURCE, PAIRING, UNIVERSE, Stories, Story
from rensai.kit.db_driver import Connection, connect
from rensai.kit.embedded import EmbeddedPostgres
from rensai.kit.migrate import migrate

STORIES = 300_000
_AT_ONCE = 10_000
_COLUMNS = (
    "id",
    "uid",
    "kind",
    "source",
    "source_story_id",
    "slug",
    "title",
    "title_original",
    "authors",
    "tags",
    "hidden_tags",
    "status",
    "age_rating",
    "is_nsfw",
    "cover_url",
    "summary",
    "language",
    "original_language",
    "translation_group",
    "chapter_count",
    "word_count",
    "last_chapter_no",
    "follower_count",
    "popularity_score",
    "rating_avg",
    "rating_count",
    "view_count",
    "published_at",
    "created_at",
    "updated_at",
    "deleted_at",
    "is_public",
)
_TAXONOMIES = ((PAIRING, "Pairing", True), (UNIVERSE, "Universe", False))
_SETTLE = (
    "SELECT setval(pg_get_serial_sequence('stories', 'id'), (SELECT max(id) FROM stories))",
    "SELECT setval(pg_get_serial_sequence('genres', 'id'), (SELECT max(id) FROM genres))",
    "SELECT setval(pg_get_serial_sequence('terms', 'id'), (SELECT max(id) FROM terms))",
    "VACUUM (ANALYZE, FREEZE)",
    "CHECKPOINT",
)


@contextmanager
def search_library(stories: int = STORIES, extra: Sequence[Story] = ()) -> Generator[Library]:
    """An embedded PostgreSQL with that many stories and some others after them."""
    with tempfile.TemporaryDirectory(prefix="rensai-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # started by root, the server runs as another user
        (folder / "site").mkdir()
        with EmbeddedPostgres(folder / "site") as database:
            asyncio.run(_fill(database.url, stories, extra))
            yield Library(database.url, folder / "site")


async def _fill(url: str, number: int, extra: Sequence[Story]) -> None:
    await migrate(url)
    began = time.perf_counter()
    made = Stories()
    connection = await connect(url, seconds=10)
    try:
        # What is written here refers to what is written here: nothing needs to be looked up.
        await connection.execute("SET synchronous_commit = off")
        await connection.execute("SET session_replication_role = replica")
        tables = await _words(connection, made)
        done = 0
        for some in _batches(itertools.chain(made.make(number), extra), _AT_ONCE):
            await tables.write(some)
            done += len(some)
            print(f"  {done:,} stories written", end="\r", flush=True)
        for statement in _SETTLE:
            await connection.execute(statement)
    finally:
        await connection.close()
    print(f"  {done:,} stories in {time.perf_counter() - began:.0f} s", flush=True)


async def _words(connection: Connection, made: Stories) -> "_Tables":
    """Genres, taxonomies and terms, and their ids."""
    await connection.execute(
        "INSERT INTO source_policies (source, is_public) VALUES ($1, false)", HIDDEN_SOURCE
    )
    await connection.copy_records_to_table(
        "taxonomies", records=_TAXONOMIES, columns=("slug", "name", "is_multiple")
    )
    taxonomies = {
        str(slug): int(str(id_))
        for slug, id_ in await connection.fetch("SELECT slug, id FROM taxonomies")
    }
    genres = {word.slug: id_ for id_, word in enumerate(made.genres, start=1)}
    await connection.copy_records_to_table(
        "genres",
        records=[(id_, word.slug, word.name) for id_, word in enumerate(made.genres, start=1)],
        columns=("id", "slug", "name"),
    )
    every = [(taxonomy, word) for taxonomy, words in made.terms.items() for word in words]
    await connection.copy_records_to_table(
        "terms",
        records=[
            (id_, taxonomies[taxonomy], word.slug, word.name)
            for id_, (taxonomy, word) in enumerate(every, start=1)
        ],
        columns=("id", "taxonomy_id", "slug", "name"),
    )
    terms = {(taxonomy, word.slug): id_ for id_, (taxonomy, word) in enumerate(every, start=1)}
    return _Tables(connection, genres, terms)


class _Tables:
    """Where stories are written, all that belongs to them included."""

    def __init__(
        self, connection: Connection, genres: dict[str, int], terms: dict[tuple[str, str], int]
    ) -> None:
        self._connection = connection
        self._genres = genres
        self._terms = terms

    async def write(self, stories: Sequence[Story]) -> None:
        copy = self._connection.copy_records_to_table
        await copy("stories", records=map(_row, stories), columns=_COLUMNS)
        aliases = [
            (each.number, alias, alias.casefold()) for each in stories for alias in each.aliases
        ]
        await copy("story_aliases", records=aliases, columns=("story_id", "alias", "folded"))
        genres = [
            (each.number, self._genres[slug]) for each in stories for slug in sorted(each.genres)
        ]
        await copy("story_genres", records=genres, columns=("story_id", "genre_id"))
        terms = [
            (each.number, self._terms[taxonomy, slug])
            for each in stories
            for taxonomy, slugs in each.terms.items()
            for slug in slugs
        ]
        await copy("story_terms", records=terms, columns=("story_id", "term_id"))


def _row(story: Story) -> tuple[object, ...]:
    return (
        story.number,
        story.uid,
        story.kind,
        story.source,
        str(story.number),
        story.slug,
        story.title,
        story.title_original,
        story.authors,
        story.tags,
        story.hidden_tags,
        story.status,
        story.age_rating,
        story.age_rating == "explicit",
        f"https://covers.example/{story.number}.webp",
        story.summary,
        story.language,
        story.original_language,
        story.translation_group,
        story.chapters,
        story.words,
        story.chapters or None,
        story.followers,
        f"{story.popularity:.4f}",
        None if story.rating is None else f"{story.rating:.2f}",
        story.ratings,
        story.views,
        story.published_at,
        story.created_at,
        story.updated_at,
        story.deleted_at,
        story.source != HIDDEN_SOURCE,
    )


def _batches(stories: Iterable[Story], size: int) -> Generator[list[Story]]:
    left = iter(stories)
    while some := list(itertools.islice(left, size)):
        yield some


if __name__ == "__main__":
    options = argparse.ArgumentParser(description="Keep a large library until Ctrl-C.")
    options.add_argument("--stories", type=int, default=STORIES)
    with search_library(options.parse_args().stories) as place:
        print(f"  DATABASE_PRIMARY_URL='{place.url}'", flush=True)
        signal.sigwait({signal.SIGINT, signal.SIGTERM})
    sys.exit(0)
