"""Every list and every look-up of the room is served by an index on filled tables."""

import os
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from rensai.kit.db import Command, Database, Query
from rensai.rooms.readers.store import recovery, refresh, sessions, tokens, visits
from tests.plans import assert_served_by_index
from tests.rooms.readers.accounts import NOON

pytestmark = pytest.mark.anyio

READERS, DEVICES_OF_ONE = 3000, 1500

_FILL = [
    Command(
        """
        INSERT INTO users (
            uid, username, email, password_hash, display_name, portable_public_key,
            portable_key_fingerprint
        )
        SELECT gen_random_uuid(), 'reader' || n, 'reader' || n || '@example.com', 'x', 'Reader',
            lpad(to_hex(n), 64, '0'), lpad(to_hex(n), 32, '0')
        FROM generate_series(1, $1) AS n
        """
    ),
    Command(
        """
        INSERT INTO sessions (id_hash, user_id, kind, network, created_at, expires_at)
        SELECT sha256(n::text::bytea), CASE WHEN n <= $2 THEN 1 ELSE n % $1 + 1 END,
            CASE n % 2 WHEN 0 THEN 'browser' ELSE 'app' END, 'net' || n % 50,
            $3::timestamptz + n * interval '1 second', $3::timestamptz + interval '30 days'
        FROM generate_series(1, $1 * 2) AS n
        """
    ),
    Command(
        """
        INSERT INTO refresh_tokens (
            user_id, family_id, token_hash, issued_at, expires_at, revoked_at
        )
        SELECT user_id, uid, sha256(id_hash), created_at, expires_at,
            CASE WHEN get_byte(id_hash, 0) % 3 > 0 THEN created_at END
        FROM sessions
        """
    ),
    Command(
        """
        INSERT INTO api_tokens (id, user_id, name, token_hash)
        SELECT gen_random_uuid(), CASE WHEN n <= $2 THEN 1 ELSE n % $1 + 1 END, 'x',
            sha256(n::text::bytea)
        FROM generate_series(1, $1 * 2) AS n
        """
    ),
]
_SOME_UID = Query("SELECT uid AS some FROM sessions WHERE kind = 'app' ORDER BY uid LIMIT 1", UUID)
_ANALYZE = ("users", "sessions", "refresh_tokens", "api_tokens")


@pytest.fixture
async def full(database: Database) -> Database:
    values = (READERS, DEVICES_OF_ONE, NOON)
    async with database.transaction() as tx:
        for command, used in zip(_FILL, (1, 3, 0, 2), strict=True):
            await tx.run(command, *values[:used])
        for table in _ANALYZE:
            await tx.connection.execute(f"ANALYZE {table}")  # the names are ours
    return database


Of = Callable[[UUID], tuple[object, ...]]
LATER = NOON + timedelta(minutes=10)
HASH = os.urandom(32)

LOOKUPS: list[tuple[str, Query[Any], Of]] = [  # Any: each has rows of its own
    ("devices", sessions.FIRST_PAGE, lambda uid: (1, NOON, 21)),
    ("more devices", sessions.NEXT_PAGE, lambda uid: (1, NOON, 21, LATER, uid)),
    ("known network", sessions.FROM_NETWORK, lambda uid: (7, "net7", NOON)),
    ("tokens", tokens.FIRST_PAGE, lambda uid: (1, 21)),
    ("more tokens", tokens.NEXT_PAGE, lambda uid: (1, 21, uid)),
    ("how many tokens", tokens.COUNT, lambda uid: (1, 100)),
    ("browsers", visits.BROWSERS, lambda uid: ([HASH],)),
    ("apps", visits.APPS, lambda uid: ([uid],)),
    ("API tokens", visits.TOKENS, lambda uid: ([HASH],)),
    ("a refresh token", refresh.BY_HASH, lambda uid: (HASH,)),
    ("its device", refresh.HOLD, lambda uid: (HASH, NOON)),
    ("who makes room", refresh.DISPLACED, lambda uid: (7, NOON, 1, "phone")),
    ("words", recovery.BY_FINGERPRINT, lambda uid: ("0" * 31 + "7",)),
    ("names", recovery.NAMES_TAKEN, lambda uid: (7, "Reader9", "reader9@example.com")),
]


@pytest.mark.parametrize(
    ("query", "values"), [row[1:] for row in LOOKUPS], ids=[r[0] for r in LOOKUPS]
)
async def test_an_index_serves(full: Database, query: Query[Any], values: Of) -> None:
    uid = await full.primary.first(_SOME_UID)
    assert uid is not None
    async with full.transaction() as tx:
        await assert_served_by_index(tx, query, *values(uid), at_most=130)


async def test_purging_and_revoking_read_only_what_they_change(full: Database) -> None:
    uid = await full.primary.first(_SOME_UID)
    assert uid is not None
    changes: list[tuple[Command | Query[int], tuple[object, ...]]] = [
        (refresh.REVOKE_FAMILIES, ([uid], NOON)),
        (sessions.DELETE_UIDS, ([uid],)),
        (sessions.LEAVE, ([uid], timedelta(days=7))),
        (refresh.PURGE, (NOON + timedelta(seconds=30), 100)),
    ]
    for change, values in changes:
        async with full.transaction() as tx:
            query = Query(change.text, int)
            await assert_served_by_index(tx, query, *values, at_most=130)
