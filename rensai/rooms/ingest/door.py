"""What the rest of the building may know of ingest."""

from rensai.rooms.ingest.model import CHAPTERS, STORIES
from rensai.rooms.ingest.service.figures import Figures, figures
from rensai.rooms.ingest.service.work import Bounds, Worker

__all__ = ["CHAPTERS", "STORIES", "Bounds", "Figures", "Worker", "figures"]
