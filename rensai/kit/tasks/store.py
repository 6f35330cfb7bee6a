"""Every statement of the task queue except the pick, which is PgQueuer's own (see pick.py).

Whatever a worker says about a task is fenced: it counts only while the worker still owns that
very pick (`queue_manager_id` and `updated`, set by the pick and by nothing else), and the check
is part of the statement that changes the row.
"""

from datetime import datetime

import msgspec

from rensai.kit.db import Query

CHANNEL = "rensai_tasks"
"""Where the queue says that there is something new."""


class Placed(msgspec.Struct, frozen=True):
    """The task made for one request; None when a waiting one answers for it."""

    id: int | None


ENQUEUE = Query(
    """
insert into tasks.pgqueuer (entrypoint, payload, priority, execute_after, status)
select task, payload, priority, now() + delay, 'queued'
from unnest($1::text[], $2::bytea[], $3::integer[], $4::interval[])
    as wanted (task, payload, priority, delay)
returning id
""",
    int,
)

# The lock on the waiting task keeps workers from starting it before this transaction commits,
# so that it sees what this transaction wrote. It is shared, and taken only where nobody has to
# be waited for: asking for a task never blocks and never deadlocks. A task that has been due
# for a minute gets no more locks, so that those who ask without pause cannot hold it back.
ENQUEUE_KEYED = Query(
    """
with wanted as materialized (
    select nextval('tasks.pgqueuer_id_seq') as id, input.*
    from unnest($1::text[], $2::bytea[], $3::integer[], $4::interval[], $5::text[])
        with ordinality as input (task, payload, priority, delay, key, position)
), inserted as (
    insert into tasks.pgqueuer (id, entrypoint, payload, priority, execute_after, key, status)
    select id, task, payload, priority, now() + delay, key, 'queued'
    from wanted
    where key is null or not exists (
        select from tasks.pgqueuer as waiting
        where waiting.key = wanted.key
            and waiting.status = 'queued'
            and waiting.execute_after > now() - interval '1 minute'
            and waiting.execute_after <= now() + wanted.delay + interval '2 seconds'
        for key share skip locked
    )
    returning id
)
select inserted.id as id
from wanted left join inserted on inserted.id = wanted.id
order by wanted.position
""",
    Placed,
)

SUCCEEDED = Query(
    """
with ended as (
    select * from unnest($2::bigint[], $3::timestamptz[]) as ended (id, stamp)
), gone as (
    delete from tasks.pgqueuer as task using ended
    where task.id = ended.id and task.queue_manager_id = $1 and task.updated = ended.stamp
        and task.status = 'picked'
    returning task.id, task.entrypoint, task.priority
), logged as (
    insert into tasks.pgqueuer_log (job_id, status, entrypoint, priority)
    select id, 'successful', entrypoint, priority from gone
)
select id from gone
""",
    int,
)

RETRIED = Query(
    """
with ended as (
    select * from unnest($2::bigint[], $3::timestamptz[], $4::interval[], $5::text[], $6::text[])
        as ended (id, stamp, delay, error, traceback)
), waiting as (
    update tasks.pgqueuer as task
    set status = 'queued', queue_manager_id = null, slot = null, updated = now(),
        attempts = task.attempts + 1, execute_after = now() + ended.delay,
        headers = jsonb_build_object('error', ended.error)
    from ended
    where task.id = ended.id and task.queue_manager_id = $1 and task.updated = ended.stamp
        and task.status = 'picked'
    returning task.id, task.entrypoint, task.priority, ended.error, ended.traceback
), logged as (
    insert into tasks.pgqueuer_log (job_id, status, entrypoint, priority, traceback)
    select id, 'exception', entrypoint, priority,
        jsonb_build_object('error', error, 'traceback', traceback)
    from waiting
)
select id from waiting
""",
    int,
)

