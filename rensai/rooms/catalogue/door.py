"""What other rooms may know of the catalogue."""

from rensai.rooms.catalogue.model import Counts
from rensai.rooms.catalogue.service import count_public

__all__ = ["Counts", "count_public"]
