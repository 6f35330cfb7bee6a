"""The usual way to search a library in MySQL: a row a story with a FULLTEXT, a row a facet value.

It is the pipeline of a fan fiction plugin for WordPress, table by table and statement by statement,
on MariaDB: one statement a facet gives the ids of all stories that have a value of it, the client
intersects them, and a last statement sorts the ids that are left and takes a page. Counts are one
statement a facet over the whole library; where `Counts.FILTERED` is asked for, the same statements
count within the stories found, which the plugin itself leaves out.

In doubt it is given the quicker way: answers decoded in C, one open connection, all data in memory,
statistics taken, rows counted that the plugin might count as distinct, and two indexes for the
status and the default order that it may not have.
"""

import subprocess
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from pathlib import Path

from asyncmy import (
    connect,  # pyright: ignore[reportUnknownVariableType] - it takes its arguments untyped
)
from asyncmy.connection import Connection

from bench.library import Library, program
from bench.mariadb import DATABASE
from bench.search_queries import PAGE, Found, Query

TEXT_CANDIDATES = 1_000
FACETS = ("status", "genre", "age", "language", "warning", "fandom")

_TABLES = (
    """
    CREATE TABLE story_search_index (
        story_id bigint unsigned NOT NULL,
        indexed_text longtext NOT NULL,
        story_title varchar(255) NOT NULL DEFAULT '',
        story_slug varchar(200) NOT NULL DEFAULT '',
        story_summary text,
        story_status varchar(20) NOT NULL DEFAULT 'publish',
        author_id bigint unsigned NOT NULL DEFAULT 0,
        author_name varchar(250) NOT NULL DEFAULT '',
        published_date datetime(6),
        updated_date datetime(6),
        chapter_count int unsigned NOT NULL DEFAULT 0,
        word_count bigint unsigned NOT NULL DEFAULT 0,
        fandom_slugs text,
        warning_slugs text,
        genre_names text,
        language_slug varchar(50),
        translation_group_id bigint unsigned,
        translation_count int unsigned NOT NULL DEFAULT 0,
        view_count bigint unsigned NOT NULL DEFAULT 0,
        age_rating varchar(20),
        visible_tags text,
        invisible_tags text,
        PRIMARY KEY (story_id)
    ) ENGINE = InnoDB
    """,
    """
    CREATE TABLE story_filter_map (
        story_id bigint unsigned NOT NULL,
        facet_type varchar(64) NOT NULL,
        facet_value varchar(191) NOT NULL,
        PRIMARY KEY (story_id, facet_type, facet_value)
    ) ENGINE = InnoDB
    """,
)
_INDEXES = (
    """
    ALTER TABLE story_search_index
    ADD INDEX idx_language (language_slug),
    ADD INDEX idx_translation_group (translation_group_id),
    ADD INDEX idx_age_rating (age_rating),
    ADD INDEX idx_status (story_status),
    ADD INDEX idx_updated (story_status, updated_date, story_id)
    """,
    "ALTER TABLE story_search_index ADD FULLTEXT idx_search_fulltext (indexed_text)",
    """
    ALTER TABLE story_filter_map
    ADD INDEX idx_facet_lookup (facet_type, facet_value, story_id),
    ADD INDEX idx_story_facet (story_id, facet_type)
    """,
    "ANALYZE TABLE story_search_index, story_filter_map PERSISTENT FOR ALL",
)

