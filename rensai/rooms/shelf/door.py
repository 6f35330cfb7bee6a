"""What other rooms may know of the shelf."""

from rensai.rooms.shelf.service.bookmarks import followers_of
from rensai.rooms.shelf.service.buffer import ProgressBuffer
from rensai.rooms.shelf.service.marks import ShelfMarks

__all__ = ["ProgressBuffer", "ShelfMarks", "followers_of"]
