"""What is accepted over HTTP, and what its sender is told."""

from uuid import uuid4

import pytest

from tests.rig import Rig
from tests.rooms.ingest.crawler import (
    chapter,
    count,
    make_crawler,
    story,
)

pytestmark = pytest.mark.anyio


async def test_a_whole_batch_is_queued_and_answered_with_202(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    request_id = str(uuid4())
    answer = await crawler.push_chapters(*(chapter(n) for n in range(1, 4)), request_id=request_id)
    assert answer.status_code == 202, answer.text
    assert answer.json() == {
        "request_id": request_id,
        "accepted_count": 3,
        "rejected_count": 0,
        "errors": [],
    }
    assert await count(rig, "ingest_jobs") == 3


async def test_a_bad_item_is_rejected_alone(rig: Rig) -> None:
    crawler = await make_crawler(rig)
    answer = await crawler.push_stories(story(), {**story(source_story_id="b"), "slug": None})
    assert answer.status_code == 200
    told = answer.json()
    assert (told["accepted_count"], told["rejected_count"]) == (1, 1)
    assert told["errors"] == [{"index": 1, "code": "invalid_slug", "message": "slug is required"}]
