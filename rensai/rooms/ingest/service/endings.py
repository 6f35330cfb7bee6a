"""How jobs end: done, tried again later, or put aside; and what that does to their requests."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from rensai.kit.db import Tx
from rensai.rooms.catalogue.door import Outcome, Result
from rensai.rooms.ingest.model import JobStatus
from rensai.rooms.ingest.service.logs import OTHERS_KEPT, log
from rensai.rooms.ingest.store import endings as store
from rensai.rooms.ingest.store.endings import Failure, Progress, Total
from rensai.rooms.ingest.store.queue import Job

BACKOFF = tuple(timedelta(seconds=seconds) for seconds in (30, 120, 600, 1800, 3600))
"""How long a job waits after its first, second … failure; after one more it is dead."""

_LONGEST_MESSAGE = 500


class Overtaken(Exception):
    """Somebody else has taken over jobs that we believed to hold."""


class Tally:
    """How many items ended in which way."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, other: "Tally") -> None:
        self._counts.update(other._counts)

    def count(self, outcome: str, code: str = "") -> None:
        self._counts[outcome, code] += 1

    def totals(self, job_type: str) -> list[Total]:
        return [Total(job_type, *key, count) for key, count in self._counts.items()]

    def __bool__(self) -> bool:
        return bool(self._counts)


async def settle(
    tx: Tx,
    jobs: Sequence[Job],
    outcomes: Iterable[Outcome],
    worker: str,
    now: datetime,
    *,
    log_kept: timedelta = OTHERS_KEPT,
) -> Tally:
    """End these jobs in the transaction that did them; all of them, or none if one is not ours."""
    by_id = {job.id: job for job in jobs}
    tally = Tally()
    done: dict[int, str] = {}
    failures: list[Failure] = []
    for outcome in outcomes:
        job = by_id.pop(outcome.job_id)
        if outcome.result is Result.FAILED:
            failure = _failure(job, outcome, now)
            failures.append(failure)
            tally.count(_ENDINGS[failure.status], failure.code)
        else:
            done[job.id] = outcome.result.value
            tally.count(outcome.result.value)
    if by_id:
        raise LookupError(f"no outcome for the jobs {sorted(by_id)[:5]}")
    ended = 0
    if done:
        ended += await store.complete(tx, done, worker, now)
    if failures:
        ended += await store.fail(tx, failures, worker, now)
    if ended != len(jobs):
        raise Overtaken
    await _count(tx, jobs, done, failures, now)
    codes = {one.job_id: one.code for one in failures if one.status != JobStatus.QUEUED}
    lost = [(job.source, job.request_id, codes[job.id]) for job in jobs if job.id in codes]
    await log_failures(tx, lost, now, log_kept)
    return tally


async def log_failures(
    tx: Tx, lost: Iterable[tuple[str, UUID, str]], now: datetime, kept: timedelta
) -> None:
    """A line for each request of which items have failed for good: source, request and code."""
    requests: defaultdict[tuple[str, UUID], Counter[str]] = defaultdict(Counter)
    for source, request_id, code in lost:
        requests[source, request_id][code] += 1
    for (source, request_id), codes in requests.items():
        await log(
            tx,
            "items_failed",
            "Failed for good: " + ", ".join(f"{code} ({n})" for code, n in sorted(codes.items())),
            now=now,
            level="warning",
            source=source,
            reference_id=str(request_id),
            context={"codes": codes},
            kept=kept,
        )


_ENDINGS: dict[int, str] = {
    JobStatus.QUEUED: "retried",
    JobStatus.FAILED: "failed",
    JobStatus.DEAD_LETTER: "dead_letter",
}


def _failure(job: Job, outcome: Outcome, now: datetime) -> Failure:
    next_run_at = now
    if not outcome.retryable:
        status = JobStatus.FAILED
    elif job.attempts > job.max_attempts:
        status = JobStatus.DEAD_LETTER
    else:
        status = JobStatus.QUEUED
        next_run_at += BACKOFF[min(job.attempts, len(BACKOFF)) - 1]
    message = (outcome.message or "It failed.")[:_LONGEST_MESSAGE]
    return Failure(job.id, status, next_run_at, outcome.code or "internal_error", message)


async def _count(
    tx: Tx,
    jobs: Sequence[Job],
    done: Mapping[int, str],
    failures: Sequence[Failure],
    now: datetime,
) -> None:
    over = {one.job_id: one.message for one in failures if one.status != JobStatus.QUEUED}
    processed: Counter[UUID] = Counter()
    failed: Counter[UUID] = Counter()
    errors: dict[UUID, str] = {}
    for job in jobs:
        if job.id in done:
            processed[job.request_id] += 1
        elif job.id in over:
            failed[job.request_id] += 1
            errors[job.request_id] = over[job.id]
    progress = [
        Progress(request, processed[request], failed[request], errors.get(request))
        for request in processed.keys() | failed.keys()
    ]
    if progress:
        await store.count(tx, progress, now)
