"""What the rest of the building may know of ingest."""

from rensai.rooms.ingest.model import CHAPTERS, STORIES, NewKey
from rensai.rooms.ingest.service.figures import Figures, figures
from rensai.rooms.ingest.service.keys import create as create_key
from rensai.rooms.ingest.service.keys import list_all as list_keys
from rensai.rooms.ingest.service.keys import revoke as revoke_key
from rensai.rooms.ingest.service.work import Bounds, Worker

__all__ = [
    "CHAPTERS",
    "STORIES",
    "Bounds",
    "Figures",
    "NewKey",
    "Worker",
    "create_key",
    "figures",
    "list_keys",
    "revoke_key",
]
