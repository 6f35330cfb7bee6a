"""SQL of the one row that every writer holds, of the journal, and of operators' facets."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from rensai.kit.db import Command, Query, Reads, Tx
from rensai.kit.errors import Unavailable
from rensai.rooms.search.model import Change, News, Shelf, State, Taxonomy

_COLUMNS = """live, generation, layout, last_change, building, building_layout, building_frozen,
    built_to, built_count, builder, builder_seen_at"""
_READ = Query(f"SELECT {_COLUMNS} FROM search_state", State)
_HOLD = Query(f"SELECT {_COLUMNS} FROM search_state FOR UPDATE", State)

# One statement, so that what it says of the state and of the journal is true at one moment.
NEWS = Query(
    """
    SELECT
        state.live, state.generation, state.last_change, state.taxonomies_version,
        missed.number, missed.story_id, missed.lost, missed.gained
    FROM search_state AS state
    LEFT JOIN (
        SELECT number, story_id, lost, gained FROM search_journal
        WHERE number > $1 ORDER BY number LIMIT $2
    ) AS missed ON true
    ORDER BY missed.number
    """,
    News,
)
_NUMBER = Query(
    """
    UPDATE search_state SET last_change = last_change + $1 RETURNING last_change - $1 AS before
    """,
    int,
)
# JSON, because an array cannot hold arrays of different lengths.
_NOTE = Command(
    """
    INSERT INTO search_journal (number, story_id, lost, gained, changed_at)
    SELECT number, story_id, lost, gained, $2
    FROM json_to_recordset($1::json)
        AS told (number bigint, story_id bigint, lost integer [], gained integer [])
    """
)
# What a shelf being built is still to be told stays, unless its builder is long gone.
_FORGET = Command(
    """
    DELETE FROM search_journal WHERE number IN (
        SELECT number FROM search_journal
        CROSS JOIN search_state AS state
        WHERE changed_at < $1 AND (
            state.building_frozen IS NULL OR number <= state.building_frozen
            OR state.builder_seen_at IS NULL OR state.builder_seen_at < $2
        )
        ORDER BY number LIMIT 10000
    )
    """
)
_BEGIN = Command(
    """
    UPDATE search_state SET
        building = $1, building_layout = $2, building_frozen = NULL, built_to = 0, built_count = 0
    """
)
_CLEAR = Query("SELECT search_clear_shelf($1)::text AS cleared", str)
_INDEX_WORDS = Query("SELECT search_index_words($1)::text AS indexed", str)
_BUILT = Command(
    """
    UPDATE search_state
    SET built_to = $1, built_count = built_count + $2, builder = $3, builder_seen_at = $4
    """
)
_CLAIM = Command("UPDATE search_state SET builder = $1, builder_seen_at = $2")
_LEAVE = Command(
    "UPDATE search_state SET builder = NULL, builder_seen_at = NULL WHERE builder = $1"
)
_FREEZE = Command("UPDATE search_state SET building_frozen = last_change")
CHANGED_SINCE = Query("SELECT DISTINCT story_id FROM search_journal WHERE number > $1", int)
_IS_WHOLE_SINCE = Query(
    """
    SELECT count(*) = (SELECT last_change - $1::bigint FROM search_state) AS whole
    FROM search_journal WHERE number > $1::bigint
    """,
    bool,
)
_GO_LIVE = Command(
    """
    UPDATE search_state SET
        live = building, generation = generation + 1, layout = building_layout,
        building = NULL, building_layout = NULL, building_frozen = NULL, built_to = NULL
    """
)
_TAXONOMIES = Query(
    "SELECT facet_type, label, is_multiple FROM search_taxonomies ORDER BY facet_type", Taxonomy
)
_WRITE_TAXONOMIES = Command(
    """
    MERGE INTO search_taxonomies AS known
    USING unnest($1::text [], $2::text [], $3::boolean []) AS told (facet_type, label, is_multiple)
        ON known.facet_type = told.facet_type
    WHEN MATCHED THEN UPDATE SET label = told.label, is_multiple = told.is_multiple
    WHEN NOT MATCHED THEN INSERT (facet_type, label, is_multiple)
        VALUES (told.facet_type, told.label, told.is_multiple)
    """
)
_DROP_TAXONOMIES = Command("DELETE FROM search_taxonomies WHERE facet_type <> ALL($1::text [])")
_RAISE_TAXONOMIES = Command("UPDATE search_state SET taxonomies_version = taxonomies_version + 1")


async def read(reads: Reads) -> State:
    """How the index stands."""
    return _one(await reads.first(_READ))


async def hold(tx: Tx) -> State:
    """How the index stands, with every other writer waiting until the transaction ends.

    What is read of the catalogue after this is as new as what any writer before has written.
    """
    return _one(await tx.first(_HOLD))


async def news(reads: Reads, since: int, most: int) -> list[News]:
    """The state, with at most so many changes after this number of the journal, in order."""
    return await reads.all(NEWS, since, most)


async def note(tx: Tx, changes: Sequence[Change], now: datetime) -> None:
    """Tell every process what has changed on the live shelf; the state is held."""
    before = await tx.first(_NUMBER, len(changes)) or 0
    rows = [
        {"number": number, "story_id": one.story_id, "lost": one.lost, "gained": one.gained}
        for number, one in enumerate(changes, before + 1)
    ]
    await tx.run(_NOTE, msgspec.json.encode(rows).decode(), now)


async def forget(tx: Tx, before: datetime, *, builder_gone_before: datetime) -> int:
    """Clear away what every process has read since; how many entries it was."""
    return await tx.run(_FORGET, before, builder_gone_before)


async def begin(tx: Tx, shelf: Shelf, layout: int) -> None:
    """Empty the shelf that nobody reads and note that it is being filled."""
    await tx.first(_CLEAR, shelf.value)
    await tx.run(_BEGIN, shelf.value, layout)


async def index_words(tx: Tx, shelf: Shelf) -> None:
    """Make the indexes that the shelf was filled without."""
    await tx.first(_INDEX_WORDS, shelf.value)


async def claim(tx: Tx, builder: str, now: datetime) -> None:
    await tx.run(_CLAIM, builder, now)


async def built(tx: Tx, *, to: int, count: int, builder: str, now: datetime) -> None:
    """Note how far the new shelf is."""
    await tx.run(_BUILT, to, count, builder, now)


async def freeze(tx: Tx) -> None:
    """From now on changes are not written to the shelf being built, but read from the journal."""
    await tx.run(_FREEZE)


async def is_whole_since(tx: Tx, number: int) -> bool:
    """Whether the journal still has everything after that number; the state is held."""
    return await tx.first(_IS_WHOLE_SINCE, number) or False


async def changed_since(tx: Tx, number: int) -> list[int]:
    """The stories that the journal names after that number."""
    return await tx.all(CHANGED_SINCE, number)


async def leave(tx: Tx, builder: str) -> None:
    await tx.run(_LEAVE, builder)


async def go_live(tx: Tx) -> None:
    """Let readers see the shelf that was built."""
    await tx.run(_GO_LIVE)


async def taxonomies(reads: Reads) -> list[Taxonomy]:
    return await reads.all(_TAXONOMIES)


async def write_taxonomies(tx: Tx, wanted: list[Taxonomy]) -> None:
    """Have exactly these facets of operators; the state is held."""
    names = [one.facet_type for one in wanted]
    await tx.run(_DROP_TAXONOMIES, names)
    await tx.run(
        _WRITE_TAXONOMIES, names, [one.label for one in wanted], [one.is_multiple for one in wanted]
    )
    await tx.run(_RAISE_TAXONOMIES)


def _one(state: State | None) -> State:
    if state is None:
        raise Unavailable(private="search_state has lost its row")
    return state
