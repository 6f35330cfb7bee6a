"""Background tasks in PostgreSQL: declared here, asked for in a transaction, run by a worker.

    @task(queue="counts", dedupe=lambda args: str(args.story))
    async def recount(context: TaskContext, args: Recount) -> None: ...

    await enqueue(tx, recount, Recount(story=7))

docs/tasks.md says how retries, dedupe keys, schedules and dead letters work.
"""

from rensai.kit.tasks.declare import AnyTask, PermanentFailure, Retry, Task, TaskContext, task
from rensai.kit.tasks.enqueue import enqueue, enqueue_many

__all__ = [
    "AnyTask",
    "PermanentFailure",
    "Retry",
    "Task",
    "TaskContext",
    "enqueue",
    "enqueue_many",
    "task",
]
