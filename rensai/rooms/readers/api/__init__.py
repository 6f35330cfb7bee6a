"""Accounts over `/api/v1`: one module for each noun."""

from rensai.rooms.readers.api import auth

routes = [*auth.routes]
