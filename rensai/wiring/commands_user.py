"""`rensai user`, with the archives that hold what every room has of a reader."""

from rensai.rooms.readers.cli.archives import add_archive_commands
from rensai.rooms.readers.cli.users import user
from rensai.wiring.belongings import BELONGINGS

__all__ = ["user"]

add_archive_commands(user, BELONGINGS)
