"""Letters to readers: what stands in them, and what their links are good for.

What a link carries is made when the letter is sent and stored as a hash, so neither the tables
nor the waiting tasks hold anything that opens an account.
"""

from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from rensai.config import Config
from rensai.kit import mail
from rensai.kit.clock import Clock
from rensai.kit.db import Database
from rensai.kit.log import get_logger
from rensai.rooms.readers.model.letters import LIFETIME, LIVE_MARKS, Addressee, Purpose
from rensai.rooms.readers.service.secrets import hash_of, new_secret
from rensai.rooms.readers.store import letters as store

_LOG = get_logger("rensai.readers")
_TEMPLATES = Path(__file__).parents[1] / "templates" / "letters"


@lru_cache(maxsize=1)
def _templates() -> Environment:
    # Plain text: nothing reads it as HTML, so nothing is escaped.
    return Environment(  # noqa: S701
        loader=FileSystemLoader(_TEMPLATES), undefined=StrictUndefined, auto_reload=False
    )


def letter(
    template: str, addressee: Addressee, *, to: str, base_url: str, path: str = "/"
) -> mail.Letter:
    """The letter that the template says; its first line is the subject."""
    text = (
        _templates()
        .get_template(f"{template}.txt")
        .render(
            site=urlsplit(base_url).netloc,
            username=addressee.username,
            link=f"{base_url}{path}",
        )
    )
    subject, _, body = text.partition("\n")
    return mail.Letter(to, subject, body.lstrip("\n") + "\n")


async def send_reset(db: Database, config: Config, clock: Clock, email: str) -> None:
    """Write to whoever has an open account with this address, if anybody has."""
    addressee = await store.addressee_at(db.primary, email)
    if addressee is not None:
        await _send_link(db, config, clock, addressee, Purpose.RESET)


async def send_verification(db: Database, config: Config, clock: Clock, user_id: int) -> None:
    """Ask the owner of an account's address to confirm it, unless he has."""
    if config.smtp_url is None:
        return
    addressee = await store.addressee(db.primary, user_id)
    if addressee is not None and not addressee.email_verified:
        await _send_link(db, config, clock, addressee, Purpose.VERIFY)


async def tell_password_changed(db: Database, config: Config, user_id: int) -> None:
    """Tell the owner of an account that its password has changed."""
    if (addressee := await store.addressee(db.primary, user_id)) is not None:
        await _deliver(
            config,
            letter(
                "password_changed",
                addressee,
                to=addressee.email,
                base_url=config.base_url,
                path="/reset",
            ),
        )


async def tell_email_changed(db: Database, config: Config, user_id: int, before: str) -> None:
    """Tell the address before that letters go elsewhere now."""
    if (addressee := await store.addressee(db.primary, user_id)) is not None:
        about = letter("email_changed", addressee, to=before, base_url=config.base_url)
        await _deliver(config, about)


async def _send_link(
    db: Database, config: Config, clock: Clock, addressee: Addressee, purpose: Purpose
) -> None:
    mark = new_secret()
    now = clock.now()
    async with db.transaction() as tx:
        await store.add_mark(
            tx,
            hash_of(mark),
            addressee,
            purpose.value,
            now=now,
            expires_at=now + LIFETIME[purpose],
            live=LIVE_MARKS,
        )
    path = f"/{purpose.value}?token={mark}"
    await _deliver(
        config,
        letter(purpose.value, addressee, to=addressee.email, base_url=config.base_url, path=path),
    )


async def _deliver(config: Config, about: mail.Letter) -> None:
    """Send, and accept that some addresses cannot be written to."""
    if config.smtp_url is None:
        return
    try:
        await mail.send(config, about)
    except mail.Undeliverable as problem:
        _LOG.warning("a letter could not be delivered", why=str(problem))
