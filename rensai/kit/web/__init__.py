"""HTTP: everything between a socket and a room's handler.

Litestar routes and calls the handlers; one ASGI middleware of ours (`edge`) stands before it.
Rooms use `bodies.Body` for what they accept, `paging.Page` and `cursor` for lists,
`render.render` for pages and `limited.limited` for rate limits, and raise `kit.errors`.
"""
