"""Archives over HTTP: asked for, made, fetched, brought elsewhere, cleared away."""

import asyncio
import io
import json
import zipfile
from collections.abc import AsyncIterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID

import httpx
import pytest
from msgspec import Struct

from rensai.kit.clock import SetClock
from rensai.kit.db import Command, Database, Query, Reads, Tx
from rensai.kit.tasks import enqueue
from rensai.rooms.readers.door import Belongings
from rensai.rooms.readers.model import User
from rensai.rooms.readers.service import transfers
from rensai.rooms.readers.tasks import ClearArchives, clear_archives
from rensai.wiring.belongings import BELONGINGS
from tests.rig import Rig, build_services
from tests.rooms.readers.people import a_person, signed_in

pytestmark = pytest.mark.anyio

EXPORTS = "/api/v1/users/me/exports"
IMPORTS = "/api/v1/users/me/imports"
SETTINGS = "/api/v1/users/me/settings"
MUTES = "/api/v1/users/me/mutes"
ZIP = {"content-type": "application/zip"}
_FAIL_ALL = Command("UPDATE transfers SET state = 'running', created_at = $1")
_ROWS = Query("SELECT count(*) AS count FROM transfers", int)


def stored(rig: Rig) -> list[Path]:
    """The files in the object storage."""
    return [path for path in rig.services.config.storage_dir.rglob("*") if path.is_file()]


async def fetched(rig: Rig, visitor: httpx.AsyncClient) -> bytes:
    """An archive of all that this visitor has."""
    asked = await visitor.post(EXPORTS)
    assert asked.status_code == 202, asked.text
    await rig.work()
    path = f"{EXPORTS}/{asked.json()['id']}"
    told = (await visitor.get(path)).json()
    assert told["state"] == "done", told
    answer = await visitor.get(f"{path}/archive")
    assert answer.status_code == 200
    assert len(answer.content) == told["bytes"]
    return answer.content


async def brought(rig: Rig, visitor: httpx.AsyncClient, body: bytes) -> dict[str, object]:
    """What became of an archive that this visitor brought."""
    asked = await visitor.post(IMPORTS, content=body, headers=ZIP)
    assert asked.status_code == 202, asked.text
    await rig.work()
    return (await visitor.get(f"{IMPORTS}/{asked.json()['id']}")).json()


async def filled(rig: Rig, username: str = "bea") -> httpx.AsyncClient:
    """Somebody who has set and muted something."""
    visitor = await signed_in(rig, username)
    await visitor.patch("/api/v1/users/me", json={"displayName": "Bea B.", "bio": "<b>reads</b>"})
    said = {"fontSize": 22, "theme": "dark", "isAdult": True, "showAdult": True, "language": "vi"}
    await visitor.patch(SETTINGS, json=said)
    for path in ("tag/Body%20Horror", "author/A/B", "warning/warning:violence"):
        await visitor.put(f"{MUTES}/{path}")
    return visitor


async def test_an_archive_holds_all_that_somebody_has(rig: Rig) -> None:
    bea = await filled(rig)
    with zipfile.ZipFile(io.BytesIO(await fetched(rig, bea))) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    assert set(files) == {"manifest.json", "profile.json"} | {
        f"{each.name}.jsonl" for each in BELONGINGS
    }
    manifest = json.loads(files["manifest.json"])
    assert (manifest["format"], manifest["version"]) == ("rensai-reader-archive", 1)
    assert (manifest["username"], manifest["instance"]) == ("bea", "http://rensai.test")
    assert manifest["files"]["mutes.jsonl"] == 3
    profile = json.loads(files["profile.json"])
    assert (profile["displayName"], profile["bio"]) == ("Bea B.", "<b>reads</b>")
    assert profile["email"] == "bea@example.com"
    [line] = files["settings.jsonl"].splitlines()
    assert json.loads(line)["fontSize"] == 22
    assert "password" not in "".join(files.values())
    assert "argon2" not in "".join(files.values())


