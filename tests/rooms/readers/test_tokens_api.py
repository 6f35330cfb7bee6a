"""API tokens: shown once, within their scopes, and only their owner's."""

import asyncio
from datetime import timedelta
from uuid import uuid4

import httpx
import pytest

from rensai.kit.db import Command, Query
from rensai.rooms.readers.model.signing import SCOPES
from rensai.rooms.readers.service.tokens import MOST
from tests.rig import Rig
from tests.rooms.readers.test_registration_api import READER, REGISTER

pytestmark = pytest.mark.anyio

TOKENS = "/api/v1/auth/tokens"
ME = "/api/v1/auth/me"

_STORED = Query("SELECT row_to_json(t)::text AS row FROM api_tokens AS t", str)
_FILL = Command(
    """
    INSERT INTO api_tokens (id, user_id, name, token_hash)
    SELECT gen_random_uuid(), 1, 'one of many', sha256(n::text::bytea)
    FROM generate_series(1, $1) AS n
    """
)
_NEW_PASSWORD = Command("UPDATE users SET password_changed_at = $1")


async def a_reader(rig: Rig, name: str = "reader1") -> httpx.AsyncClient:
    visitor = rig.visitor()
    body = READER | {"username": name, "email": f"{name}@example.com"}
    assert (await visitor.post(REGISTER, json=body)).status_code == 201
    return visitor


async def make(visitor: httpx.AsyncClient, **fields: object) -> dict[str, str]:
    answer = await visitor.post(TOKENS, json={"name": "a script"} | fields)
    assert answer.status_code == 201, answer.text
    return answer.json()


