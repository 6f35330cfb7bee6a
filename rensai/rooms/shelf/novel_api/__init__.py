"""The shelf over the novel API: one module for each noun."""

from rensai.rooms.shelf.novel_api import history, library, progress, ratings

routes = [*library.routes, *progress.routes, *history.routes, *ratings.routes]
