"""Our search beside two tables in MariaDB: the same stories, the same questions, the same run."""

import asyncio
import statistics
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.harness import Comparison, Contender, Sample, Target, compare
from bench.library import Library
from bench.load import LoadError
from bench.mariadb import mariadb
from bench.search_asking import Asker, found, percentile
from bench.search_queries import Query
from bench.two_tables import Counts, TwoTables, connected, export, fill

TIMES_FASTER = 50
ROUNDS = 3


class Peer:
    """The two tables, asked from outside of any event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, tables: TwoTables) -> None:
        self._loop = loop
        self._tables = tables

    def ask(self, query: Query, counts: Counts) -> tuple[int, list[int]]:
        answer = self._loop.run_until_complete(self._tables.answer(query, counts))
        return answer.total, answer.first

    def measure(self, queries: Sequence[Query], counts: Counts) -> Callable[[], Sample]:
        """A measure for `Contender`."""
        return lambda: _sample(queries, lambda query: self.ask(query, counts))


@contextmanager
def two_tables(place: Library) -> Generator[Peer]:
    """MariaDB with the stories of a library in it."""
    with mariadb() as socket, tempfile.TemporaryDirectory(prefix="rensai-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        print("  filling MariaDB", flush=True)
        files = export(place, folder)
        loop = asyncio.new_event_loop()
        connection = loop.run_until_complete(connected(socket))
        try:
            loop.run_until_complete(fill(connection, files))
            yield Peer(loop, TwoTables(connection))
        finally:
            connection.close()
            loop.close()


def expect_the_same(asker: Asker, peer: Peer, queries: Sequence[Query]) -> None:
    """Both must find as many stories, and the same ones first."""
    for query in queries:
        ours = found(asker.ask(query.path(counts=False)))
        total, first = peer.ask(query, Counts.NONE)
        if (ours.total, ours.first) != (total, first):
            raise LoadError(f"{query}: {ours} and {total}, {first} are not the same")
    print(f"  both give the same totals and first pages to {len(queries)} questions", flush=True)


def against(
    asker: Asker, peer: Peer, facets: Sequence[Query], texts: Sequence[Query]
) -> list[Comparison]:
    """Pages alone, pages with counts, and texts with counts."""
    turns = iter(range(1, 100))

    def ours(queries: Sequence[Query], *, counts: bool) -> Callable[[], Sample]:
        def measure() -> Sample:
            turn = next(turns)
            return _sample(queries, lambda query: asker.raw(query.path(turn=turn, counts=counts)))

        return measure

    def theirs(queries: Sequence[Query], counts: Counts) -> Callable[[], Sample]:
        return peer.measure(queries, counts)

    target = Target("rensai", TIMES_FASTER)
    return [
        _compare(
            "search_pages",
            f"{len(facets)} combinations of facets, a page and how many there are",
            [
                Contender("rensai", ours(facets, counts=False)),
                Contender("two tables", theirs(facets, Counts.NONE)),
            ],
            baseline="two tables",
            target=target,
        ),
        _compare(
            "search_counts",
            f"{len(facets)} combinations of facets, a page and the counts of every facet",
            [
                Contender("rensai", ours(facets, counts=True)),
                Contender("two tables, counts of the found", theirs(facets, Counts.FILTERED)),
                Contender("two tables, counts of everything", theirs(facets, Counts.GLOBAL)),
            ],
            baseline="two tables, counts of the found",
            target=target,
        ),
        _compare(
            "search_text",
            f"{len(texts)} texts with facets and counts; FULLTEXT knows no misspelling and no CJK",
            [
                Contender("rensai", ours(texts, counts=True)),
                Contender("two tables, counts of the found", theirs(texts, Counts.FILTERED)),
                Contender("two tables, no counts", theirs(texts, Counts.NONE)),
            ],
            baseline="two tables, counts of the found",
            target=None,
        ),
    ]


def _compare(
    case: str, title: str, contenders: list[Contender], *, baseline: str, target: Target | None
) -> Comparison:
    return compare(
        case,
        title,
        contenders,
        baseline=baseline,
        unit="queries/s",
        target=target,
        rounds=ROUNDS,
        warm_ups=0,  # agreeing has made them warm, and counting takes the peer seconds
    )


def _sample(queries: Sequence[Query], ask: Callable[[Query], object]) -> Sample:
    """Queries per second, one after another, and how long they take."""
    took: list[float] = []
    for query in queries:
        began = time.perf_counter()
        ask(query)
        took.append(1_000 * (time.perf_counter() - began))
    columns = {f"p{part} ms": percentile(took, part) for part in (50, 95)}
    return Sample([1_000 / statistics.fmean(took)], columns)
