"""`rensai key`, on the command line."""

import json
from pathlib import Path

import pytest

from rensai.kit.db import Database, Query
from tests.rooms.readers.test_admin_command import rensai

pytestmark = pytest.mark.anyio


async def test_a_key_through_its_whole_life(
    tmp_path: Path, database_url: str, database: Database
) -> None:
    def key(*arguments: str) -> str:
        done = rensai(tmp_path, database_url, "key", *arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    made = json.loads(
        key(
            *("create", "--name", "crawler", "--permissions", "ingest:stories,ingest:chapters"),
            *("--sources", "a,b", "--allow-ip", "192.0.2.7/24", "--requests-per-minute", "0"),
            "--json",
        )
    )
    assert set(made) == {"key_id", "secret"}
    listed = json.loads(key("list", "--json"))
    assert [each["key_id"] for each in listed] == [made["key_id"]]
    assert listed[0]["permissions"] == ["ingest:stories", "ingest:chapters"]
    assert listed[0]["sources"] == ["a", "b"]
    assert listed[0]["networks"] == ["192.0.2.0/24"]
    assert (listed[0]["requests_per_minute"], listed[0]["bytes_per_minute"]) == (
        0,
        50 * 1024 * 1024,
    )
    assert made["secret"] not in key("list") + key("list", "--json")

    rotated = json.loads(key("rotate", made["key_id"], "--overlap", "1", "--json"))
    assert rotated["key_id"] == made["key_id"]
    assert rotated["secret"] != made["secret"]
    assert json.loads(key("unlock", made["key_id"], "--json"))["addresses"] == 0
    assert "revoked" in key("revoke", made["key_id"])
    assert json.loads(key("list", "--json"))[0]["is_active"] is False
    events = await database.primary.all(Query("SELECT event_type FROM sync_logs ORDER BY id", str))
    assert events == ["key_created", "key_rotated", "key_unlocked", "key_revoked"]
    again = rensai(tmp_path, database_url, "key", "revoke", made["key_id"])
    assert again.returncode == 1
    assert again.stderr == f"rensai: The key {made['key_id']} has been revoked.\n"


async def test_a_key_for_people_to_read(tmp_path: Path, database_url: str) -> None:
    made = rensai(
        *(tmp_path, database_url, "key", "create", "--name", "n"),
        *("--permissions", "ingest:stats"),
    )
    assert "shown only now" in made.stdout
    listed = rensai(tmp_path, database_url, "key", "list")
    assert "[ingest:stats; all sources]" in listed.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("create", "--name", "n", "--permissions", "all"), "Permissions are one or more of"),
        (
            ("create", "--name", "n", "--permissions", "ingest:stats", "--allow-ip", "home"),
            "A network is an address or a range",
        ),
        (("revoke", "nk_none"), "There is no key nk_none."),
        (("rotate", "nk_none"), "There is no key nk_none."),
        (("unlock", "nk_none"), "There is no key nk_none."),
    ],
)
async def test_a_mistake_is_one_line(
    tmp_path: Path, database_url: str, arguments: tuple[str, ...], sentence: str
) -> None:
    done = rensai(tmp_path, database_url, "key", *arguments)
    assert done.returncode == 1
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1
