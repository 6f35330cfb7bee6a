"""Accounts in a browser: one module for each thing that people come for."""

from rensai.rooms.readers.pages import join, letters, sign_in

routes = [*sign_in.routes, *join.routes, *letters.routes]
