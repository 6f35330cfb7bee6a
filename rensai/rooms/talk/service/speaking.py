"""How often somebody may speak."""

from datetime import datetime, timedelta

from rensai.kit.db import Tx
from rensai.kit.errors import RateLimited
from rensai.kit.limits import Limits, Rule
from rensai.rooms.readers.door import User
from rensai.rooms.talk.store import comments as store

COMMENTS = Rule("comments", 10, timedelta(minutes=1))
REPORTS = Rule("reports", 10, timedelta(minutes=1))
LIKES = Rule("likes", 60, timedelta(minutes=1))
SAME_AGAIN = timedelta(minutes=1)
"""How long an account may not say the very same thing again."""


async def count_attempt(limits: Limits, rule: Rule, user: User) -> None:
    """Refuse whoever writes too often; each account has a count of its own."""
    await limits.check(rule, str(user.id))


async def refuse_the_same(tx: Tx, user: User, content: str, now: datetime) -> None:
    """Refuse what this account said within the last minute, wherever it was.

    Whatever else the account is about to say waits for the end of this transaction.
    """
    await store.hold_author(tx, user.id)
    last = await store.said_at(tx, user.id, content, now - SAME_AGAIN)
    if last is not None:
        wait = max(1, round((last + SAME_AGAIN - now).total_seconds()))
        raise RateLimited(
            "You have just said the very same thing.",
            details={"limit": 1, "retryAfter": wait},
            headers={"Retry-After": str(wait)},
        )
