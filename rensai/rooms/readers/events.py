"""News of the room."""

from uuid import UUID

from rensai.kit.events import Event


class AccountDeleted(Event, frozen=True):
    """An account is gone. Whoever has something of it erases that, or takes the name off it.

    The row of the account stays, blank. A subscriber may hear of it twice, and works in batches,
    since an account can have very much.
    """

    user_id: int


class ResetAsked(Event, frozen=True):
    """Somebody says that he has forgotten the password of the account with this address."""

    email: str


class VerificationAsked(Event, frozen=True):
    """An account has an address that nobody has confirmed yet."""

    user_id: int


class PasswordChanged(Event, frozen=True):
    """An account has another password, and what was signed in before has been signed out."""

    user_id: int


class EmailChanged(Event, frozen=True):
    """An account has another address; the one before may belong to whoever should know."""

    user_id: int
    before: str


class ExportAsked(Event, frozen=True):
    """A reader wants an archive of all that he has."""

    transfer_id: UUID


class ImportAsked(Event, frozen=True):
    """A reader has brought an archive."""

    transfer_id: UUID
