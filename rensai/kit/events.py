"""News between rooms: what happened is stored with what it caused, in one transaction.

A room declares its events in `events.py` and emits them; `rensai/wiring/subscriptions.py`
says which tasks each one starts. A subscriber is a plain task whose arguments are the event.
"""

from typing import cast

import msgspec

from rensai.kit.db import Tx
from rensai.kit.tasks.declare import AnyTask
from rensai.kit.tasks.enqueue import enqueue_requests, request


class Event(msgspec.Struct, frozen=True, tag=True):
    """Something that happened, told in the past tense: `ChapterPublished`."""


async def emit(tx: Tx, *events: Event) -> None:
    """Start every subscriber of these events when the transaction commits, and not otherwise."""
    requests = [
        request(cast("AnyTask", subscriber), event)
        for event in events
        for subscriber in tx.subscriptions.get(type(event), ())
    ]
    await enqueue_requests(tx, requests)
