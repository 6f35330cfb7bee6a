"""What the room does by itself."""

from datetime import timedelta

import pytest

from rensai.kit.db import Query
from rensai.kit.tasks import enqueue
from rensai.rooms.readers.tasks import ClearSessions, clear_sessions
from rensai.wiring.task_table import TASKS
from tests.rig import Rig

pytestmark = pytest.mark.anyio

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
