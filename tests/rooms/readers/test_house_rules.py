"""Who may publish something where the instance asks for a confirmed address."""

from datetime import timedelta

import pytest

from rensai.kit.db import Command
from rensai.kit.errors import AuthRequired, Forbidden
from rensai.rooms.readers.door import HouseRules, Role, require_writer
from rensai.rooms.readers.errors import EmailUnverified
from rensai.rooms.readers.model.profiles import PersonChange
from rensai.rooms.readers.service import people
from rensai.rooms.readers.store import accounts
from rensai.wiring.visitors import provide_rules
from tests.rig import Rig
from tests.rooms.readers.people import a_person

pytestmark = pytest.mark.anyio

OPEN, STRICT = HouseRules(verified_email=False), HouseRules(verified_email=True)
_STRICT = Command("UPDATE instance_config SET require_email_verification = true")


async def test_the_operator_decides_whether_an_address_must_be_confirmed(rig: Rig) -> None:
    assert await provide_rules(rig.services) == OPEN
    async with rig.db.transaction() as tx:
        await tx.run(_STRICT)
    rig.clock.advance(timedelta(seconds=31))
    assert await provide_rules(rig.services) == STRICT


async def test_where_it_must_be_only_who_has_confirmed_it_may_write(rig: Rig) -> None:
    bea = await a_person(rig.db, rig.clock)
    assert require_writer(bea, OPEN) == bea
    with pytest.raises(EmailUnverified):
        require_writer(bea, STRICT)
    async with rig.db.transaction() as tx:
        change = PersonChange(email_verified=True)
        await people.change_person(tx, bea.id, change, actor_id=None, now=rig.clock.now())
    confirmed = await accounts.by_id(rig.db.primary, bea.id)
    assert require_writer(confirmed, STRICT) == confirmed
    with pytest.raises(Forbidden):
        require_writer(confirmed, STRICT, Role.UPLOADER)
    with pytest.raises(AuthRequired):
        require_writer(None, OPEN)
