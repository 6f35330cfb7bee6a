"""What other rooms may know of talk."""

from rensai.rooms.talk.events import ReactionsChanged
from rensai.rooms.talk.model.comments import COUNT_AFTER
from rensai.rooms.talk.service.belongings import belongings

__all__ = [
    "COUNT_AFTER",
    "ReactionsChanged",
    "belongings",
]