BURIED = Query(
    """
with ended as (
    select * from unnest($2::bigint[], $3::timestamptz[], $4::integer[], $5::text[], $6::text[])
        as ended (id, stamp, attempts, error, traceback)
), gone as (
    delete from tasks.pgqueuer as task using ended
    where task.id = ended.id and task.queue_manager_id = $1 and task.updated = ended.stamp
        and task.status = 'picked'
    returning task.id, task.entrypoint, task.payload, task.priority, task.key, task.created,
        ended.attempts, ended.error, ended.traceback
), dead as (
    insert into tasks.dead
        (id, task, payload, priority, key, attempts, error, traceback, created_at)
    select id, entrypoint, payload, priority, key, attempts, error, traceback, created from gone
), logged as (
    insert into tasks.pgqueuer_log (job_id, status, entrypoint, priority)
    select id, 'failed', entrypoint, priority from gone
)
select id from gone
""",
    int,
)

GIVEN_BACK = Query(
    """
with ended as (
    select * from unnest($2::bigint[], $3::timestamptz[]) as ended (id, stamp)
), waiting as (
    update tasks.pgqueuer as task
    set status = 'queued', queue_manager_id = null, slot = null, updated = now(),
        execute_after = now()
    from ended
    where task.id = ended.id and task.queue_manager_id = $1 and task.updated = ended.stamp
        and task.status = 'picked'
    returning task.id
)
select id from waiting, (select pg_notify('rensai_tasks', 'back')) as told
""",
    int,
)


class Held(msgspec.Struct, frozen=True):
    """A pick that a worker still owns."""

    id: int
    stamp: datetime


BEAT = Query(
    """
update tasks.pgqueuer set heartbeat = now()
where id = any($2::bigint[]) and queue_manager_id = $1 and status = 'picked'
returning id, updated as stamp
""",
    Held,
)

NEXT_DUE = Query(
    """
select extract(epoch from min(first.execute_after) - now())::double precision as seconds
from unnest($1::text[]) as known (task)
cross join lateral (
    select waiting.execute_after
    from tasks.pgqueuer as waiting
    where waiting.entrypoint = known.task and waiting.status = 'queued'
    order by waiting.execute_after
    limit 1
) as first
""",
    float,
)

ADD_TOTALS = Query(
    """
insert into tasks.totals as total (task, outcome, count, seconds)
select task, outcome, count, seconds
from unnest($1::text[], $2::text[], $3::bigint[], $4::double precision[])
    as ended (task, outcome, count, seconds)
order by task, outcome
on conflict (task, outcome) do update
set count = total.count + excluded.count, seconds = total.seconds + excluded.seconds
returning total.count
""",
    int,
)

NOW = Query("select now()", datetime)

DECLARE_SCHEDULES = Query(
    """
with declared as (
    select * from unnest($1::text[], $2::text[], $3::timestamptz[])
        as declared (task, expression, next_run)
), changed as (
    delete from tasks.pgqueuer_schedules as schedule using declared
    where schedule.entrypoint = declared.task and schedule.expression <> declared.expression
)
insert into tasks.pgqueuer_schedules (entrypoint, expression, next_run)
select task, expression, next_run from declared order by task
on conflict (expression, entrypoint) do nothing
returning id
""",
    int,
)


class Due(msgspec.Struct, frozen=True):
    """A schedule whose time has come."""

    id: int
    task: str
    expression: str
    now: datetime


NEXT_SCHEDULE = Query(
    """
select extract(epoch from min(next_run) - now())::double precision
from tasks.pgqueuer_schedules
where entrypoint = any($1::text[])
""",
    float,
)

TAKE_SCHEDULES = Query(
    """
select id, entrypoint as task, expression, now() as now
from tasks.pgqueuer_schedules
where entrypoint = any($1::text[]) and next_run <= now()
order by id
for update skip locked
""",
    Due,
)

MOVE_SCHEDULES = Query(
    """
update tasks.pgqueuer_schedules as schedule
set last_run = now(), updated = now(), next_run = moved.next_run
from unnest($1::bigint[], $2::timestamptz[]) as moved (id, next_run)
where schedule.id = moved.id
returning schedule.id
""",
    int,
)
