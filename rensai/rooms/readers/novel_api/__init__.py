"""Accounts over the novel API: one module for each noun."""

from rensai.rooms.readers.novel_api import auth, settings

routes = [*auth.routes, *settings.routes]
