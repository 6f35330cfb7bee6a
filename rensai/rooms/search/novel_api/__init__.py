"""The list of stories over the novel API, which takes a text and every filter at once."""

from rensai.rooms.search.novel_api.stories import routes

__all__ = ["routes"]
