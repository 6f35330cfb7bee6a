"""Items become batches that a server takes: few enough, small enough, and named by their content.

The same items make the same batches with the same keys, so a batch that is sent again, even by
another run after a crash, is answered as the first time and changes nothing.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import msgspec

Item = Mapping[str, Any]  # Any: whatever JSON can say; dates and decimals may be Python's own

MOST_ITEMS = 300
PREFIX = "/wp-json/novel/v1/ingest"


class Kind(Enum):
    """What a batch consists of."""

    STORIES = ("stories", 5 * 1024 * 1024)
    CHAPTERS = ("chapters", 12 * 1024 * 1024)

    @property
    def path(self) -> str:
        """Where it is sent to."""
        return f"{PREFIX}/{self.value[0]}/bulk"

    @property
    def most_bytes(self) -> int:
        """How large a body may be, unpacked."""
        return self.value[1]


@dataclass(frozen=True, slots=True)
class Rejection:
    """An item that was not accepted; `position` counts from 0 in what the caller gave."""

    position: int
    item: Item
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Batch:
    """Items that travel together; one that could not travel at all is among `unsendable`."""

    kind: Kind
    source: str
    body: bytes
    items: tuple[Item, ...]
    positions: tuple[int, ...]
    unsendable: tuple[Rejection, ...] = ()
    salt: str = ""
    """Whatever makes this batch another one than the same content sent before."""

    @property
    def idempotency_key(self) -> str:
        """The same for the same content."""
        digest = hashlib.sha256(f"{self.kind.path}\n{self.salt}\n".encode() + self.body)
        return f"content-{digest.hexdigest()}"


@dataclass(slots=True)
class _Packer:
    kind: Kind
    source: str
    head: bytes
    encoder: msgspec.json.Encoder
    encoded: list[bytes] = field(default_factory=list[bytes])
    items: list[Item] = field(default_factory=list[Item])
    positions: list[int] = field(default_factory=list[int])
    unsendable: list[Rejection] = field(default_factory=list[Rejection])
    size: int = 0

    def fits(self, piece: bytes) -> bool:
        """Whether another item may join; the comma before it counts too."""
        grown = self.size + len(piece) + (1 if self.encoded else 0)
        return len(self.encoded) < MOST_ITEMS and grown <= self.kind.most_bytes

    def add(self, position: int, item: Item, piece: bytes) -> None:
        self.size += len(piece) + (1 if self.encoded else 0)
        self.encoded.append(piece)
        self.items.append(item)
        self.positions.append(position)

    def take(self) -> Batch:
        """The batch so far; the next one begins empty."""
        body = self.head + b",".join(self.encoded) + b"]}" if self.encoded else b""
        batch = Batch(
            self.kind,
            self.source,
            body,
            tuple(self.items),
            tuple(self.positions),
            tuple(self.unsendable),
        )
        self.start()
        return batch

    def start(self) -> None:
        self.encoded, self.items, self.positions, self.unsendable = [], [], [], []
        self.size = len(self.head) + len(b"]}")


def batches(kind: Kind, source: str, items: Iterable[Item]) -> Iterator[Batch]:
    """Batches of at most 300 items whose bodies are within the limit of their kind."""
    encoder = msgspec.json.Encoder(decimal_format="number")
    packer = _Packer(kind, source, b'{"source":' + encoder.encode(source) + b',"items":[', encoder)
    packer.start()
    for position, item in enumerate(items):
        try:
            piece = encoder.encode(item)
        except (TypeError, ValueError, RecursionError) as problem:
            message = f"the item cannot be written as JSON: {problem}"
            packer.unsendable.append(Rejection(position, item, "invalid_item", message))
            continue
        if len(packer.head) + len(piece) + 2 > kind.most_bytes:
            message = f"the item alone is larger than {kind.most_bytes} bytes"
            packer.unsendable.append(Rejection(position, item, "payload_too_large", message))
            continue
        if not packer.fits(piece):
            yield packer.take()
        packer.add(position, item, piece)
    if packer.encoded or packer.unsendable:
        yield packer.take()
