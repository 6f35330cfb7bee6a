"""What talk does when it hears of something."""

from datetime import timedelta

from rensai.kit.events import About
from rensai.kit.tasks import TaskContext, task
from rensai.rooms.talk.service.counting import count
from rensai.rooms.talk.service.forgetting import forget_reader as forget


def _one(about: About) -> str | None:
    return str(about.ids[0]) if len(about.ids) == 1 else None


@task(queue="counts", dedupe=_one)
async def count_reactions(context: TaskContext, args: About) -> None:
    """Count the likes and replies of comments that have others now."""
    for comment_id in args.ids:
        async with context.db.transaction() as tx:
            await count(tx, comment_id)


@task(timeout=timedelta(hours=1), dedupe=_one)
async def forget_reader(context: TaskContext, args: About) -> None:
    """Take the name of an account that is gone off all that it has said."""
    for user_id in args.ids:
        await forget(context.db, context.clock, user_id)
