"""Accounts over `/api/v1`: one module for each noun."""

from rensai.rooms.readers.api import (
    accounts,
    auth,
    credentials,
    devices,
    mutes,
    people,
    profiles,
    settings,
    tokens,
    transfers,
)

routes = [
    *auth.routes,
    *accounts.routes,
    *tokens.routes,
    *devices.routes,
    *credentials.routes,
    *profiles.routes,
    *settings.routes,
    *mutes.routes,
    *transfers.routes,
    *people.routes,
]
