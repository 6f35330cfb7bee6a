"""Stories and chapters over the novel API, for who reads."""

from rensai.rooms.catalogue.novel_api import chapters, stories

routes = [*stories.routes, *chapters.routes]