async def test_what_is_taken_elsewhere_is_the_same_there_and_twice_is_once(
    rig: Rig, empty_instance: Rig
) -> None:
    body = await fetched(rig, await filled(rig))
    there = empty_instance
    eve = await signed_in(there, "eve")
    first = await brought(there, eve, body)
    assert (first["state"], first["problem"]) == ("done", None)
    files = first["files"]
    assert isinstance(files, dict)
    assert files["settings"] == {"lines": 1, "taken": 1}
    assert files["mutes"] == {"lines": 3, "taken": 3}

    async def all_of_eve() -> tuple[object, ...]:
        paths = (SETTINGS, MUTES, "/api/v1/users/me")
        return tuple([(await eve.get(path)).json() for path in paths])

    settings, muted, account = await all_of_eve()
    assert isinstance(settings, dict)
    assert (settings["fontSize"], settings["theme"], settings["showAdult"]) == (22, "dark", True)
    assert str(muted).count("'kind'") == 3
    assert isinstance(account, dict)
    assert (account["displayName"], account["bio"]) == ("Bea B.", "<b>reads</b>")
    assert (account["username"], account["role"]) == ("eve", "user")
    before = await all_of_eve()
    await brought(there, eve, body)
    assert await all_of_eve() == before
    assert stored(there) == []


async def test_what_is_newer_here_stays(rig: Rig) -> None:
    bea = await filled(rig)
    body = await fetched(rig, bea)
    rig.clock.advance(timedelta(minutes=1))
    await bea.patch(SETTINGS, json={"fontSize": 30})
    await bea.patch("/api/v1/users/me", json={"displayName": "Me", "bio": "Mine"})
    await brought(rig, bea, body)
    assert (await bea.get(SETTINGS)).json()["fontSize"] == 30
    assert (await bea.get("/api/v1/users/me")).json()["bio"] == "Mine"


async def test_nobody_fetches_or_sees_what_is_anothers(rig: Rig) -> None:
    bea, eve = await signed_in(rig), await signed_in(rig, "eve")
    asked = (await bea.post(EXPORTS)).json()["id"]
    await rig.work()
    for visitor in (eve, rig.client):
        for path in (f"{EXPORTS}/{asked}", f"{EXPORTS}/{asked}/archive", f"{IMPORTS}/{asked}"):
            answer = await visitor.get(path)
            assert answer.status_code == (404 if visitor is eve else 401)
    never = "0190163d-8694-739b-aea5-966c26f8ad91"
    unknown = (await eve.get(f"{EXPORTS}/{never}")).json()
    assert unknown == (await eve.get(f"{EXPORTS}/{asked}")).json()
    assert (await eve.get(EXPORTS)).json()["items"] == []
    assert (await bea.get(f"{IMPORTS}/{asked}")).status_code == 404
    assert (await bea.get(f"{EXPORTS}/no-id")).status_code == 404


async def test_one_is_made_at_a_time_and_five_a_day(rig: Rig) -> None:
    bea = await signed_in(rig)
    asked = await asyncio.gather(*(bea.post(EXPORTS) for _ in range(4)))
    assert {answer.status_code for answer in asked} == {202}
    assert len({answer.json()["id"] for answer in asked}) == 1
    early = await bea.get(f"{EXPORTS}/{asked[0].json()['id']}/archive")
    assert (early.status_code, early.json()["code"]) == (409, "ARCHIVE_NOT_READY")
    for _ in range(4):
        await rig.work()
        await bea.post(EXPORTS)
    await rig.work()
    assert (await bea.post(EXPORTS)).status_code == 429
    assert await rig.db.primary.first(_ROWS) == len((await bea.get(EXPORTS)).json()["items"])


async def test_the_list_is_paged_latest_first(rig: Rig) -> None:
    bea = await signed_in(rig)
    made: list[str] = []
    for _ in range(3):
        made.append((await bea.post(EXPORTS)).json()["id"])
        await rig.work()
    first = (await bea.get(EXPORTS, params={"limit": 2})).json()
    assert [one["id"] for one in first["items"]] == made[:0:-1]
    assert first["hasMore"] is True
    rest = (await bea.get(EXPORTS, params={"cursor": first["nextCursor"]})).json()
    assert [one["id"] for one in rest["items"]] == made[:1]
    other = await bea.get(IMPORTS, params={"cursor": first["nextCursor"]})
    assert other.status_code == 422


async def test_an_archive_is_cleared_away_when_its_time_is_over(rig: Rig) -> None:
    bea = await signed_in(rig)
    asked = (await bea.post(EXPORTS)).json()["id"]
    await rig.work()
    [file] = stored(rig)
    assert file.read_bytes()[:2] == b"PK"
    rig.clock.advance(timedelta(days=7))
    over = await bea.get(f"{EXPORTS}/{asked}/archive")
    assert (over.status_code, over.json()["code"]) == (410, "ARCHIVE_EXPIRED")
    async with rig.db.transaction() as tx:
        await enqueue(tx, clear_archives, ClearArchives())
    await rig.work()
    assert stored(rig) == []
    assert (await bea.get(f"{EXPORTS}/{asked}")).status_code == 404


