"""Work on very many rows in short transactions, so that nobody else has to wait for it."""

from collections.abc import Awaitable, Callable

from rensai.kit.db import Contended, Database, Tx

STEP = 1_000
"""How many stories one transaction holds: some ten milliseconds of work."""

_TRIES = 5


async def in_steps(db: Database, step: Callable[[Tx], Awaitable[bool]]) -> None:
    """Run `step` in one transaction after another until it says that nothing is left.

    A step that clashes with others is done again: it must keep nothing that it has not committed.
    """
    left, tries = True, 0
    while left:
        try:
            async with db.transaction() as tx:
                left = await step(tx)
            tries = 0
        except Contended:
            tries += 1
            if tries == _TRIES:
                raise
