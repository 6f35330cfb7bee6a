"""Search over `/api/v1`."""

from rensai.rooms.search.api import saved
from rensai.rooms.search.api.routes import facets_of_all, search_series, suggest

routes = [search_series, suggest, facets_of_all, *saved.routes]
