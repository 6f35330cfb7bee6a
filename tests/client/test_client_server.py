"""The client, and the examples in other languages, against the real server."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rensai.client import (
    Client,
    ClockSkewError,
    RefusedError,
    Standing,
    StillWorkingError,
    Trouble,
)
from tests.architecture.tree import ROOT
from tests.client.conftest import Library
from tests.client.items import chapter, story, without
from tests.client.shelf import standing

pytestmark = pytest.mark.anyio

EXAMPLES = {
    "push.py": [sys.executable],
    "push.mjs": ["node"],
    "push.php": ["php"],
}


async def test_what_is_pushed_is_in_the_catalogue_and_pushing_it_again_changes_nothing(
    library: Library,
) -> None:
    chapters = [chapter(number) for number in range(1, 701)]
    chapters[3] = without(chapters[3], "slug")
    for _ in range(2):
        with library.client(connections=3) as client:
            (stories,) = client.push_stories("truyen-a", [story()])
            assert stories.request_id is not None
            client.wait_for(stories.request_id)
            reports = list(client.push_chapters("truyen-a", chapters))
            ended = [client.wait_for(each.request_id or "") for each in reports]
        assert [each.accepted for each in reports] == [299, 300, 100]
        assert [(each.position, each.code) for each in reports[0].rejected] == [(3, "invalid_slug")]
        assert [each.processed_items for each in ended] == [299, 300, 100]
    there = await standing(library.database)
    assert (there.stories, there.chapters, there.bodies) == (1, 699, 699)
    assert (there.requests, there.open_jobs) == (4, 0)


async def test_a_key_that_is_wrong_is_refused_once(library: Library) -> None:
    wrong = Library(library.url, library.key_id, "wrong", library.database)
    with wrong.client() as client, pytest.raises(RefusedError) as refused:
        list(client.push_stories("truyen-a", [story()]))
    assert refused.value.code == "invalid_signature"


async def test_items_that_fail_are_named_by_the_status(library: Library) -> None:
    with library.client() as client:
        (report,) = client.push_stories("truyen-a", [story(1), story(2, slug="story-1")])
        request_id = report.request_id or ""
        with pytest.raises(StillWorkingError, match="1 of 2 items are done"):
            client.wait_for(request_id, timeout=3)
        (trouble,) = client.status(request_id).items
    assert (trouble.index, trouble.code, trouble.status) == (1, "slug_conflict", "retrying")


def test_a_request_is_stuck_when_all_that_is_left_has_failed_twice() -> None:
    def stuck(processed: int, *attempts: int) -> bool:
        items = [Trouble(index, "retrying", "x", "y", "", n) for index, n in enumerate(attempts)]
        counts = (3, 3, 0, processed, 0)
        return Standing("r", "a", "chapters_bulk", "processing", *counts, items).is_stuck

    assert stuck(1, 2, 5)
    assert not stuck(1, 1, 5)
    assert not stuck(0, 2, 5)
    assert not stuck(3)


async def test_stories_can_be_counted_anew(library: Library) -> None:
    with library.client() as client:
        assert client.rebuild_stats([1, 2, 3]).accepted_count in {0, 3}


@pytest.mark.parametrize("example", EXAMPLES)
async def test_an_example_pushes_and_may_repeat_itself(
    library: Library, example: str, tmp_path: Path
) -> None:
    runtime = shutil.which(EXAMPLES[example][0])
    assert runtime is not None, "scripts/test-peers.sh brings it"
    body = tmp_path / "body.json"
    body.write_text(json.dumps({"source": "truyen-a", "items": [story(), story(2, slug="?")]}))
    answers: list[dict[str, object]] = []
    for _ in range(2):
        ran = _run(runtime, example, body, library.environment())
        assert ran.returncode == 0, ran.stderr
        answers.append(json.loads(ran.stdout))
    assert answers[0] == answers[1]
    assert (answers[0]["accepted_count"], answers[0]["rejected_count"]) == (1, 1)
    assert (await standing(library.database)).requests == 1
    ran = _run(runtime, example, body, library.environment() | {"RENSAI_SECRET": "wrong"})
    assert ran.returncode == 1
    assert "invalid_signature" in ran.stderr


def _run(
    runtime: str, example: str, body: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [runtime, str(ROOT / "docs" / "examples" / example), "stories", str(body)],
        env={"HOME": os.environ.get("HOME", "/"), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_forty_lines(example: str) -> None:
    text = (ROOT / "docs" / "examples" / example).read_text("utf-8")
    assert len(text.splitlines()) <= 40


async def test_the_server_tells_how_far_a_clock_is_off(library: Library) -> None:
    fast = Client(library.url, library.key_id, library.secret, now=lambda: time.time() + 900)
    with fast, pytest.raises(ClockSkewError) as skewed:
        list(fast.push_stories("truyen-a", [story()]))
    assert skewed.value.ahead is not None
    assert abs(skewed.value.ahead.total_seconds() - 900) < 10
