"""Taking work: PgQueuer's own dequeue, which keeps limits over all workers in the database."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple, cast
from uuid import UUID

import asyncpg
from pgqueuer.adapters.persistence.qb import QueryQueueBuilder
from pgqueuer.domain.settings import DBSettings, Durability
from pgqueuer.domain.types import Channel, QueueEntrypoint, QueueManagerId

from rensai.kit.tasks import store
from rensai.kit.tasks.declare import AnyTask
from rensai.kit.tasks.line import Line

# Every name is given, because PgQueuer takes those that are not from the environment.
SETTINGS = DBSettings(
    prefix="",
    db_schema="tasks",
    channel=Channel(store.CHANNEL),
    function="fn_pgqueuer_changed",
    statistics_table="pgqueuer_statistics",
    queue_status_type="pgqueuer_status",
    queue_table="pgqueuer",
    queue_table_log="pgqueuer_log",
    trigger="tg_pgqueuer_changed",
    schedules_table="pgqueuer_schedules",
    durability=Durability.balanced,
)

_RACES = {"pgqueuer_picked_slot_idx", "pgqueuer_picked_key_idx"}


class Pick(NamedTuple):
    """A task that this worker owns now."""

    id: int
    task: str
    payload: bytes | None
    attempts: int
    stamp: datetime


class Picker:
    """Takes ready tasks, and tasks whose worker fell silent, for one worker."""

    def __init__(
        self, worker: UUID, line: Line, tasks: Sequence[AnyTask], heartbeat: timedelta
    ) -> None:
        self._worker = QueueManagerId(worker)
        self._line = line
        self._names = [QueueEntrypoint(task.name) for task in tasks]
        self._limits = [task.concurrency for task in tasks]
        self._heartbeat = heartbeat
        self._builder = QueryQueueBuilder(settings=SETTINGS)

    async def take(self, at_most: int) -> list[Pick]:
        """What is picked now; none when another worker won the race for the same."""
        query = self._builder.build_dequeue_query(
            batch_size=at_most,
            entrypoints=self._names,
            concurrency_limits=self._limits,
            queue_manager_id=self._worker,
            global_concurrency_limit=None,
            heartbeat_timeout=self._heartbeat,
        )
        try:
            fetched = await self._line.fetch(query.sql, *query.args)
        except asyncpg.DeadlockDetectedError:
            return []
        except asyncpg.UniqueViolationError as error:
            if getattr(error, "constraint_name", None) in _RACES:
                return []
            raise
        # The key of some may be busy: the database has put those back for a second.
        return [
            Pick(row["id"], row["entrypoint"], row["payload"], row["attempts"], row["updated"])
            for row in cast("list[Mapping[str, Any]]", fetched)
            if row["status"] == "picked"
        ]

    async def seconds_to_next(self) -> float | None:
        """When the next waiting task is due; negative when it is and could not be taken."""
        return (await self._line.ask(store.NEXT_DUE, self._names))[0]
