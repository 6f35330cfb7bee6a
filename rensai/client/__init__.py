"""A client of bulk ingest, for crawlers written in Python.

It stands alone: nothing of the server is imported. The contract it speaks is docs/ingest.md.
"""

from rensai.client.answers import Accepted, Report, Standing, Trouble
from rensai.client.batches import Batch, Item, Kind, Rejection, batches
from rensai.client.errors import (
    ClockSkewError,
    ExhaustedError,
    PushError,
    RefusedError,
    StillWorkingError,
)
from rensai.client.retrying import Retry, Waiting
from rensai.client.sending import Client

__all__ = [
    "Accepted",
    "Batch",
    "Client",
    "ClockSkewError",
    "ExhaustedError",
    "Item",
    "Kind",
    "PushError",
    "RefusedError",
    "Rejection",
    "Report",
    "Retry",
    "Standing",
    "StillWorkingError",
    "Trouble",
    "Waiting",
    "batches",
]
