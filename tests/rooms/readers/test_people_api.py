"""Accounts in the hands of those who run the site, over `/api/v1/admin/users`."""

import asyncio

import httpx
import pytest

from rensai.kit.db import Command
from rensai.rooms.readers.errors import LastAdmin
from rensai.rooms.readers.model.profiles import PersonChange
from rensai.rooms.readers.service import people
from rensai.rooms.readers.store import people as store
from rensai.rooms.readers.store import transfers
from tests.plans import assert_served_by_index
from tests.rig import Rig
from tests.rooms.readers.people import PASSWORD, a_person, browser_of, signed_in

pytestmark = pytest.mark.anyio

USERS = "/api/v1/admin/users"
ME = "/api/v1/users/me"


async def names(visitor: httpx.AsyncClient, **asked: object) -> list[str]:
    """The names in the whole list, page by page."""
    found: list[str] = []
    cursor = None
    while True:
        params = {**asked, "limit": 2} | ({"cursor": cursor} if cursor else {})
        answer = await visitor.get(USERS, params=params)  # pyright: ignore[reportArgumentType]
        assert answer.status_code == 200, answer.text
        page = answer.json()
        found += [one["username"] for one in page["items"]]
        cursor = page["nextCursor"]
        if cursor is None:
            return found


async def id_of(visitor: httpx.AsyncClient, username: str) -> str:
    answer = await visitor.get(USERS, params={"q": username})
    return str(answer.json()["items"][0]["id"])


async def change(visitor: httpx.AsyncClient, username: str, **changes: object) -> httpx.Response:
    return await visitor.patch(f"{USERS}/{await id_of(visitor, username)}", json=changes)


async def test_accounts_are_listed_and_found_by_what_they_begin_with(rig: Rig) -> None:
    ada = await signed_in(rig, "ada", role="admin")
    for name in ("Bea", "beatrix", "cleo", "be_ll", "dora"):
        await a_person(rig.db, rig.clock, name, role="moderator" if name == "cleo" else "user")
    assert await names(ada) == ["dora", "be_ll", "cleo", "beatrix", "Bea", "ada"]
    assert await names(ada, q="be") == ["be_ll", "Bea", "beatrix"]
    assert await names(ada, q="BEA") == ["Bea", "beatrix"]
    assert await names(ada, q="be_") == ["be_ll"]
    assert await names(ada, q="%") == []
    assert await names(ada, q="cleo@", by="email") == ["cleo"]
    assert await names(ada, q="example.com", by="email") == []
    assert await names(ada, role="moderator") == ["cleo"]
    assert await names(ada, banned=True) == []
    both = await ada.get(USERS, params={"q": "be", "role": "user"})
    assert both.status_code == 422


async def test_an_account_is_shown_whole_to_an_administrator(rig: Rig) -> None:
    ada = await signed_in(rig, "ada", role="admin")
    bea = await a_person(rig.db, rig.clock)
    answer = await ada.get(f"{USERS}/{bea.uid}")
    assert answer.headers["cache-control"] == "private, no-store"
    shown = answer.json()
    assert shown["actions"] == []
    assert shown["user"]["email"] == "bea@example.com"
    assert set(shown["user"]) == {
        *("id", "username", "email", "emailVerified", "displayName", "role", "isActive"),
        *("isBanned", "banReason", "createdAt", "updatedAt", "deletedAt"),
    }


@pytest.mark.parametrize("role", ["user", "uploader", "moderator"])
async def test_nobody_else_sees_or_changes_accounts(rig: Rig, role: str) -> None:
    await a_person(rig.db, rig.clock, "ada", role="admin")
    bea = await a_person(rig.db, rig.clock, role=role)
    visitor = await browser_of(rig, "bea")
    for who, status in ((visitor, 403), (rig.client, 401)):
        answers = [
            await who.get(USERS),
            await who.get(f"{USERS}/{bea.uid}"),
            await who.patch(f"{USERS}/{bea.uid}", json={"role": "admin"}),
        ]
        assert [answer.status_code for answer in answers] == [status] * 3
    assert (await visitor.get(ME)).json()["role"] == role


