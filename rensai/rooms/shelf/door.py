"""What other floors and rooms may know of the shelf."""

from rensai.rooms.shelf.service.belongings import BELONGINGS
from rensai.rooms.shelf.service.bookmarks import followers_of
from rensai.rooms.shelf.service.buffer import ProgressBuffer
from rensai.rooms.shelf.service.marks import ShelfMarks

__all__ = ["BELONGINGS", "ProgressBuffer", "ShelfMarks", "followers_of"]