_STORIES = """
SELECT
    stories.id, concat_ws(
        ' ', title, title_original, names.aliases, array_to_string(authors, ' '),
        array_to_string(tags, ' '), array_to_string(hidden_tags, ' '), summary
    ), title, slug, summary,
    CASE WHEN status = 0 THEN 'draft' WHEN is_public THEN 'publish' ELSE 'private' END,
    coalesce(abs(hashtext(author_name))::bigint, 0), coalesce(author_name, ''),
    (coalesce(published_at, stories.created_at) AT TIME ZONE 'UTC'),
    (stories.updated_at AT TIME ZONE 'UTC'), chapter_count, word_count,
    sorted.fandoms, sorted.warnings, kinds.genres, language,
    CASE WHEN translation_group IS NOT NULL
        THEN dense_rank() OVER (ORDER BY translation_group) END,
    CASE WHEN translation_group IS NOT NULL
        THEN count(*) OVER (PARTITION BY translation_group) - 1 ELSE 0 END,
    view_count, age_rating, array_to_string(tags, ','), array_to_string(hidden_tags, ',')
FROM stories
LEFT JOIN (
    SELECT story_id, string_agg(alias, ' ') AS aliases FROM story_aliases GROUP BY story_id
) AS names ON names.story_id = stories.id
LEFT JOIN (
    SELECT story_id, string_agg(genres.name, ',') AS genres
    FROM story_genres JOIN genres ON genres.id = genre_id GROUP BY story_id
) AS kinds ON kinds.story_id = stories.id
LEFT JOIN (
    SELECT
        story_id, string_agg(terms.slug, ',') FILTER (WHERE taxonomies.slug = 'fandom') AS fandoms,
        string_agg(terms.slug, ',') FILTER (WHERE taxonomies.slug = 'warning') AS warnings
    FROM story_terms JOIN terms ON terms.id = term_id
    JOIN taxonomies ON taxonomies.id = taxonomy_id GROUP BY story_id
) AS sorted ON sorted.story_id = stories.id
WHERE deleted_at IS NULL
ORDER BY stories.id
"""
_FACET_VALUES = """
SELECT story_id, facet_type, facet_value FROM (
    SELECT id AS story_id, 'language' AS facet_type, language AS facet_value FROM stories
    UNION ALL SELECT id, 'age', age_rating FROM stories WHERE age_rating IS NOT NULL
    UNION ALL SELECT id, 'status',
        (ARRAY['draft', 'ongoing', 'completed', 'hiatus', 'dropped']) [status + 1] FROM stories
    UNION ALL SELECT story_id, 'genre', genres.slug
    FROM story_genres JOIN genres ON genres.id = genre_id
    UNION ALL SELECT story_id,
        CASE WHEN is_builtin THEN '' ELSE 'custom:' END || taxonomies.slug, terms.slug
    FROM story_terms JOIN terms ON terms.id = term_id
    JOIN taxonomies ON taxonomies.id = taxonomy_id
) AS every
WHERE story_id IN (SELECT id FROM stories WHERE deleted_at IS NULL)
ORDER BY story_id, facet_type, facet_value
"""

_TEXT = f"""
SELECT story_id, MATCH (indexed_text) AGAINST (%s) AS relevance FROM story_search_index
WHERE story_status = 'publish' AND MATCH (indexed_text) AGAINST (%s)
ORDER BY relevance DESC LIMIT {TEXT_CANDIDATES}
"""
_ANY = """
SELECT DISTINCT m.story_id FROM story_filter_map m
INNER JOIN story_search_index idx ON idx.story_id = m.story_id
WHERE m.facet_type = %s AND m.facet_value IN ({}) AND idx.story_status = 'publish'
"""
_ALL = """
SELECT m.story_id FROM story_filter_map m
INNER JOIN story_search_index idx ON idx.story_id = m.story_id
WHERE m.facet_type = %s AND m.facet_value IN ({}) AND idx.story_status = 'publish'
GROUP BY m.story_id HAVING COUNT(DISTINCT m.facet_value) >= %s
"""
_PAGE = """
SELECT SQL_CALC_FOUND_ROWS story_id FROM story_search_index
WHERE story_status = 'publish'{} ORDER BY {} LIMIT 0, {}
"""
_CARDS = """
SELECT story_id, story_title, story_slug, story_summary, author_name, language_slug,
    translation_group_id, translation_count, view_count
FROM story_search_index WHERE story_id IN ({})
"""
_COUNTS = """
SELECT m.facet_value, COUNT(*) FROM story_filter_map m
INNER JOIN story_search_index idx ON idx.story_id = m.story_id
WHERE m.facet_type {} AND idx.story_status = 'publish'{}
GROUP BY m.facet_type, m.facet_value
"""


class Counts(Enum):
    """What is counted beside the page."""

    NONE = "none"
    GLOBAL = "global"
    FILTERED = "filtered"


