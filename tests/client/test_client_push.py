"""`rensai push` on the real server: what it reads and tells, and how it survives a crash."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Library
from tests.client.items import chapter, story, without
from tests.client.shelf import standing

pytestmark = pytest.mark.anyio

LIMIT = 120.0


def command(library: Library, path: Path, *options: str) -> list[str]:
    url = ["--url", library.url] if "--dry-run" not in options else []
    return [sys.executable, "-m", "rensai", "push", str(path), *url, *options]


def push(library: Library, path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(library, path, *options),
        env=library.environment(),
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )


def write_lines(path: Path, items: list[dict[str, Any]]) -> Path:
    raw = b"".join(json.dumps(item, ensure_ascii=False).encode() + b"\n" for item in items)
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return path


def journals(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir() if path.name.endswith(".push-journal")]


async def test_a_mixed_file_is_pushed_and_what_is_wrong_is_named_by_its_line(
    library: Library, tmp_path: Path
) -> None:
    items = [chapter(1), story(), chapter(2, slug="Not A Slug"), chapter(3), {"title": "?"}]
    path = write_lines(tmp_path / "books.jsonl.gz", items)
    ran = push(library, path, "--source", "truyen-a", "--wait", "--json")
    assert ran.returncode == 1, ran.stderr
    told = json.loads(ran.stdout)
    assert (told["stories"], told["chapters"]) == (1, 2)
    assert (told["accepted"], told["processed"], told["requests"]) == (3, 3, 2)
    assert [(each["place"], each["code"]) for each in told["complaints"]] == [
        (f"{path}:3", "invalid_slug"),
        (f"{path}:5", "invalid_source_story_id"),
    ]
    there = await standing(library.database)
    assert (there.stories, there.chapters, there.open_jobs) == (1, 2, 0)
    assert journals(tmp_path) == []


async def test_the_body_of_a_request_is_a_file_to_push(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "stories.json"
    path.write_text(json.dumps({"source": "truyen-a", "items": [story(1), story(2)]}))
    ran = push(library, path, "--wait")
    assert (ran.returncode, ran.stderr.splitlines()[-1:]) == (0, ["  2 of 2 items answered"])
    assert (
        "2 items accepted in 1 requests; nothing is wrong.\n2 are in the catalogue." in ran.stdout
    )


async def test_a_folder_of_stories_is_pushed(library: Library, tmp_path: Path) -> None:
    root = tmp_path / "books"
    (root / "than-dao" / "chapters").mkdir(parents=True)
    (root / "than-dao" / "story.toml").write_text('title = "Thần Đạo"\nstatus = 1\n')
    for name in ("Chương 2 - Hai.txt", "Chương 10 - Mười.md", "001.txt"):
        (root / "than-dao" / "chapters" / name).write_text("Ngày xửa ngày xưa.")
    (root / "than-dao" / "chapters" / "2.5 Between.html").write_text("<p>One <b>two</b></p>")
    for _ in range(2):
        ran = push(library, root, "--source", "home", "--wait", "--json")
        assert ran.returncode == 0, ran.stdout + ran.stderr
        assert json.loads(ran.stdout)["processed"] == 5
    there = await standing(library.database)
    assert (there.stories, there.chapters, there.requests) == (1, 4, 2)


async def test_what_the_server_refuses_is_named_and_counts_as_failure(
    library: Library, tmp_path: Path
) -> None:
    late = story(2, updated_at_source="2999-01-01T00:00:00Z")
    path = write_lines(tmp_path / "books.jsonl", [story(1), late])
    ran = push(library, path, "--source", "truyen-a", "--wait", "--json")
    assert ran.returncode == 1
    assert [(each["place"], each["code"]) for each in json.loads(ran.stdout)["complaints"]] == [
        (f"{path}:2", "invalid_updated_at_source")
    ]


async def test_a_push_that_is_killed_goes_on_where_it_stopped(
    library: Library, tmp_path: Path
) -> None:
    chapters = [chapter(number, content_raw="x" * 3_000) for number in range(1, 9_001)]
    path = write_lines(tmp_path / "books.jsonl", [story(), *chapters])
    journal = tmp_path / ".books.jsonl.push-journal"
    options = ("--source", "truyen-a", "--workers", "3")
    _kill_after(8, journal, command(library, path, *options), library)
    with journal.open("ab") as torn:
        torn.write(b'{"to":"half a li')
    noted = journal.read_bytes().count(b"\n")

    ran = push(library, path, *options, "--wait", "--json")
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert (told["accepted"], told["processed"], told["requests"]) == (9_001, 9_001, 31)
    assert told["resumed"] == noted
    there = await standing(library.database)
    assert (there.stories, there.chapters, there.bodies) == (1, 9_000, 9_000)
    assert (there.requests, there.open_jobs) == (31, 0)
    assert journals(tmp_path) == []


def _kill_after(lines: int, journal: Path, arguments: list[str], library: Library) -> None:
    """Start a push, and kill it once so many batches are noted."""
    quiet = subprocess.DEVNULL
    killed = subprocess.Popen(arguments, env=library.environment(), stdout=quiet, stderr=quiet)
    until = time.monotonic() + LIMIT
    while not journal.exists() or journal.read_bytes().count(b"\n") < lines:
        assert time.monotonic() < until
        assert killed.poll() is None, "it was over before it could be killed"
        time.sleep(0.005)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()


async def test_a_crash_that_loses_the_journal_duplicates_nothing(
    library: Library, tmp_path: Path
) -> None:
    path = write_lines(tmp_path / "books.jsonl", [story(), chapter(1), chapter(2)])
    for _ in range(2):
        assert push(library, path, "--source", "truyen-a", "--wait").returncode == 0
    assert (await standing(library.database)).requests == 2
    assert push(library, path, "--source", "truyen-a", "--wait", "--again").returncode == 0
    there = await standing(library.database)
    assert (there.requests, there.chapters) == (4, 2)


async def test_a_push_that_is_refused_as_a_whole_says_why_in_one_line(
    library: Library, tmp_path: Path
) -> None:
    path = write_lines(tmp_path / "books.jsonl", [story()])
    wrong = Library(library.url, library.key_id, "wrong", library.database)
    ran = push(wrong, path, "--source", "truyen-a")
    assert ran.returncode == 2
    assert ran.stderr.startswith("rensai: 401 invalid_signature: ")
    assert len(ran.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.json", "{", "not valid JSON"),
        ("a.json", "[1]", 'expected {"source": "...", "items": [...]}'),
        ("a.csv", "a,b", "expected a folder, or a file that ends in .json or .jsonl"),
        ("a.jsonl.gz", "not gzip", "not a whole gzip file"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_one_line(
    tmp_path: Path, name: str, text: str, told: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    ran = _dry(path)
    assert ran.returncode == 2
    assert told in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def test_a_dry_run_needs_no_key_and_makes_nothing(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "books.jsonl", [story(), without(chapter(), "title")])
    ran = _dry(path, "--source", "truyen-a")
    assert ran.returncode == 1
    assert f"{path}:2: invalid_title: title is required" in ran.stdout
    assert "1 stories and 0 chapters are right, 1 items are not." in ran.stdout
    assert sorted(each.name for each in tmp_path.iterdir()) == ["books.jsonl"]


def test_without_a_source_every_item_is_named(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "books.jsonl", [story(), story(2, source="own")])
    ran = _dry(path)
    assert f"{path}:1: invalid_source: no source is named" in ran.stdout
    assert "1 stories and 0 chapters are right" in ran.stdout


def _dry(path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rensai", "push", str(path), "--dry-run", *options],
        env={"RENSAI_DATA_DIR": str(path.parent / "none")},
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
