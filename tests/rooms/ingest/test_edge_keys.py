"""What a key may do, from where, and what happens to it."""

from datetime import datetime, timedelta

import pytest

from rensai.kit.db import Query
from rensai.kit.errors import Conflict, Invalid, NotFound
from rensai.rooms.ingest.model import NewKey
from rensai.rooms.ingest.service import keys
from rensai.rooms.ingest.service.authenticate import LOCKED_FOR, MOST_FAILURES, network_of
from tests.rig import Rig
from tests.rooms.ingest.crawler import (
    CHAPTERS,
    INGEST,
    STATS,
    STORIES,
    Crawler,
    batch,
    chapter,
    make_crawler,
    make_key,
    refused,
    story,
)

pytestmark = pytest.mark.anyio


async def test_a_permission_opens_its_own_endpoint_alone(rig: Rig) -> None:
    bodies = {
        "ingest:stories": (STORIES, batch(story())),
        "ingest:chapters": (CHAPTERS, batch(chapter())),
        "ingest:stats": (STATS, b'{"story_ids":[1]}'),
    }
    for permission in bodies:
        crawler = await make_crawler(rig, permissions=[permission])
        for needed, (path, body) in bodies.items():
            answer = await crawler.post(path, body)
            if needed == permission:
                assert answer.status_code in {200, 202}, answer.text
            else:
                refused(answer, 403, "permission_denied")


async def test_a_key_writes_to_its_own_sources_alone(rig: Rig) -> None:
    crawler = await make_crawler(rig, sources=["staging", "Truyện"])
    for source in ("staging", "Truyện"):
        answer = await crawler.post(STORIES, batch(story(), source=source))
        assert answer.status_code == 202, answer.text
    for source in ("prod", "Staging", "staging2"):
        answer = await crawler.post(STORIES, batch(story(), source=source))
        refused(answer, 403, "permission_denied")


