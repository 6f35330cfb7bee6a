"""What a reader has, room by room: the files of an archive, in the order they are taken in."""

from rensai.rooms.readers import door as readers
from rensai.rooms.readers.door import Belongings
from rensai.rooms.readers.tasks import exporting, importing
from rensai.rooms.talk import door as talk

BELONGINGS: tuple[Belongings, ...] = (*readers.belongings, *talk.belongings)

export_archive = exporting(BELONGINGS)
import_archive = importing(BELONGINGS)