async def test_a_ban_shuts_out_at_once_and_is_written_down(rig: Rig) -> None:
    ada = await signed_in(rig, "ada", role="admin")
    bea = await signed_in(rig)
    reason = "spam <script>alert(1)</script>"
    answer = await change(ada, "bea", isBanned=True, banReason=reason)
    assert answer.status_code == 200, answer.text
    assert (answer.json()["isBanned"], answer.json()["banReason"]) == (True, reason)
    assert (await bea.get(ME)).status_code == 401
    login = await rig.post("/api/v1/auth/login", json={"login": "bea", "password": PASSWORD})
    assert login.json()["code"] == "ACCOUNT_CLOSED"
    assert await names(ada, banned=True) == ["bea"]
    back = await change(ada, "bea", isBanned=False)
    assert (back.json()["isBanned"], back.json()["banReason"]) == (False, None)
    assert (await bea.get(ME)).status_code == 401  # whoever was signed in stays out
    await browser_of(rig, "bea")
    shown = (await ada.get(f"{USERS}/{await id_of(ada, 'bea')}")).json()
    assert [(one["action"], one["detail"], one["actor"]) for one in shown["actions"]] == [
        ("unbanned", "", "ada"),
        ("banned", reason, "ada"),
    ]


async def test_roles_count_from_the_next_request_on(rig: Rig) -> None:
    ada = await signed_in(rig, "ada", role="admin")
    bea = await signed_in(rig)
    assert (await bea.get(USERS)).status_code == 403
    assert (await change(ada, "bea", role="admin")).json()["role"] == "admin"
    assert (await bea.get(USERS)).status_code == 200
    assert (await change(ada, "bea", role="uploader")).status_code == 200
    assert (await bea.get(USERS)).status_code == 403
    same = await change(ada, "bea", role="uploader")
    assert same.status_code == 200
    shown = (await ada.get(f"{USERS}/{await id_of(ada, 'bea')}")).json()
    assert [one["detail"] for one in shown["actions"]] == ["admin -> uploader", "user -> admin"]


@pytest.mark.parametrize(
    "changes", [{"role": "user"}, {"isBanned": True}, {"isActive": False}], ids=str
)
async def test_the_last_administrator_stays_one(rig: Rig, changes: dict[str, object]) -> None:
    ada = await signed_in(rig, "ada", role="admin")
    answer = await change(ada, "ada", **changes)
    assert (answer.status_code, answer.json()["code"]) == (409, "LAST_ADMIN")
    assert (await ada.get(USERS)).status_code == 200
    banned = await a_person(rig.db, rig.clock, "eve", role="admin")
    await change(ada, "eve", isBanned=True)
    assert banned.role == "admin"
    assert (await change(ada, "ada", **changes)).status_code == 409
    await change(ada, "eve", isBanned=False)
    assert (await change(ada, "ada", **changes)).status_code == 200


async def test_of_two_who_lower_each_other_at_once_one_stays(rig: Rig) -> None:
    ada = await a_person(rig.db, rig.clock, "ada", role="admin")
    eve = await a_person(rig.db, rig.clock, "eve", role="admin")
    lower, now = PersonChange(role="user"), rig.clock.now()

    async def lower_ada() -> None:
        async with rig.db.transaction() as tx:
            await people.change_person(tx, ada.id, lower, actor_id=eve.id, now=now)

    async with rig.db.transaction() as tx:
        await people.change_person(tx, eve.id, lower, actor_id=ada.id, now=now)
        other = asyncio.create_task(lower_ada())
        await asyncio.sleep(0.3)
        assert not other.done()
    with pytest.raises(LastAdmin):
        await other


@pytest.mark.parametrize(
    "body",
    [
        {"role": "king"},
        {"role": 3},
        {"isBanned": "yes"},
        {"banReason": "without a ban"},
        {"isBanned": True, "banReason": "x" * 1001},
        {"username": "other"},
        {"email": "other@example.com"},
        {"passwordHash": "x"},
        {"deletedAt": None},
        [],
    ],
    ids=str,
)
async def test_what_cannot_be_changed_is_refused(rig: Rig, body: object) -> None:
    ada = await signed_in(rig, "ada", role="admin")
    bea = await a_person(rig.db, rig.clock)
    answer = await ada.patch(f"{USERS}/{bea.uid}", json=body)
    assert answer.status_code == 422, answer.text
    assert (await ada.get(f"{USERS}/{bea.uid}")).json()["actions"] == []


