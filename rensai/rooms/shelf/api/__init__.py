"""The shelf over `/api/v1`: one module for each noun."""

from rensai.rooms.shelf.api import entries, library, lists, progress, ratings

routes = [
    *library.routes,
    *progress.routes,
    *ratings.routes,
    *lists.routes,
    *entries.routes,
]
