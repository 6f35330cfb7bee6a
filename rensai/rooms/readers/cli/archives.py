"""`rensai user export` and `import`: all that a reader has, as a file."""

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, cast

import click

from rensai.kit.command import Shell, answer, json_option
from rensai.kit.services import Services
from rensai.rooms.readers.model.belongings import Belongings
from rensai.rooms.readers.model.transfers import ArchiveUnreadable, FileCount
from rensai.rooms.readers.service import files


def add_archive_commands(group: click.Group, belongings: Sequence[Belongings]) -> None:
    """Give the group its two commands over what all rooms have."""

    @group.command("export")
    @click.argument("name")
    @click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
    @json_option
    @click.pass_obj
    def export_user(shell: Shell, *, name: str, file: Path, as_json: bool) -> None:
        """Write an archive of all that an account has into a new file.

        \b
        Example:
          rensai user export ada ada.zip
        """

        async def work(services: Services) -> dict[str, FileCount]:
            with file.open("xb") as out:
                return await files.export_to(services, name, cast("BinaryIO", out), belongings)

        if file.exists():
            raise click.UsageError(f"{file} is there already")
        try:
            counts = shell.run(work)
        except BaseException:
            file.unlink(missing_ok=True)  # half an archive is none
            raise
        lines = [f"{each}: {count.lines}" for each, count in counts.items()]
        answer(counts, as_json=as_json, text="\n".join([f"Written to {file}.", *lines]))

    @group.command("import")
    @click.argument("name")
    @click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
    @json_option
    @click.pass_obj
    def import_user(shell: Shell, *, name: str, file: Path, as_json: bool) -> None:
        """Take an archive in for an account. What is newer here stays; twice is once.

        \b
        Example:
          rensai user import ada ada.zip
        """

        async def work(services: Services) -> dict[str, FileCount]:
            with file.open("rb") as archive:
                return await files.import_from(services, name, archive, belongings)

        try:
            counts = shell.run(work)
        except ArchiveUnreadable as problem:
            raise click.ClickException(f"{file}: {problem}") from problem
        lines = [f"{each}: {count.taken} of {count.lines}" for each, count in counts.items()]
        answer(counts, as_json=as_json, text="\n".join(["Taken in.", *lines]))
