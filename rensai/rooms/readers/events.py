"""News of the room."""

from rensai.kit.events import Event


class AccountDeleted(Event, frozen=True):
    """An account is gone. Whoever has something of it erases that, or takes the name off it.

    The row of the account stays, blank. A subscriber may hear of it twice, and in batches it
    must not hold up others: an account can have very much.
    """

    user_id: int
