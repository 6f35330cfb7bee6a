"""Whatever is sent, the answer is one of the contract's and never a failure of ours."""

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rensai.rooms.ingest.adapters.envelopes import read_envelope, read_story_ids
from rensai.rooms.ingest.adapters.items import read_items
from rensai.rooms.ingest.errors import InvalidSchema
from rensai.rooms.ingest.model import CHAPTERS, STORIES, ChapterPayload, StoryPayload
from tests.rig import Rig
from tests.rooms.ingest.crawler import CHAPTER, STORY, Crawler, chapter, make_key, story
from tests.rooms.ingest.crawler import CHAPTERS as CHAPTERS_PATH
from tests.rooms.ingest.crawler import STORIES as STORIES_PATH

pytestmark = pytest.mark.anyio

NOW = datetime(2026, 3, 1, tzinfo=UTC)
PATHS = {STORIES: STORIES_PATH, CHAPTERS: CHAPTERS_PATH}

_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=300),
    st.datetimes().map(datetime.isoformat),
    st.sampled_from(["a" * 192, "\x00", "\x7f", "https://a.b", "2026-02-21T08:00:00Z", "a-b"]),
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
_FIELDS = sorted(
    {*StoryPayload.__struct_fields__, *ChapterPayload.__struct_fields__, "content_raw", "extra"}
)


def _items(example: Mapping[str, object]) -> st.SearchStrategy[object]:
    """A right item with some fields replaced, or anything at all."""
    changed = st.dictionaries(st.sampled_from(_FIELDS), _VALUES, max_size=4)
    return st.one_of(changed.map(lambda changes: {**example, **changes}), _VALUES)


def _loose_json(value: object) -> bytes:
    """JSON with escapes and, where there are any, halves of surrogate pairs."""
    return json.dumps(value).encode()


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from([(STORIES, STORY), (CHAPTERS, CHAPTER)]).flatmap(
        lambda kind: st.tuples(st.just(kind[0]), st.lists(_items(kind[1]), min_size=1, max_size=6))
    )
)
def test_every_item_is_queued_or_refused_with_a_reason(sent: tuple[str, list[object]]) -> None:
    job_type, items = sent
    envelope = read_envelope(_loose_json({"source": "a", "items": items}))
    batch = read_items(job_type, envelope.items, NOW)
    assert batch.total == len(items) == batch.accepted + batch.rejected
    assert len({error.index for error in batch.errors}) == len(batch.errors)
    for error in batch.errors:
        assert error.code.startswith("invalid_")
        assert error.message
        msgspec.json.encode(error)
    kind = StoryPayload if job_type == STORIES else ChapterPayload
    for job in batch.jobs:
        assert 1 <= len(job.external_ref) <= 191
        payload = msgspec.json.decode(job.payload, type=kind)
        assert "\0" not in job.payload.decode()
        assert "\\u0000" not in job.payload.decode()
        assert payload.updated_at_source == job.updated_at_source


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.binary(max_size=300), _VALUES.map(_loose_json)))
def test_every_envelope_is_read_or_refused(body: bytes) -> None:
    for read in (read_envelope, read_story_ids):
        with suppress(InvalidSchema):
            read(body)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.sampled_from([(STORIES, story()), (CHAPTERS, chapter())]).flatmap(
        lambda kind: st.tuples(st.just(kind[0]), st.lists(_items(kind[1]), min_size=1, max_size=6))
    )
)
async def test_over_http_nothing_is_a_failure_of_ours(
    rig: Rig, sent: tuple[str, list[object]]
) -> None:
    crawler = Crawler(rig, await make_key(rig))
    job_type, items = sent
    answer = await crawler.post(PATHS[job_type], _loose_json({"source": "a", "items": items}))
    assert answer.status_code in {200, 202}, answer.text
    told = answer.json()
    assert told["accepted_count"] + told["rejected_count"] == len(items)
    assert told["rejected_count"] == len(told["errors"])


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1" * 5000])
async def test_numbers_that_are_none_are_refused(rig: Rig, number: str) -> None:
    crawler = Crawler(rig, await make_key(rig))
    body = json.dumps({"source": "a", "items": [chapter(1), chapter(2)]}).replace(
        '"chapter_no": 2', f'"chapter_no": {number}'
    )
    answer = await crawler.post(CHAPTERS_PATH, body.encode())
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert (told["accepted_count"], told["errors"][0]["index"]) == (1, 1)
    assert told["errors"][0]["code"] in {"invalid_chapter_no", "invalid_item"}