class TwoTables:
    """The pipeline, over one connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def answer(self, query: Query, counts: Counts = Counts.NONE) -> Found:
        """All statements of one search, as the plugin sends them."""
        found, ranked = await self._candidates(query)
        without: list[int] = []
        for facet, values in query.lack.items():
            without += await self._having(facet, values, match_all=False)
        if found is not None and without:
            found -= set(without)
            without = []
        order = "updated_date DESC, story_id DESC"
        if ranked and found:
            order = f"FIELD(story_id, {_told(one for one in ranked if one in found)})"
        where = ""
        if found is not None:
            where = f" AND story_id IN ({_told(found) or 0})"
        elif without:
            where = f" AND story_id NOT IN ({_told(without)})"
        page = await self._ids(_PAGE.format(where, order, PAGE))
        ((total,),) = await self.rows("SELECT FOUND_ROWS()")
        if page:
            await self.rows(_CARDS.format(_told(page)))
        if counts is not Counts.NONE:
            within = where.replace("story_id", "m.story_id", 1)
            await self.count(within if counts is Counts.FILTERED else "")
        return Found(int(str(total)), page)

    async def count(self, within: str = "") -> dict[str, int]:
        """How many stories each value of each facet has."""
        found: dict[str, int] = {}
        for facet in FACETS:
            rows = await self.rows(_COUNTS.format("= %s", within), facet)
            found |= {f"{facet}={value}": int(str(number)) for value, number in rows}
        rows = await self.rows(_COUNTS.format("LIKE 'custom:%'", within))
        return found | {f"custom={value}": int(str(number)) for value, number in rows}

    async def _candidates(self, query: Query) -> tuple[set[int] | None, list[int]]:
        """The stories that have what is asked for, or None for all; those of the text in order."""
        found: set[int] | None = None
        ranked: list[int] = []
        if query.text:
            ranked = await self._ids(_TEXT, query.text, query.text)
            found = set(ranked)
        for facet, values in query.have.items():
            ids = await self._having(facet, values, match_all=query.match_all)
            found = set(ids) if found is None else found & set(ids)
        return found, ranked

    async def _having(self, facet: str, values: Sequence[str], *, match_all: bool) -> list[int]:
        marks = ", ".join(["%s"] * len(values))
        if match_all and len(values) > 1:
            return await self._ids(_ALL.format(marks), facet, *values, len(values))
        return await self._ids(_ANY.format(marks), facet, *values)

    async def _ids(self, statement: str, *values: object) -> list[int]:
        return [row[0] for row in await self.rows(statement, *values)]  # pyright: ignore[reportReturnType]

    async def rows(self, statement: str, *values: object) -> Sequence[Sequence[object]]:
        """What one statement answers."""
        async with self._connection.cursor() as cursor:
            await cursor.execute(statement, values or None)  # pyright: ignore[reportUnknownMemberType]
            return await cursor.fetchall()


def _told(ids: Iterable[int]) -> str:
    return ",".join(map(str, ids))


async def connected(socket: Path) -> Connection:
    """One connection, to be used again and again."""
    return await connect(unix_socket=str(socket), user="root", db=DATABASE, charset="utf8mb4")


def export(place: Library, folder: Path) -> Mapping[str, Path]:
    """The same stories and facets as files that MariaDB reads."""
    files = {"story_search_index": _STORIES, "story_filter_map": _FACET_VALUES}
    for table, query in files.items():
        with (folder / table).open("wb") as output:
            command = [program("psql"), "-q", "-v", "ON_ERROR_STOP=1", place.url]
            command += ["-c", f"COPY ({query}) TO STDOUT"]
            subprocess.run(command, check=True, stdout=output)
    return {table: folder / table for table in files}


async def fill(connection: Connection, files: Mapping[str, Path]) -> None:
    """Make the tables, load them, and index them once they are full."""
    tables = TwoTables(connection)
    for statement in _TABLES:
        await tables.rows(statement)
    for table, file in files.items():
        await tables.rows(f"LOAD DATA INFILE '{file}' INTO TABLE {table} CHARACTER SET utf8mb4")
    await connection.commit()
    for statement in _INDEXES:
        print(f"  {' '.join(statement.split())[:90]}", flush=True)
        await tables.rows(statement)
