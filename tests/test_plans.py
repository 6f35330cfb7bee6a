"""The judge of plans: accepts a list that an index serves, and names the fault of another."""

import pytest

from rensai.kit.db import Database, Query
from tests.plans import assert_served_by_index

pytestmark = pytest.mark.anyio

FILL = """
CREATE TABLE shelf (id int PRIMARY KEY, title text NOT NULL, rank int NOT NULL, gone bool NOT NULL);
INSERT INTO shelf SELECT n, 'title ' || n, n * 7919 % 20011, n % 1000 <> 0
FROM generate_series(1, 20000) AS n;
CREATE INDEX shelf_rank ON shelf (rank, id);
ANALYZE shelf"""
GOOD = Query("SELECT id FROM shelf WHERE (rank, id) > ($1, 0) ORDER BY rank, id LIMIT 20", int)
BAD = {
    "SELECT id FROM shelf WHERE rank > $1 ORDER BY title LIMIT 20": "sorts .* rows by",
    "SELECT id FROM shelf WHERE id > $1 AND title LIKE '%99' LIMIT 20": "reads the whole of shelf",
    "SELECT id FROM shelf WHERE rank > $1 AND NOT gone ORDER BY rank LIMIT 20": "throws away",
    "SELECT count(*)::int AS count FROM shelf WHERE rank > $1": "reads (20|19)... rows of shelf",
}


async def test_a_list_in_the_order_of_an_index_is_accepted(database: Database) -> None:
    async with database.transaction() as tx:
        await tx.connection.execute(FILL)
        await assert_served_by_index(tx, GOOD, 500)


@pytest.mark.parametrize("text", BAD)
async def test_a_list_that_no_index_serves_is_refused(database: Database, text: str) -> None:
    async with database.transaction() as tx:
        await tx.connection.execute(FILL)
        if "throws" in BAD[text]:
            await tx.connection.execute("SET LOCAL enable_seqscan = off")
        with pytest.raises(AssertionError, match=BAD[text]):
            await assert_served_by_index(tx, Query(text, int), 10)