def by(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


async def test_a_token_is_shown_once_and_only_its_hash_is_stored(rig: Rig) -> None:
    reader = await a_reader(rig)
    made = await make(reader, scopes=["account:read", "library:write"])
    assert set(made) == {
        "id",
        "name",
        "prefix",
        "scopes",
        "createdAt",
        "lastUsedAt",
        "expiresAt",
        "token",
    }
    token = made.pop("token")
    assert token.startswith("rsn_")
    assert len(token) == 47
    assert token.startswith(made["prefix"])
    assert made["scopes"] == ["account:read", "library:write"]
    listed = (await reader.get(TOKENS)).json()
    assert listed == {"items": [made], "nextCursor": None, "hasMore": False}
    assert token not in " ".join(await rig.db.primary.all(_STORED))
    assert (await rig.get(ME, headers=by(token))).json()["username"] == "reader1"


async def test_without_scopes_it_may_do_all_that_the_account_may(rig: Rig) -> None:
    made = await make(await a_reader(rig))
    assert set(made["scopes"]) == SCOPES


async def test_a_token_does_only_what_its_scopes_say(rig: Rig) -> None:
    reader = await a_reader(rig)
    token = (await make(reader, scopes=["account:read"]))["token"]
    assert (await rig.get(TOKENS, headers=by(token))).status_code == 200
    answer = await rig.post(TOKENS, json={"name": "more"}, headers=by(token))
    assert answer.status_code == 403
    assert answer.json() == {
        "error": "The token lacks the scope account:write.",
        "code": "FORBIDDEN",
        "details": {"scope": "account:write"},
    }
    other = (await make(reader, scopes=["library:read"]))["token"]
    assert (await rig.get(ME, headers=by(other))).status_code == 403


async def test_a_token_gives_no_more_than_it_has(rig: Rig) -> None:
    reader = await a_reader(rig)
    token = (await make(reader, scopes=["account:write", "library:read"]))["token"]
    answer = await rig.post(
        TOKENS, json={"name": "more", "scopes": ["library:read", "admin:write"]}, headers=by(token)
    )
    assert (answer.status_code, answer.json()["details"]) == (403, {"scope": "admin:write"})
    answer = await rig.post(TOKENS, json={"name": "the same"}, headers=by(token))
    assert answer.json()["scopes"] == ["account:write", "library:read"]


async def test_a_scope_is_no_role(rig: Rig) -> None:
    token = (await make(await a_reader(rig), scopes=["admin:write", "account:read"]))["token"]
    assert (await rig.get(ME, headers=by(token))).json()["role"] == "user"


async def test_a_token_ends_with_its_time_or_when_it_is_deleted(rig: Rig) -> None:
    reader = await a_reader(rig)
    soon = (rig.clock.now() + timedelta(hours=1)).isoformat()
    timed, kept = await make(reader, expiresAt=soon), await make(reader)
    rig.clock.advance(timedelta(hours=1))
    assert (await rig.get(ME, headers=by(timed["token"]))).status_code == 401
    assert (await rig.get(ME, headers=by(kept["token"]))).status_code == 200
    assert (await reader.delete(f"{TOKENS}/{kept['id']}")).status_code == 204
    assert (await rig.get(ME, headers=by(kept["token"]))).status_code == 401
    assert (await reader.delete(f"{TOKENS}/{kept['id']}")).status_code == 404


async def test_a_changed_password_ends_it(rig: Rig) -> None:
    token = (await make(await a_reader(rig)))["token"]
    rig.clock.advance(timedelta(seconds=1))
    async with rig.db.transaction() as tx:
        await tx.run(_NEW_PASSWORD, rig.clock.now())
    assert (await rig.get(ME, headers=by(token))).status_code == 401


async def test_another_accounts_token_is_not_there(rig: Rig) -> None:
    reader, other = await a_reader(rig), await a_reader(rig, "other")
    made = await make(reader)
    theirs = await other.delete(f"{TOKENS}/{made['id']}")
    nobodys = await other.delete(f"{TOKENS}/{uuid4()}")
    assert theirs.status_code == nobodys.status_code == 404
    assert theirs.json() == nobodys.json()
    assert (await other.get(TOKENS)).json()["items"] == []
    assert (await rig.get(ME, headers=by(made["token"]))).status_code == 200


@pytest.mark.parametrize(
    "change",
    [
        {"name": ""},
        {"name": "x" * 101},
        {"name": " "},
        {"name": "two\nlines"},
        {"scopes": []},
        {"scopes": ["everything"]},
        {"scopes": "account:read"},
        {"expiresAt": "2020-01-01T00:00:00Z"},
        {"expiresAt": "2099-01-01T00:00:00"},
        {"expiresAt": "tomorrow"},
        {"userId": 7},
        {"token": "rsn_" + "x" * 43},
    ],
    ids=str,
)
async def test_what_cannot_be_a_token_is_refused(rig: Rig, change: dict[str, object]) -> None:
    reader = await a_reader(rig)
    answer = await reader.post(TOKENS, json={"name": "a script"} | change)
    assert (answer.status_code, answer.json()["code"]) == (422, "VALIDATION_ERROR")


async def test_pages_lose_and_repeat_nothing(rig: Rig) -> None:
    reader = await a_reader(rig)
    made = [(await make(reader, name=f"number {n}"))["id"] for n in range(7)]
    seen: list[str] = []
    cursor: str | None = None
    while True:
        asked = {"limit": "3"} if cursor is None else {"limit": "3", "cursor": cursor}
        page = (await reader.get(TOKENS, params=asked)).json()
        seen += [item["id"] for item in page["items"]]
        cursor = page["nextCursor"]
        if not page["hasMore"]:
            break
        other = await a_reader(rig, f"other{len(seen)}")
        refused = await other.get(TOKENS, params={"cursor": str(cursor)})
        assert refused.status_code == 422, "a cursor is good for its own list"
    assert seen == made[::-1]


async def test_an_account_has_a_hundred_tokens_at_most_also_when_two_are_made_at_once(
    rig: Rig,
) -> None:
    reader = await a_reader(rig)
    async with rig.db.transaction() as tx:
        await tx.run(_FILL, MOST - 1)
    answers = await asyncio.gather(*(reader.post(TOKENS, json={"name": "x"}) for _ in range(3)))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409]
    assert {answer.json().get("code") for answer in answers} == {None, "TOO_MANY_TOKENS"}
