"""What other floors and rooms may know of the shelf."""

from rensai.rooms.shelf.service.belongings import BELONGINGS as READING
from rensai.rooms.shelf.service.bookmarks import followers_of
from rensai.rooms.shelf.service.buffer import ProgressBuffer
from rensai.rooms.shelf.service.figures import count_opinions
from rensai.rooms.shelf.service.marks import ShelfMarks
from rensai.rooms.shelf.service.opinions import OPINIONS

BELONGINGS = (*READING, *OPINIONS)
"""The files of an archive that are of this room."""

__all__ = ["BELONGINGS", "ProgressBuffer", "ShelfMarks", "count_opinions", "followers_of"]