async def test_one_whose_worker_died_is_given_up_after_a_day(rig: Rig) -> None:
    bea = await signed_in(rig)
    asked = (await bea.post(EXPORTS)).json()["id"]
    await rig.work()
    async with rig.db.transaction() as tx:
        await tx.run(_FAIL_ALL, rig.clock.now() - timedelta(days=1, seconds=1))
    await transfers.clear_away(rig.services)
    told = (await bea.get(f"{EXPORTS}/{asked}")).json()
    assert told["state"] == "failed"
    assert told["problem"]
    assert (await bea.post(EXPORTS)).json()["id"] != asked


async def test_a_second_run_of_the_same_export_changes_nothing(rig: Rig) -> None:
    bea = await filled(rig)
    asked = (await bea.post(EXPORTS)).json()["id"]
    await rig.work()
    before = (await bea.get(f"{EXPORTS}/{asked}")).json()
    await transfers.export_now(rig.services, UUID(asked), BELONGINGS)
    assert (await bea.get(f"{EXPORTS}/{asked}")).json() == before


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"not a zip", ZIP, 422),
        (b"", ZIP, 422),
        (b"PK\x05\x06" + bytes(18), {"content-type": "text/plain"}, 415),
        (b"PK\x05\x06" + bytes(18), {"content-type": "multipart/form-data; boundary=x"}, 415),
        (b"x", {**ZIP, "content-encoding": "gzip"}, 415),
        (b"x" * (1024 * 1024 + 1), ZIP, 413),
    ],
    ids=["no zip", "empty", "text", "form", "packed", "large"],
)
async def test_what_is_no_archive_is_refused_at_the_door(
    small_rig: Rig, body: bytes, headers: dict[str, str], status: int
) -> None:
    rig = small_rig
    bea = await signed_in(rig)
    answer = await bea.post(IMPORTS, content=body, headers=headers)
    assert answer.status_code == status, answer.text

    async def in_pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(body), 65536):
            yield body[start : start + 65536]

    streamed = await bea.post(IMPORTS, content=in_pieces(), headers=headers)
    assert streamed.status_code == status, streamed.text
    assert stored(rig) == []
    assert await rig.db.primary.first(_ROWS) == 0


async def test_an_archive_of_something_else_ends_with_a_reason(rig: Rig) -> None:
    bea = await signed_in(rig)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("holiday.jpg", b"...")
    told = await brought(rig, bea, out.getvalue())
    assert (told["state"], told["problem"]) == ("failed", "It has no manifest.json.")
    assert stored(rig) == []


async def test_lines_that_cannot_be_read_are_passed_over_alone(rig: Rig) -> None:
    bea = await filled(rig)
    with zipfile.ZipFile(io.BytesIO(await fetched(rig, bea))) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    good = {"kind": "tag", "value": "kept", "createdAt": "2020-01-01T00:00:00Z"}
    bad = [
        b"{",
        b"\xff\xff",
        b'"text"',
        json.dumps(good | {"kind": "colour"}).encode(),
        json.dumps(good | {"value": "nul \x00"}).encode(),
        json.dumps(good | {"value": ""}).encode(),
        json.dumps(good | {"value": "x" * 301}).encode(),
        json.dumps(good | {"kind": "genre", "value": "No Slug"}).encode(),
        json.dumps(good | {"createdAt": "soon"}).encode(),
        b"[" * 10_000,
    ]
    late = good | {"value": "late", "createdAt": "9999-01-01T00:00:00Z"}
    lines = [*bad, json.dumps(good).encode(), json.dumps(late).encode()]
    files["mutes.jsonl"] = b"\n".join(lines)
    files["settings.jsonl"] = json.dumps(
        {**json.loads(files["settings.jsonl"]), "fontFamily": "x;}", "updatedAt": late["createdAt"]}
    ).encode()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, body in files.items():
            archive.writestr(name, body)
    eve = await signed_in(rig, "eve")
    told = await brought(rig, eve, out.getvalue())
    assert told["state"] == "done"
    counted = told["files"]
    assert isinstance(counted, dict)
    assert counted["settings"] == {"lines": 1, "taken": 0}
    assert counted["mutes"] == {"lines": len(lines), "taken": 2}
    muted = (await eve.get(MUTES)).json()["items"]
    assert sorted(one["value"] for one in muted) == ["kept", "late"]
    assert max(one["createdAt"] for one in muted) < "9999"
    assert (await eve.get(SETTINGS)).json()["fontFamily"] == "default"


