"""Accounts in a browser: one module for each thing that people come for."""

from rensai.rooms.readers.pages import letters, sign_in

routes = [*sign_in.routes, *letters.routes]
