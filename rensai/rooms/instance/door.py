"""What other rooms may know of this instance."""

from rensai.rooms.instance.model import Settings
from rensai.rooms.instance.service import settings

__all__ = ["Settings", "settings"]
