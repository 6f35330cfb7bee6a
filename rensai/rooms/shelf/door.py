"""What other rooms may know of the shelf."""

from rensai.rooms.shelf.service.bookmarks import followers_of
from rensai.rooms.shelf.service.buffer import ProgressBuffer
from rensai.rooms.shelf.service.figures import count_opinions
from rensai.rooms.shelf.service.marks import ShelfMarks

__all__ = ["ProgressBuffer", "ShelfMarks", "count_opinions", "followers_of"]
