"""Pushes what is in a file or a folder: reads, checks, sends, and remembers what was sent."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import uuid4

from rensai.client.answers import Report, Standing, Trouble
from rensai.client.batches import Batch, Item, Kind, batches
from rensai.client.checks import problem_of, problem_of_source
from rensai.client.errors import StillWorkingError
from rensai.client.journal import Journal
from rensai.client.reading import Found, read_items
from rensai.client.sending import Client

_HEAD_START = 15.0
"""Seconds that stories may take before their chapters follow; these find them later, too."""

_PATIENCE = 600.0
"""Seconds to wait for the catalogue; what is tried again for longer than that is a complaint."""


@dataclass(frozen=True, slots=True)
class Complaint:
    """An item that did not make it: where it stands, and why."""

    place: str
    code: str
    message: str


@dataclass(slots=True)
class Survey:
    """What a file holds: how many items are right, in which sources, and what is wrong."""

    stories: int = 0
    chapters: int = 0
    sources: dict[str, None] = field(default_factory=dict[str, None])
    complaints: list[Complaint] = field(default_factory=list[Complaint])


@dataclass(slots=True)
class Outcome:
    """What became of a push."""

    accepted: int = 0
    requests: int = 0
    resumed: int = 0
    """How many of the requests an earlier run had sent."""

    processed: int | None = None
    """How many items are in the catalogue; None when nobody waited."""

    complaints: list[Complaint] = field(default_factory=list[Complaint])


def survey(path: Path, source: str | None) -> Survey:
    """Check everything without sending anything."""
    found = Survey()
    for each in read_items(path):
        complaint = _complaint(each, source)
        if complaint is not None:
            found.complaints.append(complaint)
            continue
        found.sources[source or each.source or ""] = None
        if each.kind is Kind.STORIES:
            found.stories += 1
        else:
            found.chapters += 1
    return found


class Push:
    """Sends what a survey has found right: stories first, then chapters."""

    def __init__(
        self,
        client: Client,
        path: Path,
        journal: Journal,
        *,
        source: str | None,
        progress: Callable[[int], None],
        again: bool = False,
    ) -> None:
        """`progress` is told how many more items were answered.

        `again` has the server work on what it has answered before.
        """
        self._client = client
        self._path = path
        self._journal = journal
        self._source = source
        self._progress = progress
        self._salt = uuid4().hex if again else ""
        self._outcome = Outcome()
        self._places: dict[int, str] = {}
        self._sent: list[tuple[str, list[str]]] = []

    def run(self, surveyed: Survey, *, wait: bool) -> Outcome:
        """Send everything; with `wait` also see it through to the catalogue."""
        for kind in Kind:
            for source in surveyed.sources:
                self._push(kind, source)
            if kind is Kind.STORIES and surveyed.chapters and self._sent:
                self._head_start()
        if wait:
            self._see_through()
        self._journal.remove()
        return self._outcome

    def _push(self, kind: Kind, source: str) -> None:
        self._places.clear()
        several = batches(kind, source, self._items(kind, source))
        for report in self._client.send_all(self._unsent(several)):
            if report.batch.items:
                self._journal.add(report)
            self._note(report)

    def _unsent(self, several: Iterator[Batch]) -> Iterator[Batch]:
        for plain in several:
            batch = replace(plain, salt=self._salt)
            known = self._journal.report(batch)
            if known is None:
                yield batch
            else:
                self._outcome.resumed += 1
                self._note(known)

    def _items(self, kind: Kind, source: str) -> Iterator[Item]:
        position = 0
        for each in read_items(self._path):
            if each.kind is not kind or (self._source or each.source) != source:
                continue
            if _complaint(each, self._source) is None:
                self._places[position] = each.place
                position += 1
                yield each.item

    def _note(self, report: Report) -> None:
        places = {position: self._places.pop(position) for position in report.batch.positions}
        for refused in report.batch.unsendable:
            places[refused.position] = self._places.pop(refused.position)
        self._outcome.complaints += [
            Complaint(places[each.position], each.code, each.message) for each in report.rejected
        ]
        self._outcome.accepted += report.accepted
        self._progress(len(places))
        if report.request_id is not None:
            self._outcome.requests += 1
            in_order = [places[position] for position in report.batch.positions]
            self._sent.append((report.request_id, in_order))

    def _head_start(self) -> None:
        """A chapter whose story is not there yet is tried again later; rather wait a little."""
        try:
            self._client.wait_for(self._sent[-1][0], timeout=_HEAD_START)
        except StillWorkingError:
            return

    def _see_through(self) -> None:
        self._outcome.processed = 0
        until = time.monotonic() + _PATIENCE
        for request_id, places in self._sent:
            standing = self._client.status(request_id)
            if not standing.has_ended:
                standing = self._ended(request_id, until - time.monotonic())
            self._outcome.processed += standing.processed_items
            self._outcome.complaints += [
                Complaint(places[each.index], each.code, _told(each))
                for each in standing.items
                if each.index < len(places)
            ]

    def _ended(self, request_id: str, seconds: float) -> Standing:
        """How it has ended, or how it stands when the time is over."""
        try:
            return self._client.wait_for(request_id, timeout=seconds, even_if_stuck=False)
        except StillWorkingError:
            return self._client.status(request_id)


def _told(trouble: Trouble) -> str:
    again = " It is tried again for some hours." if trouble.status == "retrying" else ""
    return f"{trouble.message}{again}"


def _complaint(found: Found, source: str | None) -> Complaint | None:
    if found.problem is not None or found.kind is None:
        return Complaint(found.place, "invalid_item", found.problem or "is neither")
    problem = problem_of_source(source or found.source or "") or problem_of(found.kind, found.item)
    return problem and Complaint(found.place, problem.code, problem.message)
