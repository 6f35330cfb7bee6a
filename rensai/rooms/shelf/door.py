"""What other floors and rooms may know of the shelf."""

from rensai.rooms.shelf.service.figures import count_opinions

__all__ = ["count_opinions"]
