"""What the room does by itself."""

from datetime import timedelta

import pytest

from rensai.kit.db import Query
from rensai.kit.tasks import enqueue
from rensai.rooms.readers.tasks import ClearSessions, PurgeTokens, clear_sessions, purge_tokens
from rensai.wiring.task_table import TASKS
from tests.rig import PASSWORD, Rig

pytestmark = pytest.mark.anyio

REFRESH = "/wp-json/novel/v1/auth/refresh"
_REFRESH_TOKENS = Query("SELECT count(*) AS count FROM refresh_tokens", int)
_SESSIONS = Query("SELECT count(*) AS count FROM sessions", int)


async def test_sessions_that_have_run_out_are_cleared_by_a_worker(rig: Rig) -> None:
    await rig.create_admin()
    await rig.sign_in()
    rig.clock.advance(timedelta(days=20))
    await rig.sign_in(rig.visitor())
    assert await rig.db.primary.first(_SESSIONS) == 2
    rig.clock.advance(timedelta(days=20))
    async with rig.db.transaction() as tx:
        await enqueue(tx, clear_sessions, ClearSessions())
    await rig.work()
    assert await rig.db.primary.first(_SESSIONS) == 1
    assert clear_sessions in TASKS


async def test_refresh_tokens_are_purged_once_nobody_need_look_at_them(rig: Rig) -> None:
    body = {"username": "reader1", "email": "r@example.com", "password": PASSWORD}
    made = (await rig.post("/wp-json/novel/v1/auth/register", json=body)).json()
    for _ in range(2):
        answer = await rig.post(REFRESH, json={"refresh_token": made["refresh_token"]})
        made = answer.json()
    for days, left in ((6, 3), (2, 1), (23, 1), (7, 0)):
        rig.clock.advance(timedelta(days=days))
        async with rig.db.transaction() as tx:
            await enqueue(tx, purge_tokens, PurgeTokens())
        await rig.work()
        assert await rig.db.primary.first(_REFRESH_TOKENS) == left
    assert purge_tokens in TASKS
