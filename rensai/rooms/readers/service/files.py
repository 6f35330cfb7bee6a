"""Archives that an operator writes to a file and reads from one."""

from collections.abc import Sequence
from typing import BinaryIO

from rensai.kit.services import Services
from rensai.rooms.readers.adapters.archives import ArchiveReader
from rensai.rooms.readers.errors import UserNotFound
from rensai.rooms.readers.model import User
from rensai.rooms.readers.model.belongings import Belongings
from rensai.rooms.readers.model.transfers import FileCount
from rensai.rooms.readers.service.exporting import write_archive
from rensai.rooms.readers.service.importing import take_in
from rensai.rooms.readers.store import profiles


async def export_to(
    services: Services, username: str, out: BinaryIO, belongings: Sequence[Belongings]
) -> dict[str, FileCount]:
    """Write the archive of the account with this name."""
    user = await _user(services, username)
    return await write_archive(
        services.db.primary,
        user.id,
        belongings,
        out,
        instance=services.config.base_url,
        now=services.clock.now(),
        tell=_tell_nobody,
    )


async def import_from(
    services: Services, username: str, file: BinaryIO, belongings: Sequence[Belongings]
) -> dict[str, FileCount]:
    """Take an archive in for the account with this name."""
    user = await _user(services, username)
    archive = ArchiveReader(file)
    return await take_in(services.db, services.clock, user, belongings, archive, tell=_tell_nobody)


async def _user(services: Services, username: str) -> User:
    user = await profiles.by_name(services.db.primary, username)
    if user is None:
        raise UserNotFound
    return user


async def _tell_nobody(counts: dict[str, FileCount]) -> None:
    del counts
