"""Making accounts."""

from rensai.kit.clock import Clock
from rensai.kit.db import Reads, Tx
from rensai.kit.errors import Invalid
from rensai.kit.ids import new_uid
from rensai.rooms.readers.adapters import passwords, portable
from rensai.rooms.readers.errors import AdminExists, NameTaken
from rensai.rooms.readers.model import EMAIL, PASSWORD_LENGTH, USERNAME, Created
from rensai.rooms.readers.store import accounts as store


async def create_admin(
    tx: Tx, *, username: str, email: str, password: str, clock: Clock, another: bool = False
) -> Created:
    """Make an administrator: the first one, or, when asked for, one more."""
    _require_account_shape(username, email, password)
    hashed = await passwords.hash_password(password)
    await store.lock_admins(tx)
    if not another and await store.admin_exists(tx):
        raise AdminExists
    phrase = portable.new_phrase()
    identity = portable.identity_of(phrase)
    user = await store.insert(
        tx,
        uid=new_uid(),
        username=username,
        email=email,
        password_hash=hashed,
        role="admin",
        public_key=identity.public_key,
        fingerprint=identity.fingerprint,
        now=clock.now(),
    )
    if user is None:
        raise NameTaken
    return Created(user, phrase)


def _require_account_shape(username: str, email: str, password: str) -> None:
    shortest, longest = PASSWORD_LENGTH
    wrong: dict[str, str] = {}
    if not USERNAME.fullmatch(username):
        wrong["username"] = (
            "the username needs 3 to 60 letters, digits, dots, dashes or underscores, and no dot "
            "or dash at its ends"
        )
    if not EMAIL.fullmatch(email):
        wrong["email"] = "the e-mail address is none"
    if not shortest <= len(password) <= longest:
        wrong["password"] = f"the password needs {shortest} to {longest} characters"
    if wrong:
        raise Invalid(
            f"The account cannot be made: {'; '.join(wrong.values())}.",
            details=[{"path": path, "message": why} for path, why in wrong.items()],
        )


async def count_accounts(reads: Reads) -> int:
    """How many accounts are open here."""
    return await store.count(reads)