async def test_who_is_gone_or_never_was_cannot_be_changed(rig: Rig) -> None:
    ada = await signed_in(rig, "ada", role="admin")
    person = await a_person(rig.db, rig.clock)
    bea = await browser_of(rig, "bea")
    await change(ada, "bea", isBanned=True, banReason="was rude to Cleo")
    await change(ada, "bea", isBanned=False)
    bea = await browser_of(rig, "bea")
    assert (await bea.request("DELETE", ME, json={"password": PASSWORD})).status_code == 204
    for uid in (str(person.uid), "0190163d-8694-739b-aea5-966c26f8ad91", "none"):
        answer = await ada.patch(f"{USERS}/{uid}", json={"role": "admin"})
        assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")
    shown = (await ada.get(f"{USERS}/{person.uid}")).json()
    assert shown["user"]["deletedAt"] is not None
    assert "Cleo" not in str(shown)
    assert shown["actions"][0]["action"] == "deleted"


async def test_a_cursor_of_another_list_is_refused(rig: Rig) -> None:
    ada = await signed_in(rig, "ada", role="admin")
    for name in ("bea", "beb", "bec"):
        await a_person(rig.db, rig.clock, name)
    cursor = (await ada.get(USERS, params={"q": "be", "limit": 1})).json()["nextCursor"]
    for other in ({"q": "bea"}, {"by": "email", "q": "be"}, {}, {"role": "user"}):
        answer = await ada.get(USERS, params={**other, "cursor": cursor})
        assert answer.status_code == 422, other


_FILL = Command(
    """
    INSERT INTO users (uid, username, email, password_hash, display_name, role, is_banned)
    SELECT gen_random_uuid(), 'reader' || n, 'reader' || n || '@example.com', 'x', 'Reader',
        CASE WHEN n % 100 = 0 THEN 'moderator' ELSE 'user' END, n % 50 = 0
    FROM generate_series(1, 20000) AS n
    """
)
_FILL_ACTIONS = Command(
    """
    INSERT INTO account_actions (user_id, action)
    SELECT 1 + n % 3, 'role' FROM generate_series(1, 6000) AS n
    """
)
_FILL_TRANSFERS = Command(
    """
    INSERT INTO transfers (id, user_id, direction, state, archive_key, expires_at)
    SELECT gen_random_uuid(), 1 + n % 300, 'export', 'done', 'key', now()
    FROM generate_series(1, 20000) AS n
    """
)


async def test_every_list_of_accounts_is_served_by_its_index(rig: Rig) -> None:
    async with rig.db.transaction() as tx:
        for fill in (_FILL, _FILL_ACTIONS, _FILL_TRANSFERS):
            await tx.run(fill)
        for table in ("users", "account_actions", "transfers"):
            await tx.connection.execute(f"ANALYZE {table}")
        last = 2**63 - 1
        await assert_served_by_index(tx, store.NEWEST, last, 21)
        await assert_served_by_index(tx, store.NEWEST, 10_000, 21)
        await assert_served_by_index(tx, store.BY_ROLE, last, 21, "moderator")
        await assert_served_by_index(tx, store.BY_ROLE, 10_000, 21, "user")
        await assert_served_by_index(tx, store.BANNED, 10_000, 21)
        span = ("reader1", "reader1\U0010ffff")
        for query in (store.BY_NAME, store.BY_EMAIL):
            await assert_served_by_index(tx, query, 0, *span, 21)
            await assert_served_by_index(tx, query, 15_000, *span, 21)
        await assert_served_by_index(tx, store.ACTIONS, 1, last, 50)
        top = "ffffffff-ffff-ffff-ffff-ffffffffffff"
        await assert_served_by_index(tx, transfers.OF_READER, 7, "export", top, 21)
