"""Stories and chapters over `/api/v1`, as series and chapters: one module for each noun."""

from rensai.rooms.catalogue.api import chapters, series

routes = [*series.routes, *chapters.routes]
