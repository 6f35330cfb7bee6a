"""What the room does by itself."""

from collections.abc import Sequence
from datetime import timedelta

import msgspec

from rensai.kit.events import About
from rensai.kit.tasks import Retry, Task, TaskContext, task
from rensai.rooms.readers import service
from rensai.rooms.readers.events import (
    EmailChanged,
    ExportAsked,
    ImportAsked,
    PasswordChanged,
    ResetAsked,
    VerificationAsked,
)
from rensai.rooms.readers.model.belongings import Belongings
from rensai.rooms.readers.service import letter_links, letters, transfers
from rensai.rooms.readers.service.grants import purge_refresh_tokens

_LETTER = Retry(attempts=9, first=timedelta(seconds=15), factor=3)
"""About ten hours in which a mail server may be away."""
_ARCHIVE = Retry(attempts=3, first=timedelta(seconds=10))


class ClearSessions(msgspec.Struct, frozen=True):
    """Nothing to say: it is always all sessions."""


class ClearArchives(msgspec.Struct, frozen=True):
    """Nothing to say: it is always all archives."""


@task(name="readers.clear_sessions", schedule="17 * * * *", dedupe=lambda _: "")
async def clear_sessions(context: TaskContext, args: ClearSessions) -> None:
    """Every hour, forget the sessions and links that have run out; they count for nothing."""
    del args
    async with context.db.transaction() as tx:
        await service.clear_expired_sessions(tx, context.clock.now())
        await letter_links.clear_expired_marks(tx, context.clock)


@task(name="readers.clear_archives", schedule="41 * * * *", dedupe=lambda _: "")
async def clear_archives(context: TaskContext, args: ClearArchives) -> None:
    """Every hour, remove archives whose time has run out."""
    del args
    await transfers.clear_away(context.services)


@task(name="readers.send_reset", queue="mail", retry=_LETTER)
async def send_reset(context: TaskContext, args: ResetAsked) -> None:
    """Write to whoever has forgotten a password."""
    await letters.send_reset(context.db, context.config, context.clock, args.email)


@task(name="readers.send_verification", queue="mail", retry=_LETTER)
async def send_verification(context: TaskContext, args: VerificationAsked) -> None:
    """Ask the owner of an address to confirm it."""
    await letters.send_verification(context.db, context.config, context.clock, args.user_id)


@task(name="readers.tell_password_changed", queue="mail", retry=_LETTER)
async def tell_password_changed(context: TaskContext, args: PasswordChanged) -> None:
    """Tell the owner of an account that its password has changed."""
    await letters.tell_password_changed(context.db, context.config, args.user_id)


@task(name="readers.tell_email_changed", queue="mail", retry=_LETTER)
async def tell_email_changed(context: TaskContext, args: EmailChanged) -> None:
    """Tell the address before that letters go elsewhere now."""
    await letters.tell_email_changed(context.db, context.config, args.user_id, args.before)


@task(name="readers.forget_archives")
async def forget_archives(context: TaskContext, args: About) -> None:
    """Remove the archives of accounts that are gone."""
    for user_id in args.ids:
        await transfers.forget_archives(context.services, user_id)


def exporting(belongings: Sequence[Belongings]) -> Task[ExportAsked]:
    """The task that makes archives of what all rooms have of a reader."""

    @task(
        name="readers.export",
        queue="archives",
        concurrency=2,
        retry=_ARCHIVE,
        timeout=timedelta(hours=1),
        dedupe=lambda asked: str(asked.transfer_id),
    )
    async def export(context: TaskContext, args: ExportAsked) -> None:
        try:
            await transfers.export_now(context.services, args.transfer_id, belongings)
        except Exception:
            if context.attempt >= _ARCHIVE.attempts:
                await transfers.give_up(context.services, args.transfer_id)
            raise

    return export


def importing(belongings: Sequence[Belongings]) -> Task[ImportAsked]:
    """The task that takes in archives, as far as each room understands them."""

    @task(
        name="readers.import",
        queue="archives",
        concurrency=2,
        retry=_ARCHIVE,
        timeout=timedelta(hours=1),
        dedupe=lambda asked: str(asked.transfer_id),
    )
    async def take_in(context: TaskContext, args: ImportAsked) -> None:
        try:
            await transfers.import_now(context.services, args.transfer_id, belongings)
        except Exception:
            if context.attempt >= _ARCHIVE.attempts:
                await transfers.give_up(context.services, args.transfer_id)
            raise

    return take_in


class PurgeTokens(msgspec.Struct, frozen=True):
    """Nothing to say: it is always all tokens."""


@task(name="readers.purge_tokens", schedule="41 3 * * *", dedupe=lambda _: "")
async def purge_tokens(context: TaskContext, args: PurgeTokens) -> None:
    """Every day, forget the refresh tokens that have been good for nothing long enough."""
    del args
    kept = timedelta(days=context.services.config.refresh_audit_days)
    await purge_refresh_tokens(context.db, context.clock.now() - kept)
