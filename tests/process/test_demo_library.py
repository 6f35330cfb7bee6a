"""The demo's library: the same on every run, right by the server's rules, and filled once."""

import hashlib
import os
import re
import signal
from datetime import UTC, datetime

import httpx
import msgspec

from rensai.rooms.ingest.adapters.items import read_items
from rensai.rooms.ingest.model import CHAPTERS, STORIES
from rensai.wiring import demo_library as library
from tests.process.site import Site, eventually

STORIES_HASH = "a418f8e92ba347275328e6900327bd7436477118c70b4f66fd4bfb134c0b4dde"
CHAPTERS_HASH = "77fc2e6843b7258b16178ae63d80a4325d74c442d3c2ad10f63c242d135a3188"


def digest(items: list[dict[str, object]]) -> str:
    return hashlib.sha256(msgspec.json.encode(items)).hexdigest()


def test_the_library_is_the_same_on_every_run_and_every_machine() -> None:
    assert digest(list(library.story_items())) == STORIES_HASH
    assert digest(list(library.chapter_items())) == CHAPTERS_HASH


def test_the_library_is_large_and_in_five_languages() -> None:
    stories = list(library.story_items())
    assert len(stories) >= 200
    assert library.chapter_total() >= 20_000
    assert {each["language"] for each in stories} == {"vi", "en", "zh", "ja", "ko"}
    for field in ("source_story_id", "slug", "title"):
        assert len({each[field] for each in stories}) == len(stories)
    assert {each["status"] for each in stories} == {0, 1, 2, 3, 4}
    assert len({each["updated_at_source"][:7] for each in stories}) > 30


def test_the_server_accepts_all_of_it() -> None:
    now = datetime.now(UTC)
    for kind, items in ((STORIES, library.story_items()), (CHAPTERS, library.chapter_items())):
        raw = [msgspec.Raw(msgspec.json.encode(item)) for item in items]
        batch = read_items(kind, raw, now)
        assert batch.errors == []
        assert len(batch.jobs) == len(raw)


def test_a_demo_that_is_stopped_half_way_is_filled_by_the_next_start_and_then_left_alone(
    demo: Site,
) -> None:
    demo.start("demo")
    assert eventually(lambda: "chapters sent" in demo.said(), 60), demo.said()
    os.killpg(demo.running.pid, signal.SIGINT)
    assert demo.running.wait(60) == 0, demo.said()
    assert "The library is filled" not in demo.said()
    assert demo.leftovers() == []

    demo.start("demo")
    assert eventually(lambda: "The library is filled" in demo.said(), 120), demo.said()
    counted = f"{library.STORIES} novels, {library.chapter_total():,} chapters"
    assert counted in demo.said()
    listed = httpx.get(f"http://127.0.0.1:{demo.port}/api/v1/series?limit=100").json()["items"]
    assert len(listed) == 100
    assert all(each["chapterCount"] > 0 for each in listed)
    keys = demo.run("key", "list").stdout
    assert re.findall(r"^nk_\w+  (\w+)", keys, re.MULTILINE) == ["revoked", "revoked"]
    assert demo.end() == 0

    demo.log.unlink()
    demo.start("demo")
    assert eventually(lambda: "Press Ctrl-C" in demo.said(), 60), demo.said()
    assert not eventually(lambda: "Filling" in demo.said(), 5)
    assert demo.end() == 0
