"""Words in a row are looked for in as many stories as can be looked into, and no more."""

import pytest

from rensai.kit.db import Command
from tests.rig import Rig

pytestmark = pytest.mark.anyio

_FILL = Command(
    """
    INSERT INTO search_a.search_words (story_id, words)
    SELECT n, '''=dao'':1 ''=kiem'':3'::tsvector FROM generate_series(1, $1::int) AS n
    """
)


@pytest.mark.parametrize(("stories", "status"), [(20_000, 200), (20_001, 422)])
async def test_a_quote_of_words_that_too_many_have_is_refused_at_once(
    rig: Rig, stories: int, status: int
) -> None:
    async with rig.db.transaction() as tx:
        await tx.run(_FILL, stories)
    quoted = await rig.get("/api/v1/search", params={"q": '"dao kiem"'})
    assert quoted.status_code == status, quoted.text
    assert (await rig.get("/api/v1/search", params={"q": "dao kiem"})).status_code == 200
