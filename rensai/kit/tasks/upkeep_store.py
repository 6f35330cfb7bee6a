"""What the queue throws away, a slice at a time so that nothing waits for it."""

from rensai.kit.db import Query

PRUNE_DEAD = Query(
    """
with going as (
    (select id from tasks.dead where died_at < now() - $1::interval limit $3)
    union
    (select id from tasks.dead order by died_at desc, id desc offset $2 limit $3)
)
delete from tasks.dead using going where dead.id = going.id
returning dead.id
""",
    int,
)

# A number of tasks counts by their last lines, "successful" or a failure; the routine lines
# before the oldest of them that stays ("asked for again", "picked") go with those that go.
PRUNE_LOG = Query(
    """
with oldest as (
    select id from tasks.pgqueuer_log
    where case when $1 then status in ('failed', 'exception') else status = 'successful' end
    order by id desc offset $3 - 1 limit 1
), going as (
    select id from tasks.pgqueuer_log
    where (status in ('failed', 'exception')) = $1
        and (created < now() - $2::interval or id < (select id from oldest))
    order by id limit $4
)
delete from tasks.pgqueuer_log as log using going where log.id = going.id
returning log.id
""",
    int,
)

PRUNE_STATISTICS = Query(
    """
delete from tasks.pgqueuer_statistics where created < now() - $1::interval returning id
""",
    int,
)

PRUNE_SCHEDULES = Query(
    """
delete from tasks.pgqueuer_schedules
where next_run < now() - $1::interval and coalesce(last_run, created) < now() - $1::interval
returning id
""",
    int,
)

# During an update of several machines, tasks of the new release wait beside old workers: only
# what nobody has known for a long time is given up.
BURY_UNKNOWN = Query(
    """
with unknown as (
    select id from tasks.pgqueuer
    where entrypoint <> all($1::text[]) and status in ('queued', 'picked')
        and execute_after < now() - $2::interval and heartbeat < now() - $2::interval
    order by id limit $3
    for update skip locked
), gone as (
    delete from tasks.pgqueuer as task using unknown where task.id = unknown.id
    returning task.*
), logged as (
    insert into tasks.pgqueuer_log (job_id, status, entrypoint, priority)
    select id, 'failed', entrypoint, priority from gone
)
insert into tasks.dead (id, task, payload, priority, key, attempts, error, created_at)
select id, entrypoint, payload, priority, key, attempts, 'no worker knows this task', created
from gone
returning id
""",
    int,
)
