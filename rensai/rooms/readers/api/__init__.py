"""Accounts over `/api/v1`: one module for each noun."""

from rensai.rooms.readers.api import (
    auth,
    credentials,
    mutes,
    people,
    profiles,
    settings,
    transfers,
)

routes = [
    *auth.routes,
    *credentials.routes,
    *profiles.routes,
    *settings.routes,
    *mutes.routes,
    *transfers.routes,
    *people.routes,
]
