"""Items of a bulk request: each read, checked and made into a job, or refused, on its own."""

import re
from collections.abc import Callable, Sequence
from datetime import datetime

import msgspec

from rensai.rooms.ingest.adapters.chapters import chapter_job
from rensai.rooms.ingest.adapters.fields import Rejected
from rensai.rooms.ingest.adapters.stories import story_job
from rensai.rooms.ingest.model import CHAPTERS, STORIES, Batch, ItemError, NewJob

_READERS: dict[str, Callable[[msgspec.Raw, int, datetime], NewJob]] = {
    STORIES: story_job,
    CHAPTERS: chapter_job,
}
_FIELD = re.compile(r" - at `\$\.(\w+)")


def read_items(job_type: str, items: Sequence[msgspec.Raw], now: datetime) -> Batch:
    """What to queue and what to refuse; takes time, so it belongs in a thread."""
    read = _READERS[job_type]
    jobs: dict[str, NewJob] = {}
    errors: list[ItemError] = []
    for index, item in enumerate(items):
        try:
            job = read(item, index, now)
        except Rejected as problem:
            errors.append(ItemError(index, problem.code, problem.message))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
            errors.append(_unreadable(index, problem))
        else:
            known = jobs.get(job.external_ref)
            if known is None or known.updated_at_source <= job.updated_at_source:
                jobs[job.external_ref] = job
    return Batch(len(items), list(jobs.values()), errors)


def _unreadable(index: int, problem: Exception) -> ItemError:
    """An item whose JSON or types are wrong; the field is named where it can be."""
    if not isinstance(problem, msgspec.ValidationError):
        return ItemError(index, "invalid_item", "the item is not valid JSON text")
    message = str(problem)
    field = _FIELD.search(message)
    if field is None:
        return ItemError(index, "invalid_item", "the item must be an object")
    expected = message.partition(" - at `")[0].replace("`", "")
    return ItemError(index, f"invalid_{field[1]}", f"{field[1]} has the wrong type: {expected}")
