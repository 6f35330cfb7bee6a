"""What a reader has in one room, as it is taken out of this server and into another."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from datetime import datetime

from msgspec import Struct

from rensai.kit.db import Reads, Tx
from rensai.rooms.readers.model import User

Rows = Callable[[Reads, int], AsyncIterator[Struct]]
"""All of a reader's, by the account's id: read in batches, keyset-paged, oldest first."""

Restore = Callable[[Tx, User, Sequence[bytes], datetime], Awaitable[int]]
"""Take up to 500 raw lines in, as of now, and say how many were taken.

Twice is once, and the newer of two wins. A line about a story that is not here is passed over,
as is one that cannot be read.
"""


class Belongings(Struct, frozen=True):
    """One file of a reader's archive: `<name>.jsonl`, one JSON object a line.

    Lines name stories and chapters so that another server understands them, never by local ids.
    What has no `restore` can be taken along to look at, and is not taken in elsewhere.
    """

    name: str
    rows: Rows
    restore: Restore | None = None
