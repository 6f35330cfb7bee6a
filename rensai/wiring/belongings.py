"""What a reader has, room by room: the files of an archive, in the order they are taken in."""

from rensai.rooms.readers import door as readers
from rensai.rooms.readers.door import Belongings
from rensai.rooms.readers.tasks import exporting, importing
from rensai.rooms.search.service.belongings import BELONGINGS as SEARCHES  # no index in a worker
from rensai.rooms.shelf import door as shelf
from rensai.rooms.talk import door as talk

BELONGINGS: tuple[Belongings, ...] = (
    *readers.belongings,
    *shelf.BELONGINGS,
    *SEARCHES,
    *talk.belongings,
)

export_archive = exporting(BELONGINGS)
import_archive = importing(BELONGINGS)