class Line(Struct, frozen=True):
    """A line of the file of this test."""

    number: int


async def test_a_large_archive_moves_in_small_pieces(rig: Rig) -> None:
    """Batches of 500 at most; one line that is refused does not take the others with it."""
    bea = await a_person(rig.db, rig.clock)
    batches: list[int] = []
    taken: set[int] = set()

    async def rows(reads: Reads, user_id: int) -> AsyncIterator[Struct]:
        del reads
        assert user_id == bea.id
        for number in range(12_345):
            yield Line(number)

    async def restore(tx: Tx, user: User, lines: Sequence[bytes], now: datetime) -> int:
        del tx, user, now
        batches.append(len(lines))
        numbers = [int(json.loads(line)["number"]) for line in lines]
        if 7_777 in numbers:
            raise transfers.TransferNotFound
        taken.update(numbers)
        return len(numbers)

    belongings = [Belongings("numbers", rows, restore)]
    exported = await transfers.ask_for_export(rig.services, bea.id)
    await transfers.export_now(rig.services, exported.id, belongings)
    pieces = [
        piece async for piece in await transfers.open_archive(rig.services, bea.id, exported.id)
    ]
    body = io.BytesIO(b"".join(pieces))
    begun = await transfers.bring(rig.services, bea.id, body, len(body.getvalue()))
    await transfers.import_now(rig.services, begun.id, belongings)
    assert max(batches) <= 500
    assert taken == set(range(12_345)) - {7_777}
    ended = await transfers.list_transfers(
        rig.db.primary, bea.id, transfers.Direction.IMPORT, before=None, limit=1
    )
    counts = transfers.counts_of(ended[0])
    assert (counts["numbers"].lines, counts["numbers"].taken) == (12_345, 12_344)


async def test_an_export_that_broke_off_is_made_anew(rig: Rig) -> None:
    bea = await a_person(rig.db, rig.clock)
    broken = True

    async def rows(reads: Reads, user_id: int) -> AsyncIterator[Struct]:
        del reads, user_id
        for number in range(3):
            if broken and number == 2:
                raise ConnectionError
            yield Line(number)

    asked = await transfers.ask_for_export(rig.services, bea.id)
    with pytest.raises(ConnectionError):
        await transfers.export_now(rig.services, asked.id, [Belongings("numbers", rows)])
    assert stored(rig) == []
    assert (await transfers.ask_for_export(rig.services, bea.id)).id == asked.id
    broken = False
    await transfers.export_now(rig.services, asked.id, [Belongings("numbers", rows)])
    pieces = [piece async for piece in await transfers.open_archive(rig.services, bea.id, asked.id)]
    with zipfile.ZipFile(io.BytesIO(b"".join(pieces))) as archive:
        assert archive.read("numbers.jsonl").count(b"\n") == 3


async def test_an_account_that_goes_while_its_archive_is_made_leaves_none(rig: Rig) -> None:
    bea = await a_person(rig.db, rig.clock)
    asked = await transfers.ask_for_export(rig.services, bea.id)

    async def rows(reads: Reads, user_id: int) -> AsyncIterator[Struct]:
        del reads
        await transfers.forget_archives(rig.services, user_id)
        yield Line(1)

    await transfers.export_now(rig.services, asked.id, [Belongings("numbers", rows)])
    assert stored(rig) == []


async def test_an_import_that_fails_says_so_in_the_end(rig: Rig) -> None:
    bea = await signed_in(rig)
    body = await fetched(rig, bea)
    asked = (await bea.post(IMPORTS, content=body, headers=ZIP)).json()
    again = await bea.post(IMPORTS, content=body, headers=ZIP)
    assert (again.status_code, again.json()["code"]) == (409, "IMPORT_UNDER_WAY")
    await transfers.give_up(rig.services, UUID(asked["id"]))
    told = (await bea.get(f"{IMPORTS}/{asked['id']}")).json()
    assert told["state"] == "failed"
    await rig.work()
    assert (await bea.get(f"{IMPORTS}/{asked['id']}")).json()["state"] == "failed"


def test_every_file_of_an_archive_has_a_name_of_its_own() -> None:
    names = [each.name for each in BELONGINGS]
    assert len(names) == len(set(names))
    assert {"manifest", "profile"}.isdisjoint(names)


@pytest.fixture
async def small_rig(database: Database, tmp_path: Path, clock: SetClock) -> AsyncIterator[Rig]:
    """A site that takes archives of one megabyte."""
    async with Rig(build_services(database, tmp_path, clock, IMPORT_MAX_MB="1"), clock) as built:
        yield built
