"""Accounts over `/api/v1`: one module for each noun."""

from rensai.rooms.readers.api import accounts, auth, devices, tokens

routes = [*auth.routes, *accounts.routes, *tokens.routes, *devices.routes]