async def test_no_key_writes_to_what_is_uploaded_here(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    answer = await crawler.post(STORIES, batch(story(), source="local"))
    refused(answer, 403, "permission_denied")


@pytest.mark.parametrize(
    ("address", "network", "allowed"),
    [
        ("192.0.2.7", "192.0.2.0/24", True),
        ("192.0.3.7", "192.0.2.0/24", False),
        ("::ffff:192.0.2.7", "192.0.2.7", True),
        ("2001:db8::1", "2001:db8::/32", True),
        ("2001:db9::1", "2001:db8::/32", False),
    ],
)
async def test_a_key_works_from_its_own_networks_alone(
    rig: Rig, address: str, network: str, *, allowed: bool
) -> None:
    key = await make_key(rig, networks=[network])
    crawler = Crawler(rig, key, address, "https://rensai.test")
    answer = await crawler.push_stories(story())
    if allowed:
        assert answer.status_code == 202, answer.text
    else:
        refused(answer, 403, "permission_denied")
        wrong = await crawler.push_stories(story(), secret="guessed")
        refused(wrong, 401, "invalid_signature")


async def test_both_secrets_sign_until_the_overlap_is_over(rig: Rig) -> None:
    old = await make_crawler(rig)
    async with rig.db.transaction() as tx:
        made = await keys.rotate(
            tx,
            old.key.key_id,
            sealing_secrets=rig.services.config.sealing_secrets,
            overlap=timedelta(hours=24),
            operator="test",
            now=rig.clock.now(),
        )
    new = Crawler(rig, made)
    assert made.key_id == old.key.key_id
    for crawler in (old, new):
        assert (await crawler.push_stories(story())).status_code == 202
    rig.clock.advance(timedelta(hours=24))
    refused(await old.push_stories(story()), 401, "invalid_signature")
    assert (await new.push_stories(story())).status_code == 202


async def test_without_an_overlap_the_old_secret_ends_at_once(rig: Rig) -> None:
    old = await make_crawler(rig)
    await _rotate(rig, old.key, timedelta(0))
    refused(await old.push_stories(story()), 401, "invalid_signature")


async def test_of_three_secrets_only_the_last_two_sign(rig: Rig) -> None:
    first = await make_crawler(rig)
    second = Crawler(rig, await _rotate(rig, first.key, timedelta(hours=1)))
    third = Crawler(rig, await _rotate(rig, first.key, timedelta(hours=1)))
    refused(await first.push_stories(story()), 401, "invalid_signature")
    assert (await second.push_stories(story())).status_code == 202
    assert (await third.push_stories(story())).status_code == 202


async def test_a_key_from_before_a_new_session_secret_works_again_once_rotated(rig: Rig) -> None:
    lost = Crawler(rig, await make_key(rig, sealing_secrets=("another session secret, now lost",)))
    refused(await lost.push_stories(story()), 401, "invalid_signature")
    made = await _rotate(rig, lost.key, timedelta(hours=24))
    assert (await Crawler(rig, made).push_stories(story())).status_code == 202


async def test_a_revoked_key_is_neither_rotated_nor_revoked_again(rig: Rig) -> None:
    key = await make_key(rig)
    now = rig.clock.now()
    async with rig.db.transaction() as tx:
        await keys.revoke(tx, key.key_id, operator="test", now=now)
    with pytest.raises(Conflict):
        await _rotate(rig, key, timedelta(0))
    with pytest.raises(NotFound):
        await _rotate(rig, NewKey("nk_none", ""), timedelta(0))


async def test_too_many_wrong_signatures_lock_a_key_for_that_address_alone(rig: Rig) -> None:
    key = await make_key(rig)
    attacker, owner = Crawler(rig, key), Crawler(rig, key, "192.0.2.9", "https://rensai.test")
    for _ in range(MOST_FAILURES - 1):
        refused(await attacker.push_stories(story(), secret="guess"), 401, "invalid_signature")
    assert (await attacker.push_stories(story())).status_code == 202, "one short of the lock"

    for _ in range(MOST_FAILURES):
        refused(await attacker.push_stories(story(), secret="guess"), 401, "invalid_signature")
    told = refused(await attacker.push_stories(story()), 401, "key_inactive")
    assert "15 more minutes" in told["message"]
    assert (await owner.push_stories(story())).status_code == 202
    refused(await attacker.push_stories(story(), secret="guess"), 401, "invalid_signature")

    rig.clock.advance(LOCKED_FOR)
    assert (await attacker.push_stories(story())).status_code == 202
    events = await _events(rig, "key_locked")
    assert events == ["warning"], "one line for one lock"


async def test_failures_of_long_ago_do_not_add_up(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    for _ in range(3):
        for _ in range(MOST_FAILURES - 1):
            await crawler.push_stories(story(), secret="guess")
        rig.clock.advance(timedelta(minutes=16))
    await crawler.push_stories(story(), secret="guess")
    assert (await crawler.push_stories(story())).status_code == 202


async def test_unlocking_a_key_lets_its_owner_in_again(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    for _ in range(MOST_FAILURES):
        await crawler.push_stories(story(), secret="guess")
    refused(await crawler.push_stories(story()), 401, "key_inactive")
    async with rig.db.transaction() as tx:
        places = await keys.unlock(tx, crawler.key.key_id, operator="test", now=rig.clock.now())
    assert places == 1
    assert (await crawler.push_stories(story())).status_code == 202


async def test_an_address_that_fails_too_often_has_to_wait(rig: Rig) -> None:
    stranger = Crawler(rig, NewKey("nk_unknown", "guessed"))
    answers = [(await stranger.push_stories(story())).status_code for _ in range(61)]
    assert answers == [401] * 60 + [429]
    answer = await stranger.push_stories(story())
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    refused(answer, 429, "rate_limited")
    elsewhere = await make_crawler(rig, address="127.0.0.2")
    assert (await elsewhere.push_stories(story())).status_code == 202


def test_ipv6_addresses_count_by_their_network() -> None:
    assert network_of("2001:db8:1:2:3:4:5:6") == "2001:db8:1:2::/64"
    assert network_of("::ffff:192.0.2.1") == "192.0.2.1"
    assert network_of("testclient") == "0.0.0.0"  # noqa: S104 - nobody listens there


async def test_the_last_use_is_noted_once_a_minute(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    path = f"{INGEST}/requests/2f24b68a-b6d5-41d3-a4e8-33c8b679ab67"
    seen: list[datetime | None] = []
    for seconds in (0, 59, 1):
        rig.clock.advance(timedelta(seconds=seconds))
        await crawler.get(path)
        seen.append((await keys.list_all(rig.db.primary))[0].last_used_at)
    assert seen[0] is not None
    assert seen == [seen[0], seen[0], rig.clock.now()]


async def test_secrets_are_sealed_and_bound_to_their_key(rig: Rig) -> None:
    first, second = await make_key(rig), await make_key(rig)
    stored = await rig.db.primary.all(Query("SELECT secret_sealed FROM api_keys", bytes))
    for sealed in stored:
        assert first.secret.encode() not in sealed
        assert second.secret.encode() not in sealed
    async with rig.db.transaction() as tx:
        await tx.connection.execute(
            "UPDATE api_keys SET secret_sealed = "
            "(SELECT secret_sealed FROM api_keys WHERE key_id = $1) WHERE key_id = $2",
            first.key_id,
            second.key_id,
        )
    crossed = Crawler(rig, NewKey(second.key_id, first.secret))
    refused(await crossed.push_stories(story()), 401, "invalid_signature")


async def test_whatever_is_done_to_a_key_is_in_the_log_with_who_did_it(rig: Rig) -> None:
    key = await make_key(rig, operator="ada")
    await _rotate(rig, key, timedelta(hours=1))
    async with rig.db.transaction() as tx:
        await keys.revoke(tx, key.key_id, operator="bob", now=rig.clock.now())
    lines = await rig.db.primary.all(
        Query(
            "SELECT event_type || ' ' || (context ->> 'operator') || ' ' || "
            "date_part('day', expires_at - created_at) FROM sync_logs "
            "WHERE reference_id <> '' ORDER BY id",
            str,
        )
    )
    assert lines == ["key_created ada 90", "key_rotated test 90", "key_revoked bob 90"]
    whole = "".join(await rig.db.primary.all(Query("SELECT sync_logs::text FROM sync_logs", str)))
    assert key.secret not in whole


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": "n" * 121},
        {"name": "a\nb"},
        {"permissions": []},
        {"permissions": ["ingest:all"]},
        {"sources": ["a b"]},
        {"sources": ["a:b"]},
        {"sources": ["s" * 41]},
        {"sources": ["local"]},
        {"networks": ["somewhere"]},
        {"networks": ["192.0.2.0/33"]},
        {"requests_per_minute": -1},
        {"bytes_per_minute": -1},
    ],
)
async def test_a_key_that_makes_no_sense_is_not_made(rig: Rig, wrong: dict[str, object]) -> None:
    with pytest.raises(Invalid):
        await make_key(rig, **wrong)
    assert await keys.list_all(rig.db.primary) == []


async def _rotate(rig: Rig, key: NewKey, overlap: timedelta) -> NewKey:
    async with rig.db.transaction() as tx:
        return await keys.rotate(
            tx,
            key.key_id,
            sealing_secrets=rig.services.config.sealing_secrets,
            overlap=overlap,
            operator="test",
            now=rig.clock.now(),
        )


async def _events(rig: Rig, event: str) -> list[str]:
    query = Query(f"SELECT level FROM sync_logs WHERE event_type = '{event}'", str)  # noqa: S608
    return await rig.db.primary.all(query)
